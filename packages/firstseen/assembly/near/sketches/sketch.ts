// The sketch of a document, and what is needed to compare a new document with sketches. A document with few different shingles has
// their fingerprints as its sketch, as wide as there is room for. The sketch of any other one is an odd sketch: each hash of a sample
// of its shingles inverts one bit (Mitzenmacher, Pagh and Pham 2014, "Efficient estimation for high similarities using odd
// sketches"). docs/NEAR.md derives the estimates of similarity.
//
// A sketch begins with the number of hashes and the level of the sample, as u32. Fingerprints or bits follow. An odd sketch has one slot.
// Fingerprints have as many slots as they need, which follow from their number.
// A new document is compared by its fingerprints, and by its odd sketches at all levels at which a similar one may be.

import {
  configureFingerprints,
  equalFingerprints,
  fingerprintBits,
  listedBits,
  makeFingerprintSet,
  SKETCH_COUNT_BYTES,
  SKETCH_HASH_BITS,
  SKETCH_LISTED_BYTES,
  SKETCH_SET_SLOT_BYTES,
  storeFingerprints,
  storeListed,
} from './fingerprints';
import {
  addToSample,
  beginSample,
  configureSample,
  endSample,
  levelFor,
  SAMPLE_HASH_BYTES,
  SAMPLE_SLOT_BYTES,
  sampleCount,
  sampleHashes,
  sampleLevel,
} from './sample';

export {
  SKETCH_COUNT_BYTES,
  SKETCH_HASH_BITS,
  SKETCH_LISTED_BYTES,
  SKETCH_MAX_REST_BITS,
  SKETCH_SET_SLOT_BYTES,
} from './fingerprints';

/** Bytes before the fingerprints or bits of a sketch. */
export const SKETCH_HEADER_BYTES: u32 = 8;
/** Bytes of a fingerprint in a sketch of the most slots, at least. With more of them, an odd sketch is as exact. */
export const SKETCH_FINGERPRINT_BYTES: u32 = 1;
/** Bits of a fingerprint in a sketch of fewer slots, at least. With fewer bits, it has one more slot. */
export const SKETCH_ROOMY_BITS: u32 = 12;
/** Bytes of a hash of the sample in the work region, and of a slot for it. */
export const SKETCH_HASH_BYTES: u32 = SAMPLE_HASH_BYTES;
export const SKETCH_SLOT_BYTES: u32 = SAMPLE_SLOT_BYTES;
/** Bytes in the work region for each bit of two sketches that may differ: how many hashes are in one of them only. */
export const SKETCH_DIFFERENCE_BYTES: u32 = 8;

/** The number of fingerprints of a document that has more than similar documents with fingerprints could have. */
const TOO_MANY: u32 = 0xffffffff;

/** Bytes of a slot, and the most slots of a sketch. */
let slotBytes: u32 = 0;
let maxSlots: u32 = 1;
/** Bits of an odd sketch. */
let bits: u32 = 0;
/** The most fingerprints of a sketch, and of a document that is compared with sketches. */
let maxFingerprints: u32 = 0;
let maxCompared: u32 = 0;
let maxHashes: u32 = 0;
let levelsAround: u32 = 0;
let differences: u32 = 0;
/** True once the fingerprints of the new document are in the set. */
let isSetMade: bool = false;

/**
 * Documents have no sketches unless this is called, after the detector's parameters are set. A sketch has at most `mostSlots` slots of
 * `bytes`. `compared` is the most fingerprints of a document that is compared, `sampled` the most hashes of an odd sketch, `around` by how many levels similar documents
 * may differ. The sample has fewer hashes than `most`, which are in `slots`. The set of the fingerprints of a document has at most
 * `setSlots`. Both are powers of two.
 */
export function sketchConfigure(
  bytes: u32,
  mostSlots: u32,
  compared: u32,
  sampled: u32,
  around: u32,
  most: u32,
  slots: u32,
  setSlots: u32,
  work: u32,
): void {
  slotBytes = bytes;
  maxSlots = mostSlots;
  bits = contentBytes(1) << 3;
  maxFingerprints = contentBytes(mostSlots) / SKETCH_FINGERPRINT_BYTES;
  maxCompared = compared;
  maxHashes = sampled;
  levelsAround = around;
  configureSample(most, slots, work);
  const counts = work + slots * SAMPLE_SLOT_BYTES + most * SAMPLE_HASH_BYTES;
  const set = counts + contentBytes(mostSlots) * SKETCH_COUNT_BYTES;
  configureFingerprints(contentBytes(mostSlots), counts, set);
  differences = set + setSlots * SKETCH_SET_SLOT_BYTES;
  let difference: f64 = 0;
  for (let differing: u32 = 0; differing < bits >> 1; differing++) {
    store<f64>(differences + differing * SKETCH_DIFFERENCE_BYTES, difference);
    difference += <f64>bits / <f64>(bits - 2 * differing - 1);
  }
}

/** Bytes of the fingerprints or bits of a sketch of this number of slots. */
function contentBytes(slots: u32): u32 {
  return slots * slotBytes - SKETCH_HEADER_BYTES;
}

/** The slots of a sketch of `count` fingerprints. */
function slotsFor(count: u32): u32 {
  let slots: u32 = 1;
  while (slots < maxSlots && count * SKETCH_ROOMY_BITS > contentBytes(slots) << 3) slots++;
  return slots;
}

/** Tells if a sketch has fingerprints, and not odd bits. */
function hasFingerprints(sketch: u32): bool {
  return load<u32>(sketch, 4) == 0 && load<u32>(sketch) <= maxFingerprints;
}

/** The most slots of a sketch. */
export function sketchMaxSlots(): u32 {
  return maxSlots;
}

/** The slots of a sketch. */
export function sketchSlots(sketch: u32): u32 {
  return hasFingerprints(sketch) ? slotsFor(load<u32>(sketch)) : 1;
}

export function beginSketch(): void {
  if (bits > 0) beginSample();
}

/** Adds a block of hashes of shingles. */
export function addToSketch(block: u32, count: u32): void {
  if (bits > 0) addToSample(block, count);
}

/** Bytes of the fingerprints of a document that is compared, a multiple of 8. */
function listedBytes(): u32 {
  return (maxCompared * SKETCH_LISTED_BYTES + 7) & ~7;
}

/** The odd sketches of a document follow its fingerprints. */
function oddSketches(comparison: u32): u32 {
  return comparison + SKETCH_HEADER_BYTES + listedBytes();
}

/** Stores odd sketches at the levels from `first` to `last`. */
function storeOdd(target: u32, first: u32, last: u32): void {
  memory.fill(target, 0, (last - first + 1) * slotBytes);
  for (let level = first; level <= last; level++) store<u32>(target + (level - first) * slotBytes, level, 4);
  const hashes = sampleHashes();
  for (let i: u32 = 0, count = sampleCount(); i < count; i++) {
    const hash = load<u64>(hashes + i * SAMPLE_HASH_BYTES);
    const bit = <u32>(((hash & 0xffffffff) * bits) >> 32);
    const to = min(last, <u32>clz(hash));
    for (let level = first; level <= to; level++) {
      const sketch = target + (level - first) * slotBytes;
      store<u32>(sketch, load<u32>(sketch) + 1);
      const at = sketch + (bit >> 3);
      store<u8>(at, <u32>load<u8>(at, SKETCH_HEADER_BYTES) ^ (1 << (bit & 7)), SKETCH_HEADER_BYTES);
    }
  }
}

/** Stores the sketch at `target`, and after it what the document is compared by. */
export function endSketch(target: u32): void {
  if (bits == 0) return;
  const comparison = target + maxSlots * slotBytes;
  const count = sampleCount();
  const isWhole = sampleLevel() == 0 && count <= maxCompared;
  const level = levelFor(maxHashes);
  const first = max(<i32>sampleLevel(), <i32>level - <i32>levelsAround);
  const last = level + levelsAround;
  store<u32>(comparison, isWhole ? count : TOO_MANY);
  store<u32>(comparison, (first << 16) | last, 4);
  if (isWhole) storeListed(comparison + SKETCH_HEADER_BYTES, listedBytes(), count);
  const odd = oddSketches(comparison);
  storeOdd(odd, first, last);
  if (isWhole && count <= maxFingerprints) {
    store<u64>(target, count);
    storeFingerprints(target + SKETCH_HEADER_BYTES, count, contentBytes(slotsFor(count)));
  } else {
    memory.copy(target, odd + (level - first) * slotBytes, slotBytes);
  }
  endSample();
}

let similarity: f64 = 0;
let standardError: f64 = 0;

/** Required before the comparisons of a document. */
export function beginComparisons(): void {
  isSetMade = false;
}

/**
 * Compares fingerprints of an earlier document with those of the new one, `count` of them. Those of the new one are counted, not those
 * of the earlier one. So what is equal by chance is a shingle that only the new document has: an error belongs to the document that is
 * decided about, and an earlier document is not found similar to all later ones because of one of its shingles.
 */
function compareFingerprints(sketch: u32, comparison: u32, earlier: u32, count: u32): void {
  const bytes = contentBytes(slotsFor(earlier));
  const bits = min(fingerprintBits(earlier, bytes), listedBits(count, listedBytes()));
  if (!isSetMade) makeFingerprintSet(comparison + SKETCH_HEADER_BYTES, listedBytes(), count);
  isSetMade = true;
  const equal = equalFingerprints(sketch + SKETCH_HEADER_BYTES, earlier, bytes, bits);
  const chance: f64 = bits == SKETCH_HASH_BITS ? 0 : <f64>earlier / <f64>((<u64>1) << bits);
  const measured = Math.floor((<f64>equal - <f64>count * chance) / (1 - chance) + 0.5);
  const common = max<f64>(0, min<f64>(<f64>min(count, earlier), measured));
  const all = <f64>earlier + <f64>count - common;
  similarity = common / all;
  standardError = (Math.sqrt((<f64>count - common + 1) * chance) * (1 + similarity)) / all;
}

/** Compares two odd sketches of the same level. */
function compareOdd(left: u32, right: u32, level: u32): void {
  let differing: u32 = 0;
  for (let at: u32 = SKETCH_HEADER_BYTES; at < slotBytes; at += 8) {
    differing += <u32>popcnt(load<u64>(left + at) ^ load<u64>(right + at));
  }
  if (differing >= bits >> 1) return;
  const one = <f64>load<u32>(left);
  const other = <f64>load<u32>(right);
  const measured = load<f64>(differences + differing * SKETCH_DIFFERENCE_BYTES);
  const difference = max(measured, Math.abs(one - other));
  const sum = one + other;
  if (difference >= sum) return;
  const equal = 1 - (2 * <f64>differing) / <f64>bits;
  const ofBits = max<f64>(0, (<f64>bits / 4) * (1 / (equal * equal) - 1) - measured);
  const ofSample = difference * (1 - 1 / <f64>((<u64>1) << level));
  similarity = (sum - difference) / (sum + difference);
  standardError = (Math.sqrt(ofBits + ofSample) * (1 + similarity)) / (sum + difference);
}

/** Compares a new document with the sketch of an earlier one, for the functions below. */
export function compareSketches(comparison: u32, sketch: u32): void {
  similarity = 0;
  standardError = 0;
  const level = load<u32>(sketch, 4);
  const levels = load<u32>(comparison, 4);
  if (hasFingerprints(sketch)) {
    const count = load<u32>(comparison);
    if (count != TOO_MANY) compareFingerprints(sketch, comparison, load<u32>(sketch), count);
  } else if (level >= levels >> 16 && level <= (levels & 0xffff)) {
    compareOdd(oddSketches(comparison) + (level - (levels >> 16)) * slotBytes, sketch, level);
  }
}

/** The Jaccard similarity that was estimated last, 0 if it is too small to be estimated. */
export function estimatedSimilarity(): f64 {
  return similarity;
}

/** Its standard error. */
export function estimatedError(): f64 {
  return standardError;
}
