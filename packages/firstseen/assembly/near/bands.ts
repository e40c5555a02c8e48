// Operations on the signatures of every family: the elements that represent their bands, and the number of rows in
// which two signatures agree.

import { FINGERPRINTS_OFFSET } from '../lib/memory';
import { GOLDEN, mix64, streamKey } from '../lib/random';
import { seededHash } from '../lib/seededhash';

const BAND_STREAM: u64 = 0x3f84d5b5b5470917;

let bands: u32 = 0;
let bandBytes: u32 = 0;
let bandKey: u64 = 0;

/**
 * `bytesOfBand` is the number of bytes of the rows of one band. Must be called after the detector's parameters are set,
 * because it uses their seed.
 */
export function bandsConfigure(count: u32, bytesOfBand: u32): void {
  bands = count;
  bandBytes = bytesOfBand;
  bandKey = streamKey(BAND_STREAM);
}

/** Bytes of the elements of a document. */
export function bandsBytes(): u32 {
  return bands << 3;
}

/**
 * Stores at `target` an element for each band of a signature: the hash of its rows, with a separate seed for each band,
 * so that equal rows in different bands are different elements.
 */
export function bandElements(signature: u32, target: u32): void {
  for (let band: u32 = 0; band < bands; band++) {
    const seed = mix64(bandKey + (<u64>band + 1) * GOLDEN);
    store<u64>(target + (band << 3), seededHash(signature + band * bandBytes, bandBytes, seed));
  }
}

/** Copies the elements of a document to the front of the batch. */
export function placeElements(elements: u32): void {
  memory.copy(FINGERPRINTS_OFFSET, elements, bandsBytes());
}

/** The number of equal rows of two signatures of `rows` rows of `rowBytes` bytes each, 1 or 4. */
export function agreeingRows(left: u32, right: u32, rows: u32, rowBytes: u32): u32 {
  const bytes = rows * rowBytes;
  let agreeing: u32 = 0;
  for (let at: u32 = 0; at < bytes; at += 16) {
    const a = v128.load(left + at);
    const b = v128.load(right + at);
    const mask = rowBytes == 4 ? i32x4.bitmask(i32x4.eq(a, b)) : i8x16.bitmask(i8x16.eq(a, b));
    const lanes = min(16, bytes - at) / rowBytes;
    agreeing += popcnt(mask & ((1 << lanes) - 1));
  }
  return agreeing;
}

let mostAgreeing: u32 = 0;

/**
 * The index, in a ring of `count` signatures of `stride` bytes, of the one that agrees with `signature` in the most
 * rows; the first one from `oldest` on if there are several. `nearestAgreeingRows` then returns that number of rows.
 */
export function nearestSignature(
  signature: u32,
  ring: u32,
  stride: u32,
  count: u32,
  oldest: u32,
  rows: u32,
  rowBytes: u32,
): u32 {
  let nearest = oldest;
  mostAgreeing = 0;
  for (let i: u32 = 0; i < count; i++) {
    const index = oldest + i < count ? oldest + i : oldest + i - count;
    const agreeing = agreeingRows(signature, ring + index * stride, rows, rowBytes);
    if (agreeing <= mostAgreeing) continue;
    mostAgreeing = agreeing;
    nearest = index;
  }
  return nearest;
}

export function nearestAgreeingRows(): u32 {
  return mostAgreeing;
}
