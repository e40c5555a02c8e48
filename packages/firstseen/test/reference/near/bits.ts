// A second implementation of bit sampling: the bits of a document as a list.

import { fromTopBits, GOLDEN, mix64 } from '../random.js';

const STREAM = 0xc0ac29b7c97c50ddn;

export function referenceBits(document: Uint8Array, rows: number, seed: bigint): number[] {
  const bits = [...document].flatMap((byte) => Array.from({ length: 8 }, (_, i) => (byte >> i) & 1));
  const key = mix64(seed ^ STREAM);
  return Array.from({ length: rows }, (_, row) => {
    const position = fromTopBits(mix64(key + BigInt(row + 1) * GOLDEN), bits.length);
    return bits[position] as number;
  });
}
