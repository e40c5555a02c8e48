// Plans: every family with its best parameters for a stream, the limit of any structure, and a recommendation.

import { checkBytes, checkRate, checkWord } from '../base/check.js';
import { formatCount, formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import type { Steps } from '../base/steps.js';
import { type LayoutName, layoutNames, type ParameterValue } from '../detectors/contract.js';
import { checkRoom } from '../detectors/host.js';
import { defaultFamily } from '../detectors/registry.js';
import { cellsBytesOf, DEFAULT_MEMORY_BYTES, type DetectorSettings, resolveSettings } from '../detectors/settings.js';
import type { DetectorName } from '../kernel/abi.js';
import { DEFAULT_TARGET_FPR } from './auto.js';
import { type Candidate, type FamilyPlan, hasSharpWindow, type PlanGoal } from './contract.js';
import { checkLeastMemory, type PlanOptions, streamOf } from './goal.js';
import { COARSE, FINE, type Grid, gridInSteps } from './grid.js';
import { allows, leastBits, limitsOf, mostRememberedElements, type PlanLimits } from './limit.js';
import type { Limit } from './moments.js';
import { type Prediction, predictionInSteps } from './predict.js';
import { familyPlans } from './registry.js';
import type { StreamModel } from './stream.js';

/** What the planner found for one algorithm. */
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
  /** Whether it meets the target rate over the stream, does not become full, and has a sharp window if that is asked for. */
  isPossible: boolean;
}

/** What the planner found for a stream. */
export interface Plan extends PlanLimits {
  /** Bytes of the detectors that were compared. */
  memoryBytes: number;
  /** The highest rate of false positives that was allowed. */
  fpr: number;
  /** The stream that the plan is for. */
  stream: StreamModel;
  /** Duplicates with gaps up to this must be found. */
  windowElements?: number;
  /** How much longer than the window an element may be remembered, as a share of it. */
  windowSlack?: number;
  /** Every family, in the order of the registry. */
  families: FamilyAdvice[];
  /** The best of the possible families. */
  recommended: FamilyAdvice;
  /** The reason for the recommendation, in a sentence. */
  why: string;
  /** Set if the rates were measured: the candidates ran over elements of the stream itself. Otherwise a model gives them. */
  measured?: MeasuredOn;
  /** The maximum number of elements that any structure can remember without a miss. */
  mostRememberedElements: number;
}

/** What candidates ran over. */
export interface MeasuredOn {
  /** Elements that were observed. */
  elements: number;
  /** One distinct element of this many was followed, in as small a part of the memory. */
  oneIn: number;
}

/** Probability that two keys share a fingerprint. */
const LEAST_FPR = 2 ** -64;
/** Bytes of a kernel's counters and of the rest of a snapshot, without the cells. */
const COUNTERS_BYTES = 1024;
const LEAST_SIZED_BYTES = 2 ** 10;
const MOST_SIZED_BYTES = 2 ** 31;
/** Share of the duplicates that may be missed if the planner chooses the memory. */
const MOST_FNR_WHEN_SIZED = 0.01;
/** Sums of rates within this of the best count as equal. Speed decides between them. */
const AS_GOOD = { ratio: 1.02, difference: 1e-9 };
/** An exact set fails when it is full, so it must have room for twice the expected elements. */
const HEADROOM = 2;

/**
 * Recommends an algorithm and its parameters for a detector without partitions.
 * @throws FirstseenError E_BOUND when no structure, or no algorithm, can meet the request; the message names the bound.
 * E_PARAMETER or E_MEMORY for malformed options.
 */
export function* planUndivided(options: PlanOptions = {}): Steps<Plan> {
  const task = yield* taskOf(options);
  const fine = yield* gridInSteps(task.coarse.stream, FINE);
  const families: FamilyAdvice[] = [];
  for (const family of familyPlans) {
    const choice = yield* bestOf(family, task.goal, options.layout, task.coarse);
    if (choice) families.push(adviceOf(yield* predictedOn(fine, choice), task.goal));
  }
  return yield* planOf(task, families);
}

/** The plan that recommends one of the families. @throws FirstseenError E_BOUND when none meets the request. */
export function* planOf(
  { options, goal, fpr, coarse }: PlanTask,
  families: FamilyAdvice[],
  measured?: MeasuredOn,
): Steps<Plan> {
  const { memoryBytes } = goal;
  const recommended = recommend(families, goal);
  return {
    memoryBytes,
    fpr,
    stream: coarse.stream,
    ...defined({ windowElements: options.windowElements, windowSlack: options.windowSlack, measured }),
    ...(yield* limitsOf(coarse, memoryBytes * 8, fpr)),
    families,
    recommended,
    why: reasonFor(recommended, families, goal),
    mostRememberedElements: mostRememberedElements(memoryBytes * 8, fpr),
  };
}

/** Only the recommendation of `planUndivided`. */
export function* adviseUndivided(options: PlanOptions = {}): Steps<FamilyAdvice> {
  const { goal, coarse } = yield* taskOf(options);
  return recommend(yield* coarseAdvice(goal, options.layout, coarse), goal);
}

/** What is to be planned. */
export interface PlanTask {
  options: PlanOptions;
  goal: PlanGoal;
  fpr: number;
  coarse: Grid;
}

export function* taskOf(options: PlanOptions): Steps<PlanTask> {
  const fpr = checkFpr(options.fpr ?? DEFAULT_TARGET_FPR);
  if (options.windowSlack !== undefined) checkRate('windowSlack', options.windowSlack, '0.1');
  if (options.layout !== undefined) checkWord('layout', options.layout, layoutNames);
  checkLeastMemory(options);
  const stream = streamOf(options);
  const coarse = yield* gridInSteps(stream, COARSE);
  const memoryBytes = yield* memoryFor(options, fpr, coarse);
  refuseImpossibleWindow(options.windowElements, memoryBytes, fpr);
  return { options, goal: goalOf(options, memoryBytes, fpr, stream), fpr, coarse };
}

function checkFpr(fpr: number): number {
  if (checkRate('fpr', fpr, '1e-6') >= LEAST_FPR) return fpr;
  throw invalidOption({
    code: 'E_BOUND',
    option: 'fpr',
    given: fpr,
    expected: `at least ${rateText(LEAST_FPR)}, the probability that two keys share a 64-bit fingerprint`,
  });
}

export interface Choice {
  family: FamilyPlan;
  settings: DetectorSettings;
  candidate: Candidate;
  prediction: Prediction;
}

function goalOf(options: PlanOptions, memoryBytes: number, fpr: number, stream: StreamModel): PlanGoal {
  const { windowElements, windowSlack } = options;
  const distinctElements = stream.distinctIn(stream.lengthElements);
  return { memoryBytes, fpr, distinctElements, ...defined({ windowElements, windowSlack }) };
}

function sum({ fpr, fnr }: Limit): number {
  return fpr + fnr;
}

export function keepsTo({ prediction }: Pick<Choice, 'prediction'>, fpr: number): boolean {
  return prediction.fpr <= fpr && prediction.refusesAfterElements === undefined;
}

/** Fewer errors win. Between layouts with about as many errors, blocked wins, which is faster. */
export function isBetter(a: Choice, b: Choice, fpr: number): boolean {
  if (keepsTo(a, fpr) !== keepsTo(b, fpr)) return keepsTo(a, fpr);
  const measure = (choice: Choice) => (keepsTo(choice, fpr) ? sum(choice.prediction) : choice.prediction.fpr);
  if (a.candidate.layout === b.candidate.layout) return measure(a) < measure(b);
  const [first, second] = a.candidate.layout === 'blocked' ? [a, b] : [b, a];
  const isAsGood = measure(first) <= measure(second) * AS_GOOD.ratio + AS_GOOD.difference;
  return (isAsGood ? first : second) === a;
}

/** The candidate of a family with the fewest errors; undefined if the memory is too small for all. */
function* bestOf(
  family: FamilyPlan,
  goal: PlanGoal,
  layout: LayoutName | undefined,
  grid: Grid,
): Steps<Choice | undefined> {
  let best: Choice | undefined;
  for (const choice of choicesOf(family, goal, layout)) {
    const next = yield* predictedOn(grid, choice);
    if (!best || isBetter(next, best, goal.fpr as number)) best = next;
  }
  return best;
}

/** The candidates of a family that have room, and the window that is asked for. */
export function* choicesOf(
  family: FamilyPlan,
  goal: PlanGoal,
  layout: LayoutName | undefined,
): Iterable<Omit<Choice, 'prediction'>> {
  for (const candidate of family.candidates(goal)) {
    if (layout !== undefined && candidate.layout !== layout) continue;
    const settings = settingsOf(family, candidate, goal.memoryBytes);
    if (settings && (!settings.family.hasWindow || hasSharpWindow(settings, goal))) {
      yield { family, candidate, settings };
    }
  }
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

export function* predictedOn(grid: Grid, choice: Omit<Choice, 'prediction'>): Steps<Choice> {
  const course = choice.family.course(choice.settings, grid);
  return { ...choice, prediction: yield* predictionInSteps(course, grid) };
}

/** A choice as advice. Its prediction may be finer than the one that it was chosen by. */
export function adviceOf({ family, candidate, settings, prediction }: Choice, goal: PlanGoal): FamilyAdvice {
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

function* coarseAdvice(goal: PlanGoal, layout: LayoutName | undefined, grid: Grid): Steps<FamilyAdvice[]> {
  const families: FamilyAdvice[] = [];
  for (const family of familyPlans) {
    const choice = yield* bestOf(family, goal, layout, grid);
    if (choice) families.push(adviceOf(choice, goal));
  }
  return families;
}

function hasHeadroom({ prediction: { capacityElements } }: FamilyAdvice, { distinctElements }: PlanGoal): boolean {
  return capacityElements === undefined || capacityElements >= HEADROOM * distinctElements;
}

/** @throws FirstseenError E_BOUND when none meets the rate. */
function recommend(families: readonly FamilyAdvice[], goal: PlanGoal): FamilyAdvice {
  const possible = families.filter((advice) => advice.isPossible && hasHeadroom(advice, goal));
  if (possible.length === 0) throw noneKeepsTo(families, goal);
  const least = Math.min(...possible.map(({ prediction }) => sum(prediction)));
  const asGood = possible.filter(({ prediction }) => sum(prediction) <= least * AS_GOOD.ratio + AS_GOOD.difference);
  // If no detector makes an error, the sample does not show which one would make the fewest on more of the stream.
  const usual = least === 0 ? asGood.find(({ algorithm }) => algorithm === defaultFamily.name) : undefined;
  return usual ?? asGood.find(({ layout }) => layout === 'blocked') ?? (asGood[0] as FamilyAdvice);
}

function noneKeepsTo(families: readonly FamilyAdvice[], goal: PlanGoal): FirstseenError {
  const { memoryBytes, fpr, windowSlack } = goal;
  const lowest = families
    .filter(({ prediction, settings }) => !prediction.refusesAfterElements && hasSharpWindow(settings, goal))
    .reduce<FamilyAdvice | undefined>(
      (best, next) => (best && best.prediction.fpr <= next.prediction.fpr ? best : next),
      undefined,
    );
  const found = lowest
    ? `the lowest rate is ${rateText(lowest.prediction.fpr)}, with ${lowest.algorithm}`
    : `none has ${windowSlack === undefined ? 'room for the stream' : 'such a window'}`;
  const sharp = windowSlack === undefined ? phrase`` : phrase` with ${optionName('windowSlack')} ${windowSlack}`;
  const problem = phrase`no algorithm keeps false positives at ${fpr as number} in ${formatBytes(memoryBytes)} over this stream${sharp} (${found})`;
  return new FirstseenError('E_BOUND', problem, {
    option: 'fpr',
    given: fpr,
    remedy:
      windowSlack === undefined
        ? phrase`give a higher ${optionName('fpr')} or more ${optionName('memory')}`
        : phrase`give a higher ${optionName('fpr')}, more ${optionName('memory')} or more ${optionName('windowSlack')}`,
  });
}

function rateText(rate: number): string {
  return String(Number(rate.toPrecision(3)));
}

function refuseImpossibleWindow(windowElements: number | undefined, memoryBytes: number, fpr: number): void {
  if (windowElements === undefined) return;
  const most = mostRememberedElements(memoryBytes * 8, fpr);
  if (windowElements <= most) return;
  const leastMemory = formatBytes(Math.ceil(leastBits(windowElements, fpr) / 8));
  const [window, held] = [formatCounted(windowElements, 'element'), formatCount(most)];
  const bits = `log2(1 / ${fpr}) = ${(-Math.log2(fpr)).toFixed(1)} bits per element`;
  const problem = `a window of ${window} at a rate of ${fpr} requires at least ${leastMemory} (${bits}), but ${formatBytes(memoryBytes)} holds ${held}`;
  throw new FirstseenError('E_BOUND', problem, {
    option: 'windowElements',
    given: windowElements,
    remedy: phrase`give more ${optionName('memory')}, a higher ${optionName('fpr')} or a smaller ${optionName('windowElements')}`,
  });
}

/** The given memory, the least that finds nearly all duplicates at the rate, or the default if the need is unknown. */
function* memoryFor(options: PlanOptions, fpr: number, grid: Grid): Steps<number> {
  if (options.memory !== undefined) return checkBytes('memory', options.memory);
  const { lengthElements, distinctElements, windowElements, gapsElements, stream } = options;
  const isBounded = [lengthElements, distinctElements, windowElements, gapsElements, stream].some(
    (hint) => hint !== undefined,
  );
  if (!isBounded) return DEFAULT_MEMORY_BYTES;
  const isEnough = function* (memoryBytes: number): Steps<boolean> {
    const most = mostRememberedElements(memoryBytes * 8, fpr);
    if (options.windowElements !== undefined && options.windowElements > most) return false;
    const isKnown = grid.stream.knownElements === undefined;
    if (isKnown && !(yield* allows(grid, memoryBytes * 8, { fpr, fnr: MOST_FNR_WHEN_SIZED }))) return false;
    const goal = goalOf(options, memoryBytes, fpr, grid.stream);
    // One family is enough, so the others need no prediction.
    for (const family of familyPlans) {
      const choice = yield* bestOf(family, goal, options.layout, grid);
      if (!choice) continue;
      const advice = adviceOf(choice, goal);
      // A sharp window is a guarantee, whatever share of the stream's duplicates is in it.
      const isSharp = options.windowSlack !== undefined;
      const missesFew = isSharp || advice.prediction.fnr <= MOST_FNR_WHEN_SIZED;
      if (advice.isPossible && hasHeadroom(advice, goal) && missesFew) return true;
    }
    return false;
  };
  let low = Math.log2(LEAST_SIZED_BYTES) - 1;
  let high = Math.log2(MOST_SIZED_BYTES);
  const { leastMemoryBytes = LEAST_SIZED_BYTES } = options;
  if (yield* isEnough(leastMemoryBytes)) return leastMemoryBytes;
  if (!(yield* isEnough(MOST_SIZED_BYTES))) return MOST_SIZED_BYTES;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (yield* isEnough(2 ** middle)) high = middle;
    else low = middle;
  }
  return Math.max(leastMemoryBytes, 2 ** high);
}

function reasonFor(recommended: FamilyAdvice, all: readonly FamilyAdvice[], goal: PlanGoal): string {
  const families = goal.windowSlack === undefined ? all : all.filter(({ settings }) => settings.family.hasWindow);
  const others = families.filter((advice) => advice !== recommended && advice.isPossible && hasHeadroom(advice, goal));
  const mine = sum(recommended.prediction);
  const next = others.reduce<FamilyAdvice | undefined>(
    (best, advice) => (best && sum(best.prediction) <= sum(advice.prediction) ? best : advice),
    undefined,
  );
  const isFull = ({ prediction }: FamilyAdvice) => prediction.refusesAfterElements !== undefined;
  const namesOf = (advices: readonly FamilyAdvice[]) => advices.map(({ algorithm }) => algorithm).join(', ');
  const full = families.filter(isFull);
  const above = namesOf(families.filter((advice) => !advice.isPossible && !isFull(advice)));
  const without = families.length < all.length ? '; the other algorithms have no window' : '';
  const fullBefore =
    full.length === 0 ? '' : `; ${namesOf(full)} ${full.length === 1 ? 'is' : 'are'} full before the end`;
  const beyond = `${above ? `; ${above} cannot keep to it` : ''}${fullBefore}${without}`;
  if (!next) return `it alone keeps false positives at ${goal.fpr}${beyond}`;
  if (sum(next.prediction) < mine) {
    const faster = recommended.layout === 'blocked' ? ', and the blocked layout is the faster' : '';
    return (
      `of those that keep false positives at ${goal.fpr} its FPR + FNR, ${rateText(mine)}, is as good as the least, ` +
      `${rateText(sum(next.prediction))} by ${next.algorithm}${faster}${beyond}`
    );
  }
  return (
    `of those that keep false positives at ${goal.fpr} it has the least FPR + FNR, ${rateText(mine)}; ` +
    `next is ${next.algorithm} with ${rateText(sum(next.prediction))}${beyond}`
  );
}
