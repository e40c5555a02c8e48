// MinHash: row i of a signature is the minimum of hash function i over the shingles of a document. Two documents agree
// in a row with a probability equal to their Jaccard similarity (Broder 1997, "On the resemblance and containment of
// documents"). A row is 32 bits.

import { GOLDEN, mix64, reduce, streamKey } from '../lib/random';
import { SignatureRule, signDocuments } from './documents/batch';
import { beginShingles, nextShingles, shingleHashes } from './shingles';
import { addToSketch, beginSketch, endSketch } from './sketches/sketch';

export const MINHASH_PERMUTATIONS: u32 = 0;
export const MINHASH_ONE_PERMUTATION: u32 = 1;

/** Rows whose minima are kept in registers at once. Tables and signatures are padded to a multiple of it. */
export const MINHASH_ROW_GROUP: u32 = 16;
/** Bytes of a row in a signature, and of the tables for each row. */
export const MINHASH_ROW_BYTES: u32 = 4;
export const MINHASH_TABLE_BYTES: u32 = 8;

const PERMUTATION_STREAM: u64 = 0x082efa98ec4e6c89;
const DENSIFY_STREAM: u64 = 0x452821e638d01377;

const EMPTY: u32 = 0xffffffff;

let rows: u32 = 0;
let paddedRows: u32 = 0;
let variant: u32 = 0;
/**
 * With one permutation: the bins before densification. Otherwise: the multipliers of all rows, followed by their
 * increments.
 */
let tables: u32 = 0;
let densifyKey: u64 = 0;

/** `tablesOffset` must have room for MINHASH_TABLE_BYTES per row, with the number of rows rounded up to whole groups. */
export function minhashConfigure(rowCount: u32, variantOfFamily: u32, tablesOffset: u32): void {
  rows = rowCount;
  paddedRows = (rowCount + MINHASH_ROW_GROUP - 1) & ~(MINHASH_ROW_GROUP - 1);
  variant = variantOfFamily;
  tables = tablesOffset;
  densifyKey = streamKey(DENSIFY_STREAM);
  const key = streamKey(PERMUTATION_STREAM);
  for (let row: u32 = 0; row < paddedRows; row++) {
    const random = mix64(key + (<u64>row + 1) * GOLDEN);
    store<u32>(tables + (row << 2), <u32>random | 1);
    store<u32>(tables + ((paddedRows + row) << 2), <u32>(random >> 32));
  }
}

/**
 * Lowers a group of rows at `target` to the minimum of multiplier * x + increment mod 2^32 over the block. An odd
 * multiplier permutes the 32-bit hashes.
 */
function lowerGroup(row: u32, target: u32, block: u32, count: u32): void {
  const multipliers = tables + (row << 2);
  const increments = multipliers + (paddedRows << 2);
  const at = target + (row << 2);
  let least0 = v128.load(at);
  let least1 = v128.load(at, 16);
  let least2 = v128.load(at, 32);
  let least3 = v128.load(at, 48);
  const by0 = v128.load(multipliers);
  const by1 = v128.load(multipliers, 16);
  const by2 = v128.load(multipliers, 32);
  const by3 = v128.load(multipliers, 48);
  const plus0 = v128.load(increments);
  const plus1 = v128.load(increments, 16);
  const plus2 = v128.load(increments, 32);
  const plus3 = v128.load(increments, 48);
  for (let hash = block; hash < block + (count << 3); hash += 8) {
    const x = v128.load32_splat(hash);
    least0 = i32x4.min_u(least0, i32x4.add(i32x4.mul(x, by0), plus0));
    least1 = i32x4.min_u(least1, i32x4.add(i32x4.mul(x, by1), plus1));
    least2 = i32x4.min_u(least2, i32x4.add(i32x4.mul(x, by2), plus2));
    least3 = i32x4.min_u(least3, i32x4.add(i32x4.mul(x, by3), plus3));
  }
  v128.store(at, least0);
  v128.store(at, least1, 16);
  v128.store(at, least2, 32);
  v128.store(at, least3, 48);
}

function signPermutations(target: u32): void {
  memory.fill(target, 0xff, paddedRows << 2);
  for (let count = nextShingles(); count > 0; count = nextShingles()) {
    for (let row: u32 = 0; row < paddedRows; row += MINHASH_ROW_GROUP) lowerGroup(row, target, shingleHashes(), count);
    addToSketch(shingleHashes(), count);
  }
}

/** One hash per shingle: its upper bits select a bin, its lower bits are the value (Li, Owen and Zhang 2012). */
function fillBins(): void {
  memory.fill(tables, 0xff, rows << 2);
  for (let count = nextShingles(); count > 0; count = nextShingles()) {
    const block = shingleHashes();
    for (let i: u32 = 0; i < count; i++) {
      const hash = load<u64>(block + (i << 3));
      const bin = tables + (reduce(hash, rows) << 2);
      // The largest value marks an empty bin.
      store<u32>(bin, min(load<u32>(bin), min(<u32>hash, EMPTY - 1)));
    }
    addToSketch(block, count);
  }
}

/**
 * Optimal densification (Shrivastava 2017, "Optimal densification for fast and accurate minwise hashing", algorithm 1):
 * each empty bin copies the value of the first bin that is not empty, in an order specific to the empty bin.
 */
function signOnePermutation(target: u32): void {
  fillBins();
  for (let bin: u32 = 0; bin < rows; bin++) {
    let source = bin;
    for (let attempt: u64 = 1; load<u32>(tables + (source << 2)) == EMPTY; attempt++) {
      source = reduce(mix64(densifyKey + ((attempt << 32) | bin) * GOLDEN), rows);
    }
    store<u32>(target + (bin << 2), load<u32>(tables + (source << 2)));
  }
}

/**
 * Stores at `target` the signature of the document in [start, end), and after it the sketch and what the
 * document is compared by, if there are sketches.
 */
export function minhashSign(start: u32, end: u32, target: u32): void {
  beginShingles(start, end);
  beginSketch();
  if (variant == MINHASH_ONE_PERMUTATION) signOnePermutation(target);
  else signPermutations(target);
  endSketch(target + paddedRows * MINHASH_ROW_BYTES);
}

class Minhash extends SignatureRule {
  sign(start: u32, end: u32, target: u32): void {
    minhashSign(start, end, target);
  }
}

/** Signs a batch of documents, as `signDocuments` says. */
export function minhashSignBatch(spans: u32, count: u32, signatures: u32, stride: u32, elements: u32): void {
  signDocuments<Minhash>(spans, count, signatures, stride, elements);
}
