// The sketch of a document: one permutation hashing (Li, Owen and Zhang 2012, "One permutation hashing") with values of
// two bits (Li and König 2010, "b-Bit minwise hashing"), one of which means that a bin is empty. Each shingle has one
// hash, which selects a bin and a value; the least value of a bin counts, and of it one of three remainders is kept.
// docs/NEAR.md derives the estimate of similarity.
//
// For each 64 bins, a sketch has a word of the lower bits and a word of the upper bits.

import { GOLDEN, mix64, reduce, streamKey } from '../../lib/random';

/** A sketch has a multiple of this number of bins. */
export const SKETCH_BIN_GROUP: u32 = 64;
/** Bytes of the work region for each bin. */
export const SKETCH_WORK_BYTES: u32 = 4;

const SKETCH_STREAM: u64 = 0x9216d5d98979fb1b;

const EMPTY: u32 = 0xffffffff;
/** Values of a bin that is not empty. */
const VALUES: u32 = 3;

let bins: u32 = 0;
let minima: u32 = 0;
let sketchKey: u64 = 0;

/** Documents have no sketches unless this is called, after the detector's parameters are set. */
export function sketchConfigure(binCount: u32, work: u32): void {
  bins = binCount;
  minima = work;
  sketchKey = mix64(streamKey(SKETCH_STREAM) + GOLDEN);
}

export function beginSketch(): void {
  memory.fill(minima, 0xff, bins * SKETCH_WORK_BYTES);
}

/** Adds a block of hashes of shingles. */
export function addToSketch(block: u32, count: u32): void {
  if (bins == 0) return;
  for (let i: u32 = 0; i < count; i++) {
    // Bands are made from the lower half of the same hash, so bins and values are made from another one.
    const hash = mix64(load<u64>(block + (i << 3)) ^ sketchKey);
    const bin = minima + (reduce(hash, bins) << 2);
    store<u32>(bin, min(load<u32>(bin), min(<u32>hash, EMPTY - 1)));
  }
}

/** Stores the sketch at `target`. */
export function endSketch(target: u32): void {
  for (let first: u32 = 0; first < bins; first += SKETCH_BIN_GROUP) {
    let lower: u64 = 0;
    let upper: u64 = 0;
    for (let i: u32 = 0; i < SKETCH_BIN_GROUP; i++) {
      const least = load<u32>(minima + ((first + i) << 2));
      const value = least == EMPTY ? 0 : (least % VALUES) + 1;
      lower |= (<u64>(value & 1)) << i;
      upper |= (<u64>(value >> 1)) << i;
    }
    store<u64>(target + (first >> 2), lower);
    store<u64>(target + (first >> 2), upper, 8);
  }
}

let either: u32 = 0;
let both: u32 = 0;
let equal: u32 = 0;

/** Counts the bins of two sketches, for the functions below. */
export function compareSketches(left: u32, right: u32, bytes: u32): void {
  either = 0;
  both = 0;
  equal = 0;
  for (let at: u32 = 0; at < bytes; at += 16) {
    const lower = load<u64>(left + at);
    const upper = load<u64>(left + at, 8);
    const otherLower = load<u64>(right + at);
    const otherUpper = load<u64>(right + at, 8);
    const used = lower | upper;
    const otherUsed = otherLower | otherUpper;
    const differing = (lower ^ otherLower) | (upper ^ otherUpper);
    either += <u32>popcnt(used | otherUsed);
    both += <u32>popcnt(used & otherUsed);
    equal += <u32>popcnt(used & otherUsed & ~differing);
  }
}

/** Bins that are not empty in at least one of the sketches compared last. */
export function binsOfEither(): u32 {
  return either;
}

/** Bins that are empty in none of them. */
export function binsOfBoth(): u32 {
  return both;
}

/** Bins that are not empty, and have the same value in both. */
export function binsEqual(): u32 {
  return equal;
}
