// What the planner asks of a family: which parameters are worth trying, and how its errors run over a stream.

import type { LayoutName, ParameterValue } from '../detectors/contract.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { Grid } from './grid.js';

/** What is asked of a detector. */
export interface PlanGoal {
  memoryBytes: number;
  /** The most false positives; none is asked for when absent. */
  fpr?: number;
  /** Duplicates of gaps up to this must be found. */
  windowElements?: number;
  /** Different elements of the whole stream. */
  distinctElements: number;
}

/** Parameters, as given to a detector, that may be the best of their family. */
export interface Candidate {
  layout: LayoutName;
  parameters: Readonly<Record<string, ParameterValue>>;
}

/** How a detector fares, at every position of a grid. */
export interface Course {
  load: Float64Array;
  /** Probability that a new element is reported duplicate. */
  falsePositive: Float64Array;
  /** Probability that a duplicate at position i, of the gap in cell c of the grid, is reported distinct. */
  miss(i: number, c: number): number;
  /** Distinct elements after which the detector refuses. */
  refusesAfterElements?: number;
}

export interface FamilyPlan {
  /** As in the registry of detectors. */
  name: string;
  candidates(goal: PlanGoal): Candidate[];
  course(settings: DetectorSettings, grid: Grid): Course;
}

/** Every set of parameters in each of the layouts. */
export function inLayouts(layouts: readonly LayoutName[], sets: readonly Candidate['parameters'][]): Candidate[] {
  return layouts.flatMap((layout) => sets.map((parameters) => ({ layout, parameters })));
}

/** A parameter that is a number. */
export function numberOf(settings: DetectorSettings, letter: string): number {
  return Number(settings.parameters.values[letter]);
}
