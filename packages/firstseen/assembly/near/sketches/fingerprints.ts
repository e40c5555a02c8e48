// Fingerprints of the shingles of a document: the lower bits of their hashes.
//
// In a sketch they are whole hashes, if there is room for them. Otherwise, the lowest bits of a fingerprint choose a bucket. For each
// bucket there is a one for each of its fingerprints, then a zero; then follow the rests of the fingerprints, as wide as there is room for
// (Elias 1974, "Efficient storage and retrieval by content and address of static files"). So a fingerprint of w bits takes about
// w + 2 - log2(n) bits, if there are n of them.
//
// The fingerprints of a new document are a list, because it is compared with sketches of other widths.

import { SAMPLE_HASH_BYTES, sampleHashes } from './sample';

export const SKETCH_HASH_BITS: u32 = 64;
/** Bytes of a fingerprint in a list, at least. */
export const SKETCH_LISTED_BYTES: u32 = 3;
/** The most bits that are in 8 bytes in a row, wherever they begin. */
const MAX_UNALIGNED_BITS: u32 = 56;
/** Bits of the rest of a fingerprint, at most. */
export const SKETCH_MAX_REST_BITS: u32 = 48;
/** Bytes of the count of a bucket. */
export const SKETCH_COUNT_BYTES: u32 = 4;
/** Bytes of a slot of the set: a fingerprint, and the number of the comparison that found it last. */
export const SKETCH_SET_SLOT_BYTES: u32 = 16;
/** The comparisons are counted from 1 on, above that of a slot in use that no comparison has found. */
const NEVER_FOUND: u32 = 1;

/** All fingerprints have these bits, by which the slots of the set are chosen. */
let slotBits: u32 = 0;
/** The counts of the fingerprints of each bucket, while a sketch is made. */
let counts: u32 = 0;
/** The set of the fingerprints of a new document. */
let set: u32 = 0;
let slots: u32 = 0;
let comparisons: u32 = NEVER_FOUND;

/**
 * Sketches have fingerprints in at most `bytes`. There are SKETCH_COUNT_BYTES for each of them at `countsAt`, and the set is made at
 * `setAt`.
 */
export function configureFingerprints(bytes: u32, countsAt: u32, setAt: u32): void {
  // With a fingerprint for each byte, a rest has at least 6 bits, and there are at least half as many buckets as bytes.
  slotBits = bucketBits(bytes) + 5;
  counts = countsAt;
  set = setAt;
}

/** Bits that choose the bucket of one of `count` fingerprints. */
function bucketBits(count: u32): u32 {
  return 31 - <u32>clz(count);
}

/** Tells if there is room for whole hashes in `bytes`. */
function areWhole(count: u32, bytes: u32): bool {
  return count * (SKETCH_HASH_BITS >> 3) <= bytes;
}

function restBits(count: u32, bytes: u32): u32 {
  return min(SKETCH_MAX_REST_BITS, ((bytes << 3) - count - (1 << bucketBits(count))) / count);
}

/** Bits of each of `count` fingerprints of a sketch, which has `bytes` for them. */
export function fingerprintBits(count: u32, bytes: u32): u32 {
  return areWhole(count, bytes) ? SKETCH_HASH_BITS : bucketBits(count) + restBits(count, bytes);
}

/** Bits of each of `count` fingerprints in a list of `bytes`. */
export function listedBits(count: u32, bytes: u32): u32 {
  if (count * (SKETCH_HASH_BITS >> 3) <= bytes) return SKETCH_HASH_BITS;
  return min(MAX_UNALIGNED_BITS, (bytes << 3) / count);
}

function maskOf(bits: u32): u64 {
  return u64.MAX_VALUE >> (SKETCH_HASH_BITS - bits);
}

/** The 8 bytes after `start` that end with the byte of bit `end` - 1. They begin up to 8 bytes before `start`. */
function wordBefore(start: u32, end: u32): u32 {
  return start + ((end + 7) >> 3) - 8;
}

/** The position in these bytes of the `bits` bits before `end`. */
function shiftBefore(end: u32, bits: u32): u32 {
  return SKETCH_HASH_BITS - bits - (((end + 7) & ~7) - end);
}

function storeBits(start: u32, end: u32, bits: u32, value: u64): void {
  const at = wordBefore(start, end);
  store<u64>(at, load<u64>(at) | ((value & maskOf(bits)) << shiftBefore(end, bits)));
}

function loadBits(start: u32, end: u32, bits: u32): u64 {
  return (load<u64>(wordBefore(start, end)) >> shiftBefore(end, bits)) & maskOf(bits);
}

function hashAt(i: u32): u64 {
  return load<u64>(sampleHashes() + i * SAMPLE_HASH_BYTES);
}

/** Stores a list of fingerprints of the first `count` hashes of the sample in `bytes`, and zeros after them. */
export function storeListed(target: u32, bytes: u32, count: u32): void {
  const bits = listedBits(count, bytes);
  memory.fill(target, 0, bytes);
  for (let i: u32 = 0; i < count; i++) storeBits(target, (i + 1) * bits, bits, hashAt(i));
}

/** The address of the count of a bucket. */
function countAt(bucket: u32): u32 {
  return counts + bucket * SKETCH_COUNT_BYTES;
}

/** Counts how many of the first `count` hashes of the sample are before those of each bucket. */
function countBuckets(count: u32, buckets: u32): void {
  memory.fill(counts, 0, buckets * SKETCH_COUNT_BYTES);
  for (let i: u32 = 0; i < count; i++) {
    const at = countAt(<u32>hashAt(i) & (buckets - 1));
    store<u32>(at, load<u32>(at) + 1);
  }
  let before: u32 = 0;
  for (let bucket: u32 = 0; bucket < buckets; bucket++) {
    const inBucket = load<u32>(countAt(bucket));
    store<u32>(countAt(bucket), before);
    before += inBucket;
  }
}

/** Stores the fingerprints of a sketch in `bytes`, of the first `count` hashes of the sample, and zeros after them. */
export function storeFingerprints(target: u32, count: u32, bytes: u32): void {
  if (areWhole(count, bytes)) {
    storeListed(target, bytes, count);
    return;
  }
  const bits = bucketBits(count);
  const buckets: u32 = 1 << bits;
  const rest = restBits(count, bytes);
  memory.fill(target, 0, bytes);
  countBuckets(count, buckets);
  for (let i: u32 = 0; i < count; i++) {
    const hash = hashAt(i);
    const bucket = <u32>hash & (buckets - 1);
    const place = load<u32>(countAt(bucket));
    store<u32>(countAt(bucket), place + 1);
    const bit = place + bucket;
    store<u8>(target + (bit >> 3), <u32>load<u8>(target + (bit >> 3)) | (1 << (bit & 7)));
    storeBits(target, count + buckets + (place + 1) * rest, rest, hash >> bits);
  }
}

/** The first slot of the fingerprints that have the lower bits of this one. */
function slotOf(fingerprint: u64): u32 {
  return <u32>(((fingerprint & maskOf(slotBits)) * slots) >> slotBits);
}

function slotAt(slot: u32): u32 {
  return set + slot * SKETCH_SET_SLOT_BYTES;
}

/** Makes the set of a list of fingerprints in `bytes`. */
export function makeFingerprintSet(list: u32, bytes: u32, count: u32): void {
  const bits = listedBits(count, bytes);
  slots = 1;
  while (slots < 2 * count) slots <<= 1;
  memory.fill(set, 0, slots * SKETCH_SET_SLOT_BYTES);
  comparisons = NEVER_FOUND;
  for (let i: u32 = 0; i < count; i++) {
    const fingerprint = loadBits(list, (i + 1) * bits, bits);
    let slot = slotOf(fingerprint);
    while (load<u32>(slotAt(slot), 8) != 0) slot = (slot + 1) & (slots - 1);
    store<u64>(slotAt(slot), fingerprint);
    store<u32>(slotAt(slot), NEVER_FOUND, 8);
  }
}

/** The fingerprints of the set that have these lower bits, and were not found in this comparison yet. */
function countFound(fingerprint: u64, mask: u64): u32 {
  let found: u32 = 0;
  let slot = slotOf(fingerprint);
  for (let at = slotAt(slot); load<u32>(at, 8) != 0; at = slotAt(slot)) {
    slot = (slot + 1) & (slots - 1);
    if (load<u32>(at, 8) == comparisons || (load<u64>(at) & mask) != fingerprint) continue;
    store<u32>(at, comparisons, 8);
    found++;
  }
  return found;
}

/** The bucket of the fingerprint at a place, which is this one or a later one. */
function bucketFrom(sketch: u32, place: u32, bucket: u32): u32 {
  let bit = place + bucket;
  let word = load<u64>(sketch + (bit >> 3)) >> (bit & 7);
  while (word == 0) {
    bit = (bit & ~7) + SKETCH_HASH_BITS;
    word = load<u64>(sketch + (bit >> 3));
  }
  return bit + <u32>ctz(word) - place;
}

/** The number of fingerprints of the set whose lower `bits` bits one of the `count` fingerprints of a sketch in `bytes` has. */
export function equalFingerprints(sketch: u32, count: u32, bytes: u32, bits: u32): u32 {
  const mask = maskOf(bits);
  comparisons++;
  let found: u32 = 0;
  if (areWhole(count, bytes)) {
    for (let i: u32 = 0; i < count; i++) found += countFound(load<u64>(sketch + (i << 3)) & mask, mask);
    return found;
  }
  const ofBucket = bucketBits(count);
  const rest = restBits(count, bytes);
  let end = count + (1 << ofBucket);
  let bucket: u32 = 0;
  for (let place: u32 = 0; place < count; place++) {
    bucket = bucketFrom(sketch, place, bucket);
    end += rest;
    found += countFound((bucket | (loadBits(sketch, end, rest) << ofBucket)) & mask, mask);
  }
  return found;
}
