// A second implementation of the elements of bands: the hash of the bytes of their rows.

import { GOLDEN, mix64 } from '../random.js';
import { referenceSeededHash } from '../seededhash.js';

const STREAM = 0x3f84d5b5b5470917n;

/** Bytes of a signature's rows, `rowBytes` bytes each, least significant first. */
export function rowBytesOf(rows: readonly number[], rowBytes: 1 | 4): Uint8Array {
  return rowBytes === 1 ? Uint8Array.from(rows) : new Uint8Array(Uint32Array.from(rows).buffer);
}

export interface ReferenceBands {
  bands: number;
  rowsPerBand: number;
  rowBytes: 1 | 4;
}

/** `seed` is the root of all randomness. */
export function referenceBandElements(
  rows: readonly number[],
  layout: ReferenceBands,
  seed: bigint,
  secret?: Uint8Array,
): bigint[] {
  const { bands, rowsPerBand, rowBytes } = layout;
  const key = mix64(seed ^ STREAM);
  return Array.from({ length: bands }, (_, band) => {
    const own = rows.slice(band * rowsPerBand, (band + 1) * rowsPerBand);
    return referenceSeededHash(rowBytesOf(own, rowBytes), mix64(key + BigInt(band + 1) * GOLDEN), secret);
  });
}
