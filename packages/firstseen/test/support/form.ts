// The two forms of the tests: the short one of `npm test`, and the long one of `npm run test:long`, which also runs the files named
// `*.long.test.ts`.

import { randomFrom } from './random.js';

export const isLongForm = process.env.TEST_FORM === 'long';

/** The seed by which the short form chooses its samples. TEST_SEED sets another one. */
export const sampleSeed = Number(process.env.TEST_SEED ?? 1);

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

/** The whole numbers from 0 to `last` in the long form. In the short form, `count` of them, with the first and the last ones. */
export function sampleUpTo(last: number, count: number, seed = sampleSeed): readonly number[] {
  const between = Array.from({ length: Math.max(0, last - 1) }, (_, i) => i + 1);
  return [...new Set([0, ...sampleOf(between, count - 2, seed), last])];
}

/** What a name of tests says about the sample that they run; nothing in the long form, which runs everything. */
export const sampleNote = isLongForm ? '' : ` (sample of seed ${sampleSeed})`;

/**
 * All rows in the long form. In the short form, few rows that meet each demand that any row meets, chosen greedily in an order that
 * the seed decides: a row that meets many new demands is taken before one that meets few.
 * @param demandsOf gives what a row meets, as names
 */
export function coverOf<T>(
  rows: readonly T[],
  demandsOf: (row: T) => readonly string[],
  seed = sampleSeed,
): readonly T[] {
  if (isLongForm) return rows;
  const entries = shuffled(rows, seed).map((row) => ({ row, demands: demandsOf(row) }));
  const met = new Set<string>();
  const chosen = new Set<T>();
  for (let least = Math.max(...entries.map(({ demands }) => demands.length)); least > 0; least--) {
    for (const { row, demands } of entries) {
      if (demands.filter((demand) => !met.has(demand)).length < least) continue;
      chosen.add(row);
      for (const demand of demands) met.add(demand);
    }
  }
  return rows.filter((row) => chosen.has(row));
}

/**
 * All rows of a product in the long form. In the short form, rows of the product in which each pair of values of two axes occurs.
 * @param axesOf gives the values of a row, one for each axis
 */
export function pairsOf<T>(
  rows: readonly T[],
  axesOf: (row: T) => readonly unknown[],
  seed = sampleSeed,
): readonly T[] {
  return coverOf(rows, (row) => pairNames(axesOf(row)), seed);
}

function pairNames(values: readonly unknown[]): string[] {
  const names = values.map((value, axis) => `${axis}=${String(value)}`);
  return names.flatMap((first, axis) => names.slice(axis + 1).map((second) => `${first} ${second}`));
}
