// The planner's view of a family: the parameters worth trying, and the course of its errors over a stream.

import type { Steps } from '../base/steps.js';
import { type LayoutName, type ParameterValue, slackOf } from '../detectors/contract.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { DetectorName } from '../kernel/abi.js';
import type { Grid } from './grid.js';

/**
 * The promise of `auto` for its choice: to keep the rate on every stream, or only on one as it is expected, because a
 * detector that exceeds the rate is told.
 */
export type AutoPromise = 'every stream' | 'expected stream';

/** The requirements for a detector. */
export interface PlanGoal {
  memoryBytes: number;
  /** The highest rate of false positives; absent for no target. */
  fpr?: number;
  /** Duplicates with gaps up to this must be found for certain. A family without a window cannot meet it. */
  windowElements?: number;
  /** The widest band of the window, as a share of the window. */
  windowSlack?: number;
  /** Different elements of the whole stream. */
  distinctElements: number;
  /** Candidates are measured, so those that no equation distinguishes from others are worth trying. */
  isMeasured?: boolean;
  /** Set where the candidates are those of `auto`. */
  promise?: AutoPromise;
}

/** Parameters of a detector that may be the best of the family. */
export interface Candidate {
  layout: LayoutName;
  parameters: Readonly<Record<string, ParameterValue>>;
}

/** The load and the rates of a detector at every position of a grid. */
export interface Course {
  load: Float64Array;
  /** With a window: the probability that an element is a repeat that is reported duplicate after the window. */
  late?: Float64Array;
  /** Probability that a new element is reported duplicate. */
  falsePositive: Float64Array;
  /** Probability that a duplicate at position i with a gap in cell c of the grid is reported distinct. */
  miss(i: number, c: number): number;
  /** Distinct elements after which the detector is full. */
  refusesAfterElements?: number;
}

export interface FamilyPlan {
  /** The name in the registry of detectors. */
  name: DetectorName;
  /** The letters of parameters that are numbers of elements. A detector of a part of the memory, for a part of the stream, has less. */
  elementParameters?: readonly string[];
  /** Returns the candidates, neighbours with similar parameters. They may be found one by one, so that none takes long. */
  candidates(goal: PlanGoal): Iterable<Candidate>;
  /** Returns the candidates that `auto` tries, if it takes the family: so few that a plan takes milliseconds. */
  autoCandidates?(goal: PlanGoal): Iterable<Candidate>;
  course(settings: DetectorSettings, grid: Grid): Steps<Course>;
  /** Returns the number of distinct elements at a load, false positives included, for a family that forgets nothing. */
  distinctAt?(settings: DetectorSettings, load: number): number;
}

/** Returns every set of parameters in each layout. */
export function inLayouts(layouts: readonly LayoutName[], sets: readonly Candidate['parameters'][]): Candidate[] {
  return layouts.flatMap((layout) => sets.map((parameters) => ({ layout, parameters })));
}

/** Tells if a goal asks for a window. */
export function goalHasWindow({ windowElements, windowSlack }: PlanGoal): boolean {
  return windowElements !== undefined || windowSlack !== undefined;
}

/** Tells if a detector has the window that a goal requires: as long, and as sharp. */
export function hasSharpWindow({ parameters: { band } }: DetectorSettings, goal: PlanGoal): boolean {
  if (!goalHasWindow(goal)) return true;
  const { windowSlack = Number.POSITIVE_INFINITY, windowElements = 0 } = goal;
  return (
    band !== undefined && 'fromElements' in band && band.fromElements >= windowElements && slackOf(band) <= windowSlack
  );
}

/** A parameter that is a number. */
export function numberOf(settings: DetectorSettings, letter: string): number {
  return Number(settings.parameters.values[letter]);
}
