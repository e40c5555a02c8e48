// The table of verified near-duplicates: a ring of the sketches of the documents that were added last, and entries of
// their bands that point to it. A document has one slot of the ring or several in a row, and the number of the first one. A sketch that
// would go on behind the last slot of the ring begins in its first one. An entry is 4 bytes: a fingerprint of the band's element, never
// 0, above the number of the document. A number counts slots modulo a power of two that is at least twice the ring, so an entry whose
// document has left the ring counts as empty. Entries are in buckets of one cache line.
//
// An entry that has been empty for a whole round of numbers may seem to point to a document again. So if sketches have several slots,
// the number of the document that begins in it is kept for each slot.

import {
  cellsOffset,
  DUPLICATES_REGISTER,
  FAMILY_PARAMETER,
  FAMILY_REGISTER,
  OBSERVED_REGISTER,
  parameter,
  register,
  setRegister,
  WORKSPACE_OFFSET,
} from '../lib/memory';
import { reduce } from '../lib/random';
import {
  beginComparisons,
  compareSketches,
  estimatedError,
  estimatedSimilarity,
  sketchMaxSlots,
  sketchSlots,
} from './sketches/sketch';

export {
  SKETCH_COUNT_BYTES,
  SKETCH_DIFFERENCE_BYTES,
  SKETCH_FINGERPRINT_BYTES,
  SKETCH_HASH_BITS,
  SKETCH_HASH_BYTES,
  SKETCH_HEADER_BYTES,
  SKETCH_LISTED_BYTES,
  SKETCH_MAX_REST_BITS,
  SKETCH_ROOMY_BITS,
  SKETCH_SET_SLOT_BYTES,
  SKETCH_SLOT_BYTES,
  sketchConfigure,
} from './sketches/sketch';

/** Parameter slots: bytes of a slot, bands of a document, slots of the ring, buckets, and slots of a document at most. */
export const SKETCHES_BYTES_PARAMETER: u32 = FAMILY_PARAMETER;
export const SKETCHES_BANDS_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const SKETCHES_RING_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const SKETCHES_BUCKETS_PARAMETER: u32 = FAMILY_PARAMETER + 3;
export const SKETCHES_SLOTS_PARAMETER: u32 = FAMILY_PARAMETER + 4;

export const SKETCHES_BUCKET_BYTES: u32 = 64;
export const SKETCHES_ENTRY_BYTES: u32 = 4;
/** Entries of one band's element that may take the place of other bands. More of them take only entries that are empty. */
export const SKETCHES_CANDIDATES: u32 = 4;
/** Buckets of one band's element: the next one is used once a bucket has no empty entry, and SKETCHES_CANDIDATES of the element. */
export const SKETCHES_BAND_BUCKETS: u32 = 4;

/**
 * An estimate is beside the threshold if it differs from it by fewer than this number of standard errors, and by less than this
 * similarity. Few shingles that are equal by chance are many standard errors of a small one.
 */
export const SKETCHES_BESIDE_ERRORS: f64 = 64;
export const SKETCHES_BESIDE: f64 = 0.02;
/** Of the documents beside the threshold, one above it for this number of documents below it is taken for an error. */
export const SKETCHES_BELOW_FOR_ABOVE: u32 = 8;

/** Registers: the number of the next slot, and documents added, if they may have several slots. */
const ADDED: u32 = FAMILY_REGISTER;
const DOCUMENTS: u32 = FAMILY_REGISTER + 1;
/** Bytes for each slot of the number of the document that begins in it, counted from 1 on; 0 if none does. */
export const SKETCHES_START_BYTES: u32 = 4;

/** The numbers of documents that were compared, in the workspace, so that few are compared twice. */
const COMPARED_SLOTS: u32 = 256;

let slotBytes: u32 = 0;
let bands: u32 = 0;
let slots: u32 = 0;
let maxSlots: u32 = 1;
let buckets: u32 = 0;
let table: u32 = 0;
let ring: u32 = 0;
let starts: u32 = 0;
let numberBits: u32 = 0;

export function sketchesConfigure(): void {
  slotBytes = <u32>parameter(SKETCHES_BYTES_PARAMETER);
  bands = <u32>parameter(SKETCHES_BANDS_PARAMETER);
  slots = <u32>parameter(SKETCHES_RING_PARAMETER);
  buckets = <u32>parameter(SKETCHES_BUCKETS_PARAMETER);
  maxSlots = <u32>parameter(SKETCHES_SLOTS_PARAMETER);
  table = cellsOffset();
  ring = table + buckets * SKETCHES_BUCKET_BYTES;
  starts = ring + slots * slotBytes;
  numberBits = 1;
  while (1 << numberBits < 2 * slots) numberBits++;
}

/** The slot of a number. */
function slotOf(number: u64): u32 {
  return <u32>(number % <u64>slots);
}

/** The address of the number of the document that begins in the slot of a number. */
function startAt(number: u64): u32 {
  return starts + slotOf(number) * SKETCHES_START_BYTES;
}

/** Tells if a sketch begins in the slot of a number. */
function isStart(number: u64): bool {
  return maxSlots == 1 || load<u32>(startAt(number)) != 0;
}

/** Slots filled since the first one of the document of an entry, that one included; 0 if the entry is empty. */
function ageOf(entry: u32): u32 {
  if (entry >> numberBits == 0) return 0;
  const added = register(ADDED);
  const age = (<u32>added - entry) & ((1 << numberBits) - 1);
  return age <= slots && <u64>age <= added && isStart(added - <u64>age) ? age : 0;
}

function fingerprintOf(element: u64): u32 {
  return max(<u32>element >> numberBits, 1);
}

function bucketOf(element: u64): u32 {
  return table + reduce(element, buckets) * SKETCHES_BUCKET_BYTES;
}

function bucketAfter(bucket: u32): u32 {
  const next = bucket + SKETCHES_BUCKET_BYTES;
  return next == ring ? table : next;
}

/** Tells if all entries of a bucket point to documents in the ring. */
function isFull(bucket: u32): bool {
  for (let at = bucket; at < bucket + SKETCHES_BUCKET_BYTES; at += SKETCHES_ENTRY_BYTES) {
    if (ageOf(load<u32>(at)) == 0) return false;
  }
  return true;
}

/** The address of the sketch in the slot with a number. */
function sketchAt(number: u64): u32 {
  return ring + slotOf(number) * slotBytes;
}

let nearestAge: u32 = 0;
let nearestDocuments: u32 = 0;
let nearestSimilarity: f64 = 0;
let nearestError: f64 = 0;
let threshold: f64 = 0;
let below: u32 = 0;
let above: u32 = 0;

function besideWidth(error: f64): f64 {
  return min<f64>(SKETCHES_BESIDE_ERRORS * error, SKETCHES_BESIDE);
}

/** Counts the estimate if it is beside the threshold. */
function countBeside(estimate: f64, error: f64): void {
  if (Math.abs(estimate - threshold) >= besideWidth(error)) return;
  if (estimate < threshold) below++;
  else above++;
}

/** Makes the document the nearest one if its estimate is larger; the older of two. */
function compareWith(age: u32, comparison: u32): void {
  compareSketches(comparison, sketchAt(register(ADDED) - <u64>age));
  const estimate = estimatedSimilarity();
  countBeside(estimate, estimatedError());
  if (nearestAge > 0 && (estimate < nearestSimilarity || (estimate == nearestSimilarity && age < nearestAge))) return;
  nearestAge = age;
  nearestSimilarity = estimate;
  nearestError = estimatedError();
}

/** Tells if the document of this age was not compared yet, as far as the workspace remembers. */
function isNew(age: u32): bool {
  const slot = WORKSPACE_OFFSET + ((age & (COMPARED_SLOTS - 1)) << 2);
  if (load<u32>(slot) == age) return false;
  store<u32>(slot, age);
  return true;
}

/** Compares the document with those in a bucket that have the band. Returns their number. */
function compareIn(bucket: u32, fingerprint: u32, comparison: u32): u32 {
  let same: u32 = 0;
  for (let at = bucket; at < bucket + SKETCHES_BUCKET_BYTES; at += SKETCHES_ENTRY_BYTES) {
    const entry = load<u32>(at);
    if (entry >> numberBits != fingerprint) continue;
    const age = ageOf(entry);
    if (age == 0) continue;
    same++;
    if (isNew(age)) compareWith(age, comparison);
  }
  return same;
}

/** Compares the document with those that have the band. Tells if there are any. */
function compareBand(element: u64, comparison: u32): bool {
  const fingerprint = fingerprintOf(element);
  let bucket = bucketOf(element);
  let isFound = false;
  for (let used: u32 = 0; used < SKETCHES_BAND_BUCKETS; used++) {
    const same = compareIn(bucket, fingerprint, comparison);
    isFound = isFound || same > 0;
    if (same < SKETCHES_CANDIDATES || !isFull(bucket)) break;
    bucket = bucketAfter(bucket);
  }
  return isFound;
}

/**
 * Compares a document, of which the elements of its bands and the sketch are given, with those that have a band in common
 * with it. After the sketch is what it is compared by. Returns the number of bands that were found. The functions below tell of the nearest.
 */
export function sketchesFind(elements: u32, sketch: u32, similarity: f64): u32 {
  const comparison = sketch + sketchMaxSlots() * slotBytes;
  nearestAge = 0;
  nearestSimilarity = 0;
  nearestError = 0;
  threshold = similarity;
  below = 0;
  above = 0;
  memory.fill(WORKSPACE_OFFSET, 0, COMPARED_SLOTS << 2);
  beginComparisons();
  let found: u32 = 0;
  for (let band: u32 = 0; band < bands; band++) {
    found += u32(compareBand(load<u64>(elements + (band << 3)), comparison));
  }
  nearestDocuments = nearestAge == 0 ? 0 : documentsSince(nearestAge);
  return found;
}

/** The documents added since the one that begins `age` slots ago, that one included. */
function documentsSince(age: u32): u32 {
  if (maxSlots == 1) return age;
  return <u32>register(DOCUMENTS) - load<u32>(startAt(register(ADDED) - <u64>age)) + 1;
}

/** The age of the nearest document: 1 for the one that was added last, 0 if no document has a band in common. */
export function sketchesNearestAge(): u32 {
  return nearestDocuments;
}

/** Documents in the ring. */
export function sketchesDocuments(): u32 {
  let age = <u32>min<u64>(<u64>slots, register(ADDED));
  while (age > 0 && !isStart(register(ADDED) - <u64>age)) age--;
  return age == 0 ? 0 : documentsSince(age);
}

/** Slots that were filled or passed over so far. */
export function sketchesFilled(): f64 {
  return <f64>register(ADDED);
}

/** The similarity that is estimated for it, and its standard error. */
export function sketchesNearestSimilarity(): f64 {
  return nearestSimilarity;
}

export function sketchesNearestError(): f64 {
  return nearestError;
}

/** Tells if the nearest document is above the threshold beside many that are below it, so that its estimate is likely to be an error. */
export function sketchesIsDoubtful(): bool {
  return nearestSimilarity - threshold < besideWidth(nearestError) && below >= SKETCHES_BELOW_FOR_ABOVE * above;
}

/**
 * The entry to replace for a band: one that is empty. If there is none, the oldest of the band if a bucket has SKETCHES_CANDIDATES of them,
 * otherwise the oldest of the bucket. The first of several.
 */
function victimOf(element: u64, fingerprint: u32): u32 {
  let bucket = bucketOf(element);
  let oldestSame: u32 = 0;
  let oldestSameAge: u32 = 0;
  for (let used: u32 = 0; used < SKETCHES_BAND_BUCKETS; used++) {
    let same: u32 = 0;
    let oldest = bucket;
    let oldestAge: u32 = 0;
    for (let at = bucket; at < bucket + SKETCHES_BUCKET_BYTES; at += SKETCHES_ENTRY_BYTES) {
      const entry = load<u32>(at);
      const age = ageOf(entry);
      if (age == 0) return at;
      if (age > oldestAge) {
        oldest = at;
        oldestAge = age;
      }
      if (entry >> numberBits != fingerprint) continue;
      same++;
      if (age > oldestSameAge) {
        oldestSame = at;
        oldestSameAge = age;
      }
    }
    if (same < SKETCHES_CANDIDATES) return used == 0 ? oldest : oldestSame;
    bucket = bucketAfter(bucket);
  }
  return oldestSame;
}

/** Takes slots in a row for a document, and returns the number of the first. */
function take(count: u32): u64 {
  let next = register(ADDED);
  if (maxSlots > 1) {
    const document = register(DOCUMENTS) + 1;
    setRegister(DOCUMENTS, document);
    for (; slotOf(next) + count > slots; next++) store<u32>(startAt(next), 0);
    store<u32>(startAt(next), <u32>document);
    for (let i: u32 = 1; i < count; i++) store<u32>(startAt(next + i), 0);
  }
  setRegister(ADDED, next + count);
  return next;
}

/** Adds the document. */
export function sketchesAdd(elements: u32, sketch: u32): void {
  const first = take(sketchSlots(sketch));
  memory.copy(sketchAt(first), sketch, <u32>(register(ADDED) - first) * slotBytes);
  const number = <u32>first & ((1 << numberBits) - 1);
  for (let band: u32 = 0; band < bands; band++) {
    const element = load<u64>(elements + (band << 3));
    const fingerprint = fingerprintOf(element);
    store<u32>(victimOf(element, fingerprint), (fingerprint << numberBits) | number);
  }
}

/** Counts a document that was observed. */
export function sketchesCount(isDuplicate: u32): void {
  setRegister(OBSERVED_REGISTER, register(OBSERVED_REGISTER) + 1);
  setRegister(DUPLICATES_REGISTER, register(DUPLICATES_REGISTER) + <u64>isDuplicate);
}

/** Fraction of the entries that point to a document in the ring. */
export function sketchesLoad(): f64 {
  let used: u32 = 0;
  for (let at = table; at < ring; at += SKETCHES_ENTRY_BYTES) used += u32(ageOf(load<u32>(at)) > 0);
  return <f64>used / <f64>((ring - table) / SKETCHES_ENTRY_BYTES);
}

/** Tells if the counts of a loaded snapshot are possible: a document is added at most once, and passes over fewer slots than it may have. */
export function sketchesCheck(): u32 {
  const observed = register(OBSERVED_REGISTER);
  return u32(
    register(ADDED) <= observed * <u64>(2 * maxSlots - 1) &&
      register(DOCUMENTS) <= observed &&
      register(DUPLICATES_REGISTER) <= observed,
  );
}
