// Counts a detector's verdicts against the truth.

import type { ErrorCounts, GapCounts } from '../contract.js';

/** Classes of gaps, one for each power of two, and one for new elements. */
const TRUTHS = 66;

/** The count of each pair of truth and verdict, indexed by 2 * truth + verdict. */
export type Tally = Float64Array;

export function emptyTally(): Tally {
  return new Float64Array(2 * TRUTHS);
}

/** Adds the verdicts on the first `count` elements of a batch. */
export function addVerdicts(tally: Tally, truth: Uint8Array, verdicts: Uint8Array, count: number): void {
  for (let i = 0; i < count; i++) {
    const at = 2 * (truth[i] as number) + (verdicts[i] as number);
    tally[at] = (tally[at] as number) + 1;
  }
}

export function countsOf(tally: Tally): ErrorCounts {
  const [right = 0, falsePositives = 0] = tally;
  let duplicates = 0;
  let falseNegatives = 0;
  for (let at = 2; at < tally.length; at += 2) {
    falseNegatives += tally[at] as number;
    duplicates += (tally[at] as number) + (tally[at + 1] as number);
  }
  return { distinct: right + falsePositives, duplicates, falsePositives, falseNegatives };
}

/** The counts since `before`. */
export function countsSince(before: ErrorCounts, now: ErrorCounts): ErrorCounts {
  return {
    distinct: now.distinct - before.distinct,
    duplicates: now.duplicates - before.duplicates,
    falsePositives: now.falsePositives - before.falsePositives,
    falseNegatives: now.falseNegatives - before.falseNegatives,
  };
}

/** Duplicates by gap, without empty classes. Requires a tally that was made with gaps. */
export function gapsOf(tally: Tally): GapCounts[] {
  const gaps: GapCounts[] = [];
  for (let truth = 1; truth < TRUTHS; truth++) {
    const falseNegatives = tally[2 * truth] as number;
    const duplicates = falseNegatives + (tally[2 * truth + 1] as number);
    if (duplicates === 0) continue;
    const toElements = 2 ** (truth - 1);
    gaps.push({ fromElements: truth === 1 ? 0 : toElements / 2, toElements, duplicates, falseNegatives });
  }
  return gaps;
}
