// A second implementation of SimHash: a sum of +1 and -1 for each plane.

import { GOLDEN, mix64 } from '../random.js';

const STREAM = 0xbe5466cf34e90c6cn;

export function referenceSimhash(shingles: readonly bigint[], rows: number, seed: bigint): number[] {
  const key = mix64(seed ^ STREAM);
  return Array.from({ length: rows }, (_, row) => {
    const groupKey = BigInt.asUintN(64, key + BigInt(Math.floor(row / 64) + 1) * GOLDEN);
    const side = (shingle: bigint) => ((mix64(shingle ^ groupKey) >> BigInt(row % 64)) & 1n ? 1 : -1);
    return shingles.reduce((sum, shingle) => sum + side(shingle), 0) > 0 ? 1 : 0;
  });
}
