// The two forms of the tests: the short one of `npm test`, and the long one of `npm run test:long`, which also runs the files named
// `*.long.test.ts`.

import { randomFrom } from './random.js';

export const isLongForm = process.env.FIRSTSEEN_TEST_FORM === 'long';

/** The seed by which the short form chooses its samples. FIRSTSEEN_TEST_SEED sets another one. */
export const sampleSeed = Number(process.env.FIRSTSEEN_TEST_SEED ?? 1);

/** The first argument in the long form, the second in the short form: a number of rounds, records or kills. */
export function inLongForm<T>(long: T, short: T): T {
  return isLongForm ? long : short;
}

/** Rows in a random order that the seed decides. */
function shuffled<T>(rows: readonly T[], seed: number): T[] {
  const random = randomFrom(seed);
  return rows
    .map((row) => ({ row, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
}

/** All rows in the long form, and `count` of them, drawn by the seed, in the short form. They keep their order. */
export function sampleOf<T>(rows: readonly T[], count: number, seed = sampleSeed): readonly T[] {
  if (isLongForm) return rows;
  const drawn = new Set(shuffled(rows, seed).slice(0, count));
  return rows.filter((row) => drawn.has(row));
}

/**
 * All rows of a product in the long form. In the short form, rows of the product in which each pair of values of two axes occurs,
 * chosen greedily in an order that the seed decides.
 * @param axesOf gives the values of a row, one for each axis
 */
export function pairsOf<T>(
  rows: readonly T[],
  axesOf: (row: T) => readonly unknown[],
  seed = sampleSeed,
): readonly T[] {
  if (isLongForm) return rows;
  const seen = new Set<string>();
  const chosen = new Set<T>();
  for (const row of shuffled(rows, seed)) {
    const pairs = pairNames(axesOf(row)).filter((pair) => !seen.has(pair));
    if (pairs.length === 0) continue;
    chosen.add(row);
    for (const pair of pairs) seen.add(pair);
  }
  return rows.filter((row) => chosen.has(row));
}

function pairNames(values: readonly unknown[]): string[] {
  const names = values.map((value, axis) => `${axis}=${String(value)}`);
  return names.flatMap((first, axis) => names.slice(axis + 1).map((second) => `${first} ${second}`));
}
