// Candidates of a family: which are possible, what is predicted of them, and which is the best.

import { FirstseenError } from '../base/errors.js';
import type { Steps } from '../base/steps.js';
import type { LayoutName, ParameterValue } from '../detectors/contract.js';
import { checkRoom } from '../detectors/host.js';
import { cellsBytesOf, type DetectorSettings, ownParameters, resolveSettings } from '../detectors/settings.js';
import type { DetectorName } from '../kernel/abi.js';
import { boundOf } from './bound.js';
import { type Candidate, type FamilyPlan, hasSharpWindow, type PlanGoal } from './contract.js';
import type { Grid } from './grid.js';
import type { Limit } from './moments.js';
import { type Prediction, predictionInSteps, type Rates, ratesUnless } from './predict.js';

/** The advice of the planner on one algorithm. */
export interface FamilyAdvice {
  /** The name of the algorithm. */
  algorithm: DetectorName;
  /** The layout with the fewest errors. */
  layout: LayoutName;
  /** Parameters to give to `create`, by the papers' letters. */
  parameters: Readonly<Record<string, ParameterValue>>;
  /** The resolved settings. */
  settings: DetectorSettings;
  /** The errors that the planner expects. */
  prediction: Prediction;
  /** Bytes of the cells and counters. */
  stateBytes: number;
  /** True if it meets the target rate over the stream, does not become full, and has a sharp window if that is asked for. */
  isPossible: boolean;
}

/** Bytes of a kernel's counters and of the rest of a snapshot, without the cells. */
const COUNTERS_BYTES = 1024;
/** Sums of rates within this of the best count as equal. Speed decides between them. */
export const AS_GOOD = { ratio: 1.02, difference: 1e-9 };
/** An exact set fails when it is full, so it must have room for twice the expected elements. */
const HEADROOM = 2;

export interface Choice<Predicted extends Rates = Prediction> {
  family: FamilyPlan;
  settings: DetectorSettings;
  candidate: Candidate;
  prediction: Predicted;
}

/** A candidate that is possible. */
export type Unpredicted = Omit<Choice, 'prediction'>;
/** A choice of which only the rates over the whole stream are known. */
export type RatedChoice = Choice<Rates>;
/** Advice of which only the rates over the whole stream are known. */
export type RatedAdvice = Omit<FamilyAdvice, 'prediction'> & { prediction: Rates };

/** The choice of a run, of one partition. */
export interface Taken extends Unpredicted {
  /** The settings of the run. Those of the choice have a window of elements where the run has one that is a duration. */
  runSettings: DetectorSettings;
}

/** The parameters that are set. One that is 0 is not: a window of elements has no duration. */
export function setParameters(settings: DetectorSettings): Record<string, ParameterValue> {
  return Object.fromEntries(Object.entries(ownParameters(settings)).filter(([, value]) => value !== 0));
}

export function sum({ fpr, fnr }: Limit): number {
  return fpr + fnr;
}

export function keepsTo(
  { prediction }: { prediction: Pick<Rates, 'fpr' | 'refusesAfterElements'> },
  fpr: number,
): boolean {
  return prediction.fpr <= fpr && prediction.refusesAfterElements === undefined;
}

/** Fewer errors win. Between layouts with about as many errors, blocked wins, which is faster. */
export function isBetter(a: RatedChoice, b: RatedChoice, fpr: number): boolean {
  if (keepsTo(a, fpr) !== keepsTo(b, fpr)) return keepsTo(a, fpr);
  const measure = (choice: RatedChoice) => (keepsTo(choice, fpr) ? sum(choice.prediction) : choice.prediction.fpr);
  if (a.candidate.layout === b.candidate.layout) return measure(a) < measure(b);
  const [first, second] = a.candidate.layout === 'blocked' ? [a, b] : [b, a];
  const isAsGood = measure(first) <= measure(second) * AS_GOOD.ratio + AS_GOOD.difference;
  return (isAsGood ? first : second) === a;
}

/** The choice of a family with the fewest errors; undefined if there is none. */
export function* bestOf(choices: Iterable<Unpredicted>, fpr: number, grid: Grid): Steps<RatedChoice | undefined> {
  let best: RatedChoice | undefined;
  for (const choice of choices) {
    const course = choice.family.course(choice.settings, grid);
    const prediction = yield* ratesUnless(course, grid, (rates) => best !== undefined && isHopeless(rates, best, fpr));
    if (prediction === undefined) continue;
    const next = { ...choice, prediction };
    if (!best || isBetter(next, best, fpr)) best = next;
  }
  return best;
}

/** Tells if no rate of false negatives makes a candidate better than the best one. Most are so, and that rate takes most of the time. */
function isHopeless(rates: Pick<Rates, 'fpr' | 'refusesAfterElements'>, best: RatedChoice, fpr: number): boolean {
  const isKept = keepsTo({ prediction: rates }, fpr);
  const isBestKept = keepsTo(best, fpr);
  if (isKept !== isBestKept) return isBestKept;
  const measure = isBestKept ? sum(best.prediction) : best.prediction.fpr;
  return rates.fpr > measure * AS_GOOD.ratio + AS_GOOD.difference;
}

/** The candidates of a family that have room, and the window that is asked for. */
export function* choicesOf(family: FamilyPlan, goal: PlanGoal, layout: LayoutName | undefined): Iterable<Unpredicted> {
  const candidates = goal.promise === undefined ? family.candidates(goal) : (family.autoCandidates?.(goal) ?? []);
  for (const candidate of candidates) {
    if (layout !== undefined && candidate.layout !== layout) continue;
    const settings = settingsOf(family, candidate, goal.memoryBytes);
    if (settings && keepsPromise(settings, goal) && (!settings.family.hasWindow || hasSharpWindow(settings, goal))) {
      yield { family, candidate, settings };
    }
  }
}

function keepsPromise(settings: DetectorSettings, { promise, fpr = 1 }: PlanGoal): boolean {
  return promise !== 'every stream' || (boundOf(settings) ?? 1) <= fpr;
}

export function settingsOf(family: FamilyPlan, candidate: Candidate, memory: number): DetectorSettings | undefined {
  try {
    const settings = resolveSettings({ algorithm: family.name, memory, ...candidate });
    checkRoom(settings);
    return settings;
  } catch (error) {
    if (error instanceof FirstseenError && error.code === 'E_PARAMETER') return undefined;
    throw error;
  }
}

export function* predictedOn(grid: Grid, choice: Unpredicted): Steps<Choice> {
  const course = choice.family.course(choice.settings, grid);
  return { ...choice, prediction: yield* predictionInSteps(course, grid) };
}

/** A choice as advice. Its prediction may be finer than the one that it was chosen by. */
export function adviceOf<Predicted extends Rates>(
  { family, candidate, settings, prediction }: Choice<Predicted>,
  goal: PlanGoal,
): RatedAdvice & { prediction: Predicted } {
  return {
    algorithm: family.name,
    layout: candidate.layout,
    parameters: candidate.parameters,
    settings,
    prediction,
    stateBytes: cellsBytesOf(settings) + COUNTERS_BYTES,
    isPossible: keepsTo({ prediction }, goal.fpr as number) && hasSharpWindow(settings, goal),
  };
}

export function hasHeadroom(
  { prediction: { capacityElements } }: RatedAdvice,
  { distinctElements }: PlanGoal,
): boolean {
  return capacityElements === undefined || capacityElements >= HEADROOM * distinctElements;
}
