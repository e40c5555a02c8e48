// The watch list of the witness: a small table of elements that the detector often misses. An element enters when it is
// reported distinct at a sampled position. From then on it is known to have occurred, so each time it is reported
// distinct again is a false negative for certain, whether or not the element is in the slice. This is sample and hold
// (Estan and Varghese 2003). Without it, one element with many misses outside the slice is invisible.
//
// One block of elements in four is looked at, at random. Which elements are in the list depends on the seed and on the
// verdicts up to the index in the stream alone: not on the slice, and not on how the stream is cut.

import { GOLDEN, mix64 } from './random';

/** Of each stratum of 256 elements, one random block of 64 is looked at. */
const STRATUM_SHIFT: u64 = 8;
const BLOCK_ELEMENTS: u64 = 64;
/** Each miss that is counted represents this many. */
export const WATCH_WEIGHT: u32 = 4;

/** At one position of a block in four, an element may enter. So a new entry stays long enough to be found again. */
const ENTRY_SHIFT: u64 = 2;
const ENTRY_MASK: u64 = (1 << ENTRY_SHIFT) - 1;
/** The number of times that an element is reported distinct, on average, until it enters. */
export const WATCH_ENTRY_WEIGHT: u32 = WATCH_WEIGHT << (<u32>ENTRY_SHIFT);

/** A set of two ways. A way is the lower 56 bits of an element's hash above 8 bits of credit; credit 0 marks an empty way. */
const SET_SHIFT: u32 = 4;
const WAY_BYTES: u32 = 8;
const CREDIT_BITS: u64 = 8;
const CREDIT_MASK: u64 = (1 << CREDIT_BITS) - 1;
/** A new element takes one credit from a way of its set, and the way itself if that was the last one. */
const ENTRY_CREDIT: u64 = 1;
const HIT_CREDIT: u64 = 8;

/** Counts of misses of watched elements, and of elements that were found for the first time since they entered. */
let counts: u32 = 0;
const FOUND: u32 = 8;
let table: u32 = 0;
/** The upper bits of a hash, after this shift, are the number of its set. */
let setShift: u64 = 0;
let watchKey: u64 = 0;
let watchFactor: u64 = 0;

/** The batch: its fingerprints and verdicts, and the index in the stream of its first element. */
let fingerprints: u32 = 0;
let verdicts: u32 = 0;
let first: u64 = 0;
/** The index in the stream of the next element, and the block that is looked at next: its start and its random bits. */
let next: u64 = 0;
let block: u64 = 0;
let blockBits: u64 = 0;

/** Bytes of the table in a witness of `bytes` bytes: a power of two, at most one part of 32. */
export function watchTableBytes(bytes: u32): u32 {
  return (<u32>1) << (26 - clz(bytes));
}

/** Assigns the addresses of the two counts and of the table, and a key that differs from that of the slice. */
export function configureWatch(countsOffset: u32, tableOffset: u32, tableBytes: u32, key: u64): void {
  counts = countsOffset;
  table = tableOffset;
  setShift = 64 - <u64>ctz(tableBytes >> SET_SHIFT);
  watchKey = key;
  watchFactor = mix64(key + GOLDEN) | 1;
}

function enterStratum(stratum: u64): void {
  blockBits = mix64(watchKey ^ (stratum * GOLDEN));
  block = (stratum << STRATUM_SHIFT) + (blockBits & (WATCH_WEIGHT - 1)) * BLOCK_ELEMENTS;
}

/** Starts with a batch. The verdicts are bytes, 0 or 1. */
export function startWatch(batchFingerprints: u32, batchVerdicts: u32, firstIndex: u64): void {
  fingerprints = batchFingerprints;
  verdicts = batchVerdicts;
  first = firstIndex;
  next = firstIndex;
  enterStratum(firstIndex >> STRATUM_SHIFT);
}

function watchHash(fingerprint: u64): u64 {
  return (fingerprint ^ watchKey) * watchFactor;
}

function setOf(hash: u64): u32 {
  return table + ((<u32>(hash >> setShift)) << SET_SHIFT);
}

/** Tells if a way is that of the hash or, if the hash is small, an empty one. */
function isWayOf(way: u64, hash: u64): bool {
  return (way ^ (hash << CREDIT_BITS)) <= CREDIT_MASK;
}

/** The address of the way that holds the hash, or 0. */
function findWay(set: u32, hash: u64): u32 {
  for (let at = set; at < set + (1 << SET_SHIFT); at += WAY_BYTES) {
    const way = load<u64>(at);
    if (isWayOf(way, hash) && (way & CREDIT_MASK) != 0) return at;
  }
  return 0;
}

/** Tells if the element is in the list. */
export function isWatched(fingerprint: u64): bool {
  const hash = watchHash(fingerprint);
  return findWay(setOf(hash), hash) != 0;
}

/** Counts a miss of the element in the way at an address. */
function countMiss(at: u32): void {
  const way = load<u64>(at);
  const credit = way & CREDIT_MASK;
  store<u64>(counts, load<u64>(counts) + 1);
  store<u64>(counts, load<u64>(counts, FOUND) + u64(credit == ENTRY_CREDIT), FOUND);
  store<u64>(at, way + min(HIT_CREDIT, CREDIT_MASK - credit));
}

/**
 * Looks at an element that was reported distinct, at a position of the block. It may enter a way of its set, chosen by a
 * random bit. Whether it may cannot be predicted, so nothing branches on it.
 */
function look(fingerprint: u64, position: u64): void {
  const hash = watchHash(fingerprint);
  const set = setOf(hash);
  if (i32(isWayOf(load<u64>(set), hash)) | i32(isWayOf(load<u64>(set, WAY_BYTES), hash))) {
    const found = findWay(set, hash);
    if (found != 0) {
      countMiss(found);
      return;
    }
  }
  const at = set + <u32>((blockBits >> (16 + (position >> ENTRY_SHIFT))) & 1) * WAY_BYTES;
  const way = load<u64>(at);
  const entered = select<u64>(way - 1, (hash << CREDIT_BITS) | ENTRY_CREDIT, (way & CREDIT_MASK) > ENTRY_CREDIT);
  const mayEnter = ((position + (blockBits >> 8)) & ENTRY_MASK) == 0;
  store<u64>(at, select<u64>(entered, way, mayEnter));
}

/** A bit for each of up to 64 elements: whether it was reported distinct. */
function distinctBits(from: u32, count: u32): u64 {
  let bits: u64 = 0;
  let done: u32 = 0;
  for (; done + 8 <= count; done += 8) {
    // The product moves the lowest bit of each byte into the highest byte, in order.
    const packed = ((load<u64>(verdicts + from + done) ^ 0x0101010101010101) * 0x0102040810204080) >> 56;
    bits |= packed << (<u64>done);
  }
  for (; done < count; done++) bits |= (<u64>(load<u8>(verdicts + from + done) ^ 1)) << (<u64>done);
  return bits;
}

/** Looks at the elements of the block from index `from` of the stream up to `until`. */
function lookAtBlock(from: u64, until: u64): void {
  const batchIndex = <u32>(from - first);
  let bits = distinctBits(batchIndex, <u32>(until - from));
  while (bits != 0) {
    const i = ctz(bits);
    look(load<u64>(fingerprints + ((batchIndex + <u32>i) << 3)), from + i - block);
    bits &= bits - 1;
  }
}

/** Looks at the sampled elements of the batch before the index `end` of the stream. Calls must have ascending ends. */
export function watchUpTo(end: u64): void {
  while (true) {
    const from = max(next, block);
    const until = min(end, block + BLOCK_ELEMENTS);
    if (from < until) lookAtBlock(from, until);
    if (end < block + BLOCK_ELEMENTS) break;
    enterStratum((block >> STRATUM_SHIFT) + 1);
  }
  next = max(next, end);
}
