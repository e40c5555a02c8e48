// The error rates of a detector, compared with the truth.

/** The counts for a stream. */
export interface ErrorCounts {
  distinct: number;
  duplicates: number;
  falsePositives: number;
  falseNegatives: number;
}

export function noErrors(): ErrorCounts {
  return { distinct: 0, duplicates: 0, falsePositives: 0, falseNegatives: 0 };
}

/** Adds the answers for part of a stream. Both lists have one byte per element, 1 for a duplicate. */
export function countErrors(counts: ErrorCounts, truth: Uint8Array, verdicts: Uint8Array): void {
  // Indexed by 2 * truth + verdict.
  const cases = new Float64Array(4);
  for (let i = 0; i < truth.length; i++) {
    const at = 2 * (truth[i] as number) + (verdicts[i] as number);
    cases[at] = (cases[at] as number) + 1;
  }
  const [right, falsePositives, falseNegatives, found] = cases as unknown as [number, number, number, number];
  counts.distinct += right + falsePositives;
  counts.duplicates += falseNegatives + found;
  counts.falsePositives += falsePositives;
  counts.falseNegatives += falseNegatives;
}

export function falsePositiveRate(counts: ErrorCounts): number {
  return counts.falsePositives / counts.distinct;
}

export function falseNegativeRate(counts: ErrorCounts): number {
  return counts.falseNegatives / counts.duplicates;
}

/** Standard error of a rate measured in `trials` independent trials. */
export function standardError(rate: number, trials: number): number {
  return Math.sqrt((rate * (1 - rate)) / trials);
}
