// What a run that spills is asked for.

import type { Keep } from './keep.js';

/** The range of occurrences of the keys whose records are chosen. */
export interface Choice {
  least: number;
  most: number;
}

/** The rules of settling: which record of each key is kept, which are chosen, and whether keys are counted. */
export interface SpillRequest {
  /** The rule that decides which record of each key is kept. */
  keep: Keep;
  /** The keys whose kept records are chosen; all by default. */
  choice: Choice | undefined;
  /** True if the count of each key is wanted. */
  isCounting: boolean;
}

/** Tells if the first entry of a key decides everything, so that later ones are not needed. */
export function isPlain({ keep, choice, isCounting }: SpillRequest): boolean {
  return keep.rule === 'first' && choice === undefined && !isCounting;
}
