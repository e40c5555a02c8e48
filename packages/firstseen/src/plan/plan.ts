// Plans: every family with its best parameters for a stream, the limit of any structure, and a recommendation.

import { checkRate, checkTargetFpr, checkWord } from '../base/check.js';
import { formatCount, formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import type { Steps } from '../base/steps.js';
import { layoutNames } from '../detectors/contract.js';
import { defaultFamily } from '../detectors/registry.js';
import { DEFAULT_TARGET_FPR } from '../options/detector.js';
import {
  AS_GOOD,
  adviceOf,
  bestOf,
  choicesOf,
  type FamilyAdvice,
  hasHeadroom,
  predictedOn,
  type RatedAdvice,
  setParameters,
  sum,
  type Taken,
} from './choice.js';
import { type AutoPromise, goalHasWindow, hasSharpWindow, type PlanGoal } from './contract.js';
import { checkLeastMemory, type PlanOptions, streamOf } from './goal.js';
import { COARSE, FINE, type Grid, gridInSteps } from './grid.js';
import { limitsOf, maxRememberedElements, minBits, type PlanLimits } from './limit.js';
import type { Prediction } from './predict.js';
import { familyPlans } from './registry.js';
import { memoryFor, type Sizing, sizedFor } from './size.js';
import type { StreamModel } from './stream.js';

export type { FamilyAdvice } from './choice.js';

/** The plan for a stream. */
export interface Plan extends PlanLimits {
  /** Bytes of the detectors that were compared. */
  memoryBytes: number;
  /** The highest rate of false positives that was allowed. */
  fpr: number;
  /** The stream that the plan is for. */
  stream: StreamModel;
  /** The window in elements. */
  windowElements?: number;
  /** The time by which an element may be remembered longer than the window, as a share of it. */
  windowSlack?: number;
  /** Every family, in the order of the registry. */
  families: FamilyAdvice[];
  /**
   * The choice of the algorithm `auto` in this memory with the same hints: one of the families. It tries few algorithms, which keep the
   * rate on every stream, and not only on one as it is expected. Where `auto` takes nothing, and where the stream is a sample, of which
   * `auto` knows nothing, it is the family with the fewest errors. With a window, `auto` needs to know nothing of the stream.
   */
  recommended: FamilyAdvice;
  /** True if the algorithm `auto` takes the recommendation by itself. */
  isAuto: boolean;
  /** The possible family with the fewest errors on this stream, which may be another one than the recommendation. */
  fewestErrors: FamilyAdvice;
  /** The reason for the recommendation, in a sentence. */
  why: string;
  /** Set if the rates were measured: the candidates ran over elements of the stream itself. Otherwise a model gives them. */
  measured?: MeasuredOn;
  /** The maximum number of elements that any structure can remember without a miss. */
  maxRememberedElements: number;
}

/** The elements that candidates ran over. */
export interface MeasuredOn {
  /** Elements that were observed. */
  elements: number;
  /** One distinct element of this many was followed, in as small a part of the memory. */
  oneIn: number;
}

/** Probability that two keys share a fingerprint. */
const MIN_FPR = 2 ** -64;

/**
 * Recommends an algorithm and its parameters for a detector without partitions.
 * @throws FirstseenError E_BOUND when no structure, or no algorithm, can meet the request; the message names the bound.
 * E_PARAMETER or E_MEMORY for malformed options.
 */
export function* planUndivided(options: PlanOptions, runChoice: Taken | undefined): Steps<Plan> {
  const task = yield* taskOf(options);
  const fine = yield* gridInSteps(task.coarse.stream, FINE);
  const families: FamilyAdvice[] = [];
  for (const family of familyPlans) {
    const choice = yield* bestOf(choicesOf(family, task.goal, options.layout), task.fpr, task.coarse);
    if (choice) families.push(adviceOf(yield* predictedOn(fine, choice), task.goal));
  }
  const prediction = runChoice && (yield* predictedOn(fine, runChoice)).prediction;
  return yield* planOf(task, families, runChoice && prediction && { taken: runChoice, prediction });
}

/** The choice of a run, with its errors. */
export interface TakenChoice {
  taken: Taken;
  prediction: Prediction;
}

/** The parameters of a choice that its family names in plans, and the size of its window. The others follow from them. */
function shownParameters({ runSettings }: Taken, planned: FamilyAdvice | undefined) {
  const names = planned && [...Object.keys(planned.parameters), 'W', 't'];
  const entries = Object.entries(setParameters(runSettings)).filter(([name]) => names?.includes(name) ?? true);
  return Object.fromEntries(entries);
}

/** The families, with the choice of a run in place of the best of its family. */
function withTaken(families: readonly FamilyAdvice[], choice: TakenChoice | undefined, goal: PlanGoal) {
  if (choice === undefined) return { all: families };
  const { taken, prediction } = choice;
  const byName = new Map(families.map((advice) => [advice.algorithm, advice]));
  const advice = {
    ...adviceOf({ ...taken, prediction }, goal),
    parameters: shownParameters(taken, byName.get(taken.family.name)),
    settings: taken.runSettings,
    isPossible: true,
  };
  byName.set(advice.algorithm, advice);
  const all = familyPlans.flatMap(({ name }) => byName.get(name) ?? []);
  return { all, advice };
}

/** The plan that recommends one of the families. @throws FirstseenError E_BOUND when none meets the request. */
export function* planOf(
  { options, goal, fpr, coarse }: PlanTask,
  advices: readonly FamilyAdvice[],
  choice?: TakenChoice,
  measured?: MeasuredOn,
): Steps<Plan> {
  const { memoryBytes } = goal;
  const { all: families, advice } = withTaken(advices, choice, goal);
  const fewestErrors = recommend(families, goal);
  const recommendedAdvice = advice ?? fewestErrors;
  return {
    memoryBytes,
    fpr,
    stream: coarse.stream,
    ...defined({ windowElements: options.windowElements, windowSlack: options.windowSlack, measured }),
    ...(yield* limitsOf(coarse, memoryBytes * 8, fpr)),
    families: [...families],
    recommended: recommendedAdvice,
    isAuto: advice !== undefined,
    fewestErrors,
    why: recommendedAdvice === fewestErrors ? reasonFor(recommendedAdvice, families, goal) : takenReason(goal),
    maxRememberedElements: maxRememberedElements(memoryBytes * 8, fpr),
  };
}

/** The recommendation among what `auto` tries, which keeps a promise. */
export function* adviseUndivided(options: PlanOptions, promise: AutoPromise): Steps<RatedAdvice> {
  const sizing = yield* sizingOf(options, promise);
  const { memoryBytes, bests } = yield* sizedFor(sizing);
  const goal = sizing.goalIn(memoryBytes);
  const families = bests.map((best) => adviceOf(best, goal));
  return recommend(families, goal);
}

/** The task of the planner: the options, and the goal that follows from them. */
export interface PlanTask {
  options: PlanOptions;
  goal: PlanGoal;
  fpr: number;
  coarse: Grid;
}

/** @throws FirstseenError E_BOUND for a rate that no detector keeps; E_PARAMETER or E_MEMORY for malformed options. */
function* sizingOf(options: PlanOptions, promise?: AutoPromise): Steps<Sizing> {
  const fpr = checkFpr(options.fpr ?? DEFAULT_TARGET_FPR);
  if (options.windowSlack !== undefined) checkRate('windowSlack', options.windowSlack, '0.1');
  if (options.layout !== undefined) checkWord('layout', options.layout, layoutNames);
  checkLeastMemory(options);
  const stream = streamOf(options);
  const goalIn = (bytes: number) => ({ ...goalOf(options, bytes, fpr, stream), ...defined({ promise }) });
  return { options, goalIn, grid: yield* gridInSteps(stream, COARSE) };
}

export function* taskOf(options: PlanOptions): Steps<PlanTask> {
  const sizing = yield* sizingOf(options);
  const memoryBytes = yield* memoryFor(sizing);
  const goal = sizing.goalIn(memoryBytes);
  const fpr = goal.fpr as number;
  refuseImpossibleWindow(options.windowElements, memoryBytes, fpr);
  return { options, goal, fpr, coarse: sizing.grid };
}

function checkFpr(fpr: number): number {
  if (checkTargetFpr(fpr) >= MIN_FPR) return fpr;
  throw invalidOption({
    code: 'E_BOUND',
    option: 'fpr',
    given: fpr,
    expected: `at least ${rateText(MIN_FPR)}, the probability that two keys share a 64-bit fingerprint`,
  });
}

function goalOf(options: PlanOptions, memoryBytes: number, fpr: number, stream: StreamModel): PlanGoal {
  const { windowElements, windowSlack } = options;
  const distinctElements = stream.distinctIn(stream.lengthElements);
  return { memoryBytes, fpr, distinctElements, ...defined({ windowElements, windowSlack }) };
}

/** @throws FirstseenError E_BOUND when none meets the rate. */
function recommend<Advice extends RatedAdvice>(families: readonly Advice[], goal: PlanGoal): Advice {
  const possible = families.filter((advice) => advice.isPossible && hasHeadroom(advice, goal));
  if (possible.length === 0) throw noneKeepsTo(families, goal);
  const least = Math.min(...possible.map(({ prediction }) => sum(prediction)));
  const asGood = possible.filter(({ prediction }) => sum(prediction) <= least * AS_GOOD.ratio + AS_GOOD.difference);
  // If no detector makes an error, the sample does not show which one would make the fewest on more of the stream.
  const usual = least === 0 ? asGood.find(({ algorithm }) => algorithm === defaultFamily.name) : undefined;
  return usual ?? asGood.find(({ layout }) => layout === 'blocked') ?? (asGood[0] as Advice);
}

function noneKeepsTo(families: readonly RatedAdvice[], goal: PlanGoal): FirstseenError {
  const { memoryBytes, fpr, windowSlack } = goal;
  const hasWindow = goalHasWindow(goal);
  const lowest = families
    .filter(({ prediction, settings }) => !prediction.refusesAfterElements && hasSharpWindow(settings, goal))
    .reduce<RatedAdvice | undefined>(
      (best, next) => (best && best.prediction.fpr <= next.prediction.fpr ? best : next),
      undefined,
    );
  const lowestText = lowest
    ? `the lowest rate is ${rateText(lowest.prediction.fpr)}, with ${lowest.algorithm}`
    : `none has ${hasWindow ? 'such a window' : 'room for the stream'}`;
  const sharp = windowSlack === undefined ? phrase`` : phrase` with ${optionName('windowSlack')} ${windowSlack}`;
  const problem = phrase`no algorithm keeps false positives at ${fpr as number} in ${formatBytes(memoryBytes)} over this stream${sharp} (${lowestText})`;
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
  const most = maxRememberedElements(memoryBytes * 8, fpr);
  if (windowElements <= most) return;
  const minMemory = formatBytes(Math.ceil(minBits(windowElements, fpr) / 8));
  const [window, capacityText] = [formatCounted(windowElements, 'element'), formatCount(most)];
  const bits = `log2(1 / ${fpr}) = ${(-Math.log2(fpr)).toFixed(1)} bits per element`;
  const problem = `a window of ${window} at a rate of ${fpr} requires at least ${minMemory} (${bits}), but ${formatBytes(memoryBytes)} holds ${capacityText}`;
  throw new FirstseenError('E_BOUND', problem, {
    option: 'windowElements',
    given: windowElements,
    remedy: phrase`give more ${optionName('memory')}, a higher ${optionName('fpr')} or a smaller ${optionName('windowElements')}`,
  });
}

/** The reason to take another family than the one with the fewest errors. */
function takenReason(goal: PlanGoal): string {
  if (goalHasWindow(goal)) return 'a run with this window takes it, and it finds every repeat in the window';
  return 'a run takes it with these hints, because it keeps the target on every stream, however long, and not only on this one';
}

function reasonFor(recommended: FamilyAdvice, all: readonly FamilyAdvice[], goal: PlanGoal): string {
  const families = !goalHasWindow(goal) ? all : all.filter(({ settings }) => settings.family.hasWindow);
  const rivals = families.filter((advice) => advice !== recommended && advice.isPossible && hasHeadroom(advice, goal));
  const mine = sum(recommended.prediction);
  const next = rivals.reduce<FamilyAdvice | undefined>(
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
