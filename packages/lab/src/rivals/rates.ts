// Formulas that several papers share.

/** The share of ones after `adds` elements have each set `hashes` of `cells` bits. */
export function fillOf(cells: number, hashes: number, adds: number): number {
  return 1 - (1 - 1 / cells) ** (hashes * adds);
}

/** The rate of a Bloom filter: all k bits of a new element are set. */
export function bloomRate(cells: number, k: number, adds: number): number {
  return fillOf(cells, k, adds) ** k;
}

/** The number of hashes with the lowest rate of a Bloom filter, rounded: m / n ln 2. */
export function bestHashes(cells: number, elements: number): number {
  return Math.min(60, Math.max(1, Math.round((cells / elements) * Math.LN2)));
}

const STEPS = 64;

/** The mean of a function over [0, 1), at the middles of equal parts. */
export function meanOver(value: (share: number) => number): number {
  let sum = 0;
  for (let step = 0; step < STEPS; step++) sum += value((step + 0.5) / STEPS);
  return sum / STEPS;
}

/** Whole numbers from 0.3 to 2.4 times a value, and from 1 to `most`, at `count` factors at most. */
export function around(value: number, most: number, count = 32): number[] {
  const factors = Array.from({ length: count }, (_, i) => 0.3 * 8 ** (i / (count - 1)));
  const numbers = factors.map((factor) => Math.min(most, Math.max(1, Math.round(factor * value))));
  return [...new Set(numbers)];
}
