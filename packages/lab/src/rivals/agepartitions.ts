// What the time-limited Bloom filter takes from Age-Partitioned Bloom Filters (Shtul, Baquero and Almeida 2020).

import { meanOver } from './rates.js';

/** The pairs of k and l in the authors' code, for rates of 10^-1 to 10^-5, from the fewest slices of a rate to the most. */
export const PAIRS: readonly Pair[] = [
  [4, 3, 5, 7, 6, 14, 7, 28, 8, 56],
  [7, 5, 8, 8, 9, 14, 10, 25, 11, 46, 12, 88],
  [10, 7, 11, 9, 12, 14, 13, 23, 14, 40, 15, 74],
  [14, 11, 15, 15, 16, 22, 17, 36, 18, 63, 19, 117],
  [17, 13, 18, 16, 19, 22, 20, 33, 21, 54, 22, 95],
].flatMap((numbers) =>
  Array.from({ length: numbers.length / 2 }, (_, i) => ({
    k: numbers[2 * i] as number,
    l: numbers[2 * i + 1] as number,
  })),
);

/** Their recurrence: the probability that k slices in a row, of which `fills` are the shares of ones, have the bits of an element. */
function runRate(fills: readonly number[], k: number): number {
  const runs = new Float64Array(k + 1);
  runs[0] = 1;
  for (const fill of fills) {
    let ended = 0;
    // From the longest run down, so that each is read before it is written.
    for (let run = k - 1; run >= 0; run--) {
      const probability = runs[run] as number;
      ended += probability * (1 - fill);
      runs[run + 1] = (run + 1 === k ? (runs[k] as number) : 0) + probability * fill;
    }
    runs[0] = ended;
  }
  return runs[k] as number;
}

interface Pair {
  k: number;
  l: number;
}

function computeRate({ k, l }: Pair): number {
  const fillAfter = (generations: number) => 1 - (1 - 1 / (2 * k)) ** Math.min(k, generations);
  return meanOver((share) =>
    runRate(
      Array.from({ length: k + l }, (_, i) => fillAfter(i + share)),
      k,
    ),
  );
}

/** The rates of pairs that were computed. */
const rates = new Map<string, number>();

/** The rate of k + l slices, of which the youngest has a share of 1 / 2k of its bits set after each generation. */
export function pairRate(pair: Pair): number {
  const key = `${pair.k}/${pair.l}`;
  const rate = rates.get(key) ?? computeRate(pair);
  rates.set(key, rate);
  return rate;
}
