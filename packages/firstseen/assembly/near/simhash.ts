// SimHash: row i of a signature is the side of random hyperplane i on which a document lies, as the vector of its
// shingle counts. Two documents agree in a row with probability 1 - angle / pi (Charikar 2002, "Similarity estimation
// techniques from rounding algorithms", section 3). The coordinates of the planes are +1 or -1. A row is one byte, 0 or
// 1.

import { GOLDEN, mix64, streamKey } from '../lib/random';
import { SignatureRule, signDocuments } from './documents/batch';
import { beginShingles, nextShingles, shingleHashes } from './shingles';

/** Rows that one hash of a shingle serves. Counts and signatures are padded to a multiple of it. */
export const SIMHASH_ROW_GROUP: u32 = 64;
/** Bytes of a row in a signature, and of the counts for each row. */
export const SIMHASH_ROW_BYTES: u32 = 1;
export const SIMHASH_TABLE_BYTES: u32 = 4;

const PLANE_STREAM: u64 = 0xbe5466cf34e90c6c;

/** The largest value of a one-byte count. */
const MAX_OF_BYTE: u32 = 255;

let groups: u32 = 0;
let counts: u32 = 0;
let planeKey: u64 = 0;

/** `countsOffset` must have room for SIMHASH_TABLE_BYTES per row, with the number of rows rounded up to whole groups. */
export function simhashConfigure(rowCount: u32, countsOffset: u32): void {
  groups = (rowCount + SIMHASH_ROW_GROUP - 1) / SIMHASH_ROW_GROUP;
  counts = countsOffset;
  planeKey = streamKey(PLANE_STREAM);
}

/** Adds sixteen one-byte counts to the sixteen four-byte counts at `target`. */
function addCounts(bytes: v128, target: u32): void {
  const low = i16x8.extend_low_i8x16_u(bytes);
  const high = i16x8.extend_high_i8x16_u(bytes);
  v128.store(target, i32x4.add(v128.load(target), i32x4.extend_low_i16x8_u(low)));
  v128.store(target, i32x4.add(v128.load(target, 16), i32x4.extend_high_i16x8_u(low)), 16);
  v128.store(target, i32x4.add(v128.load(target, 32), i32x4.extend_low_i16x8_u(high)), 32);
  v128.store(target, i32x4.add(v128.load(target, 48), i32x4.extend_high_i16x8_u(high)), 48);
}

/**
 * Lane i is 255 where bit i of sixteen bits is set. Each of the two bytes that hold the bits is repeated in eight
 * lanes.
 */
function setLanes(spread: v128): v128 {
  const bits = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  return i8x16.eq(v128.and(spread, bits), bits);
}

/**
 * Counts, for each of the 64 rows of a group, the shingles on the upper side of its plane. `count` is at most
 * MAX_OF_BYTE.
 */
function countGroup(group: u32, block: u32, count: u32): void {
  const key = planeKey + (<u64>group + 1) * GOLDEN;
  let ones0 = i8x16.splat(0);
  let ones1 = i8x16.splat(0);
  let ones2 = i8x16.splat(0);
  let ones3 = i8x16.splat(0);
  for (let hash = block; hash < block + (count << 3); hash += 8) {
    const bits = i64x2.splat(mix64(load<u64>(hash) ^ key));
    ones0 = i8x16.sub(ones0, setLanes(i8x16.shuffle(bits, bits, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1)));
    ones1 = i8x16.sub(ones1, setLanes(i8x16.shuffle(bits, bits, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3)));
    ones2 = i8x16.sub(ones2, setLanes(i8x16.shuffle(bits, bits, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5)));
    ones3 = i8x16.sub(ones3, setLanes(i8x16.shuffle(bits, bits, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7)));
  }
  const target = counts + group * SIMHASH_ROW_GROUP * 4;
  addCounts(ones0, target);
  addCounts(ones1, target + 64);
  addCounts(ones2, target + 128);
  addCounts(ones3, target + 192);
}

/**
 * Stores at `target` the signature of the document in [start, end). A document exactly on a plane counts as below it.
 */
export function simhashSign(start: u32, end: u32, target: u32): void {
  const rows = groups * SIMHASH_ROW_GROUP;
  memory.fill(counts, 0, rows << 2);
  beginShingles(start, end);
  let total: u32 = 0;
  for (let count = nextShingles(); count > 0; count = nextShingles()) {
    for (let first: u32 = 0; first < count; first += MAX_OF_BYTE) {
      const block = shingleHashes() + (first << 3);
      for (let group: u32 = 0; group < groups; group++) countGroup(group, block, min(count - first, MAX_OF_BYTE));
    }
    total += count;
  }
  for (let row: u32 = 0; row < rows; row++) store<u8>(target + row, u32(2 * load<u32>(counts + (row << 2)) > total));
}

class Simhash extends SignatureRule {
  sign(start: u32, end: u32, target: u32): void {
    simhashSign(start, end, target);
  }
}

/** Signs a batch of documents, as `signDocuments` says. */
export function simhashSignBatch(spans: u32, count: u32, signatures: u32, stride: u32, elements: u32): void {
  signDocuments<Simhash>(spans, count, signatures, stride, elements);
}
