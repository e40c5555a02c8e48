// A second implementation of MinHash: one hash function after another over all shingles, in BigInt.

import { fromTopBits, GOLDEN, mix64 } from '../random.js';

const PERMUTATION_STREAM = 0x082efa98ec4e6c89n;
const DENSIFY_STREAM = 0x452821e638d01377n;

const low32 = (value: bigint) => BigInt.asUintN(32, value);
const least = (values: readonly bigint[]) => [...values].sort((a, b) => (a < b ? -1 : 1))[0] as bigint;

export function referencePermutations(shingles: readonly bigint[], rows: number, seed: bigint): number[] {
  const key = mix64(seed ^ PERMUTATION_STREAM);
  return Array.from({ length: rows }, (_, row) => {
    const random = mix64(key + BigInt(row + 1) * GOLDEN);
    const values = shingles.map((shingle) => low32(shingle * (low32(random) | 1n) + (random >> 32n)));
    return Number(least(values));
  });
}

export function referenceOnePermutation(shingles: readonly bigint[], rows: number, seed: bigint): number[] {
  const key = mix64(seed ^ DENSIFY_STREAM);
  const bins = Array.from({ length: rows }, (_, bin) =>
    shingles.filter((shingle) => fromTopBits(shingle, rows) === bin).map(low32),
  );
  return bins.map((_, bin) => {
    let source = bin;
    for (let attempt = 1n; bins[source]?.length === 0; attempt++) {
      source = fromTopBits(mix64(key + ((attempt << 32n) | BigInt(bin)) * GOLDEN), rows);
    }
    const value = least(bins[source] as bigint[]);
    return Number(value < 0xfffffffen ? value : 0xfffffffen);
  });
}
