// What a run that spills is asked for.

import type { Keep } from './keep.js';

/** How many times the keys occur whose records are chosen. */
export interface Choice {
  least: number;
  most: number;
}

/** What settling decides. */
export interface SpillRequest {
  /** Which record of each key is kept. */
  keep: Keep;
  /** Only the kept records of such keys are chosen; all by default. */
  choice: Choice | undefined;
  /** Whether the count of each key is wanted. */
  isCounting: boolean;
}

/** Whether the first entry of a key decides everything, so that later ones are not needed. */
export function isPlain({ keep, choice, isCounting }: SpillRequest): boolean {
  return keep.rule === 'first' && choice === undefined && !isCounting;
}
