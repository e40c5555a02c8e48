// What the time-limited Bloom filter takes from Age-Partitioned Bloom Filters (Shtul, Baquero and Almeida 2020).

/** The pairs of k and l in the authors' code, for rates of 10^-1 to 10^-5, from the fewest slices of a rate to the most. */
export const PAIRS: readonly { k: number; l: number }[] = [
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
export function runRate(fills: readonly number[], k: number): number {
  let runs = [1, ...Array.from({ length: k }, () => 0)];
  for (const fill of fills) {
    const next = runs.map((probability, run) => (run === k ? probability : 0));
    for (let run = 0; run < k; run++) {
      next[0] = (next[0] as number) + (runs[run] as number) * (1 - fill);
      next[run + 1] = (next[run + 1] as number) + (runs[run] as number) * fill;
    }
    runs = next;
  }
  return runs[k] as number;
}
