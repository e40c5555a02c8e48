// The memory of a plan: what was given, or the least that suffices.

import { checkBytes } from '../base/check.js';
import type { Steps } from '../base/steps.js';
import type { LayoutName } from '../detectors/contract.js';
import { DEFAULT_MEMORY_BYTES } from '../options/detector.js';
import { boundOf } from './bound.js';
import { adviceOf, bestOf, choicesOf, hasHeadroom, type RatedChoice, settingsOf, type Unpredicted } from './choice.js';
import { goalHasWindow, type PlanGoal } from './contract.js';
import type { PlanOptions } from './goal.js';
import type { Grid } from './grid.js';
import { allows, maxRememberedElements } from './limit.js';
import { familyPlans } from './registry.js';

export const MIN_SIZED_BYTES = 2 ** 10;
export const MAX_SIZED_BYTES = 2 ** 31;
/** Share of the duplicates that may be missed if the planner chooses the memory. */
const MAX_FNR_WHEN_SIZED = 0.01;

/** Returns the choice with the highest bound of each layout, since others remember less, and those without a bound. */
function narrowest(choices: Iterable<Unpredicted>): Unpredicted[] {
  const byLayout = new Map<LayoutName, Unpredicted>();
  const boundless: Unpredicted[] = [];
  const bound = (choice: Unpredicted | undefined) => (choice === undefined ? -1 : boundOf(choice.settings));
  for (const choice of choices) {
    const { layout } = choice.candidate;
    const choiceBound = bound(choice);
    if (choiceBound === undefined) boundless.push(choice);
    else if (choiceBound > (bound(byLayout.get(layout)) ?? 0)) byLayout.set(layout, choice);
  }
  return [...byLayout.values(), ...boundless];
}

/** The choices in another memory, as far as it has room for them. */
function inMemory(choices: readonly Unpredicted[], memoryBytes: number): Unpredicted[] {
  return choices.flatMap((choice) => {
    const settings = settingsOf(choice.family, choice.candidate, memoryBytes);
    return settings ? [{ ...choice, settings }] : [];
  });
}

/** Tells if an amount of memory suffices. */
type IsEnough = (memoryBytes: number) => Steps<boolean>;

/** The least power of two from `least` on that suffices, if every larger one does; the largest that is tried if none does. */
function* minPower(isEnough: IsEnough, least: number): Steps<number> {
  let low = Math.log2(MIN_SIZED_BYTES) - 1;
  let high = Math.log2(MAX_SIZED_BYTES);
  if (!(yield* isEnough(MAX_SIZED_BYTES))) return MAX_SIZED_BYTES;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (yield* isEnough(2 ** middle)) high = middle;
    else low = middle;
  }
  return Math.max(least, 2 ** high);
}

/** The request for which a memory is searched. */
export interface Sizing {
  options: PlanOptions;
  goalIn: (memoryBytes: number) => PlanGoal;
  grid: Grid;
}

/** The choices of each family, which are found when they are asked for. */
type Families = readonly (() => Iterable<Unpredicted>)[];

function familiesIn({ options, goalIn }: Sizing, memoryBytes: number): Families {
  const goal = goalIn(memoryBytes);
  return familyPlans.map((family) => () => choicesOf(family, goal, options.layout));
}

/** Tells if a choice keeps to the goal and misses few. */
function isGood(choice: RatedChoice, goal: PlanGoal): boolean {
  const advice = adviceOf(choice, goal);
  // A window is a guarantee, whatever share of the stream's duplicates is in it.
  const missesFew = goalHasWindow(goal) || advice.prediction.fnr <= MAX_FNR_WHEN_SIZED;
  return advice.isPossible && hasHeadroom(advice, goal) && missesFew;
}

/** Tells if the best choice of a family is good. One family is enough, so the others need no prediction. */
function* hasOne({ goalIn, grid }: Sizing, memoryBytes: number, families: Families): Steps<boolean> {
  const goal = goalIn(memoryBytes);
  for (const choices of families) {
    const choice = yield* bestOf(choices(), goal.fpr as number, grid);
    if (choice && isGood(choice, goal)) return true;
  }
  return false;
}

/** The best choice of each family in a memory. */
function* bestsIn(sizing: Sizing, memoryBytes: number): Steps<RatedChoice[]> {
  const bests: RatedChoice[] = [];
  for (const choices of familiesIn(sizing, memoryBytes)) {
    const best = yield* bestOf(choices(), sizing.goalIn(memoryBytes).fpr as number, sizing.grid);
    if (best) bests.push(best);
  }
  return bests;
}

/** A memory, and the best choice of each family in it. */
export interface Sized {
  memoryBytes: number;
  bests: RatedChoice[];
}

/** The least memory for `auto`. Few of its candidates find how much is needed, and all of them confirm it. */
function* sizedForAuto(sizing: Sizing, least: number): Steps<Sized> {
  const few = familiesIn(sizing, MAX_SIZED_BYTES).map((choices) => narrowest(choices()));
  const isEnough = (memoryBytes: number) => {
    const families = few.map((choices) => () => inMemory(choices, memoryBytes));
    return hasOne(sizing, memoryBytes, families);
  };
  let memoryBytes = (yield* isEnough(least)) ? least : yield* minPower(isEnough, least);
  for (;;) {
    const bests = yield* bestsIn(sizing, memoryBytes);
    // All candidates together may prefer fewer false positives to fewer misses.
    const isConfirmed = bests.some((best) => isGood(best, sizing.goalIn(memoryBytes)));
    if (isConfirmed || memoryBytes >= MAX_SIZED_BYTES) return { memoryBytes, bests };
    memoryBytes = Math.min(2 * memoryBytes, MAX_SIZED_BYTES);
  }
}

function* memoryForPlan(sizing: Sizing, least: number): Steps<number> {
  const { options, goalIn, grid } = sizing;
  const isEnough = function* (memoryBytes: number): Steps<boolean> {
    const fpr = goalIn(memoryBytes).fpr as number;
    const most = maxRememberedElements(memoryBytes * 8, fpr);
    if (options.windowElements !== undefined && options.windowElements > most) return false;
    const isKnown = grid.stream.knownElements === undefined;
    if (isKnown && !(yield* allows(grid, memoryBytes * 8, { fpr, fnr: MAX_FNR_WHEN_SIZED }))) return false;
    return yield* hasOne(sizing, memoryBytes, familiesIn(sizing, memoryBytes));
  };
  return (yield* isEnough(least)) ? least : yield* minPower(isEnough, least);
}

/** The given memory, or the default if nothing says how much suffices. */
function knownMemory({ options }: Sizing): number | undefined {
  const { memory, lengthElements, distinctElements, windowElements, gapsElements, stream } = options;
  if (memory !== undefined) return checkBytes('memory', memory);
  const hints = [lengthElements, distinctElements, windowElements, gapsElements, stream];
  return hints.some((hint) => hint !== undefined) ? undefined : DEFAULT_MEMORY_BYTES;
}

/** The known memory, or the least that finds nearly all duplicates at the rate. */
export function* memoryFor(sizing: Sizing): Steps<number> {
  return knownMemory(sizing) ?? (yield* memoryForPlan(sizing, leastOf(sizing)));
}

/** As `memoryFor` for `auto`, with what it tries. */
export function* sizedFor(sizing: Sizing): Steps<Sized> {
  const memoryBytes = knownMemory(sizing);
  if (memoryBytes === undefined) return yield* sizedForAuto(sizing, leastOf(sizing));
  return { memoryBytes, bests: yield* bestsIn(sizing, memoryBytes) };
}

function leastOf({ options: { minMemoryBytes = MIN_SIZED_BYTES } }: Sizing): number {
  return minMemoryBytes;
}
