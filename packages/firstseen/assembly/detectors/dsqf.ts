// Dynamic Streaming Quotient Filter (dutta-2013, section 5.1): a row is a chain of buckets from a shared pool. When the
// pool is exhausted, a random bucket of the least recently accessed row is reused.
//
// The cells hold the rows, followed by the pool. A row is three 32-bit links: to its first bucket, and to the rows
// accessed just before and just after it among the rows that have buckets. A bucket is a signature of whole bytes, then
// the link to the next bucket. Links count from 1; 0 is none. The order of the rows replaces the times of their last
// access.

import { LOCATION_BYTES, listLocation, locationWord, observeBatch, Rule, testBatch } from '../lib/batch';
import {
  cellsBytes,
  cellsOffset,
  FAMILY_REGISTER,
  parameter,
  register,
  setRegister,
  WORKSPACE_OFFSET,
} from '../lib/memory';
import { draw, reduce } from '../lib/random';
import {
  configureSignatures,
  quotientOf,
  SIGNATURE_FAMILY_PARAMETER,
  signatureBits,
  signatureOf,
  takenBits,
} from '../lib/signatures';

/** Slots of the parameters. */
export const DSQF_ROWS_PARAMETER: u32 = SIGNATURE_FAMILY_PARAMETER;
export const DSQF_BUCKETS_PARAMETER: u32 = SIGNATURE_FAMILY_PARAMETER + 1;

/** Registers: buckets taken from the pool so far, and the rows at both ends of the order of access. */
const USED: u32 = FAMILY_REGISTER;
const OLDEST: u32 = FAMILY_REGISTER + 1;
const NEWEST: u32 = FAMILY_REGISTER + 2;

/** Bytes of a row, and the offsets of its links to the rows accessed before and after it. */
export const DSQF_ROW_BYTES: u32 = 12;
const OLDER: usize = 4;
const NEWER: usize = 8;

/**
 * A signature that no bucket contains, as signatures have less than 32 bits. A search for it stops only at the end of
 * the chain.
 */
const NO_SIGNATURE: u32 = 0xffffffff;

/**
 * A bucket is read and written as the 64-bit word that ends where the bucket ends; the upper half of the word is the
 * link to the next bucket.
 */
export const DSQF_LINK_BYTES: u32 = 4;
const LINK: usize = DSQF_LINK_BYTES;
const WORD_BYTES: u32 = 8;

let rowCount: u32 = 0;
let bucketCount: u32 = 0;
let bucketBytes: u32 = 0;
/** The addresses that row 0 and the word of bucket 0 would have. */
let rowZero: u32 = 0;
let bucketZero: u32 = 0;
/** Bits of a bucket's word below its signature, which belong to the preceding bucket or row. */
let foreignBits: u32 = 0;

function rowAt(row: u32): u32 {
  return rowZero + row * DSQF_ROW_BYTES;
}

/** The address of a bucket's word. */
function bucketAt(bucket: u32): u32 {
  return bucketZero + bucket * bucketBytes;
}

function nextBucket(bucket: u32): u32 {
  return load<u32>(bucketAt(bucket), LINK);
}

function writeBucket(bucket: u32, signature: u32, next: u32): void {
  const at = bucketAt(bucket);
  const foreign = load<u32>(at) & ((1 << foreignBits) - 1);
  store<u32>(at, foreign | (signature << foreignBits));
  store<u32>(at, next, LINK);
}

function isInChain(first: u32, signature: u32): bool {
  for (let bucket = first; bucket != 0; bucket = nextBucket(bucket)) {
    if (load<u32>(bucketAt(bucket)) >> foreignBits == signature) return true;
  }
  return false;
}

/** Removes a row from the order of access. */
function unlinkRow(row: u32): void {
  const older = load<u32>(rowAt(row), OLDER);
  const newer = load<u32>(rowAt(row), NEWER);
  if (older != 0) store<u32>(rowAt(older), newer, NEWER);
  else setRegister(OLDEST, newer);
  if (newer != 0) store<u32>(rowAt(newer), older, OLDER);
  else setRegister(NEWEST, older);
}

/** Appends a row that is not in the order as the most recently accessed. */
function appendRow(row: u32): void {
  const newest = <u32>register(NEWEST);
  store<u32>(rowAt(row), newest, OLDER);
  store<u32>(rowAt(row), 0, NEWER);
  if (newest != 0) store<u32>(rowAt(newest), row, NEWER);
  else setRegister(OLDEST, row);
  setRegister(NEWEST, row);
}

/** Takes a random bucket from the least recently accessed row. */
function evict(index: u64): u32 {
  const row = <u32>register(OLDEST);
  let length: u32 = 0;
  for (let bucket = load<u32>(rowAt(row)); bucket != 0; bucket = nextBucket(bucket)) length++;
  let link = rowAt(row);
  for (let left = reduce(draw(index, 0), length); left > 0; left--) link = bucketAt(load<u32>(link)) + <u32>LINK;
  const bucket = load<u32>(link);
  store<u32>(link, nextBucket(bucket));
  noteChange(row);
  if (load<u32>(rowAt(row)) == 0) unlinkRow(row);
  return bucket;
}

/** Returns a bucket for a new signature. */
function takeBucket(index: u64): u32 {
  const used = <u32>register(USED);
  if (used == bucketCount) return evict(index);
  setRegister(USED, used + 1);
  return used + 1;
}

function rowOf(taken: u64): u32 {
  return <u32>quotientOf(taken) + 1;
}

/** Maximum number of elements whose chains are searched ahead, in parallel. */
const SEARCHED_ELEMENTS: u32 = 256;

/**
 * A search: row, signature, the word of the current bucket (whose upper half, the link, becomes the next bucket), and
 * whether the signature was found. There are as many searches for victims as for elements.
 */
const SEARCH_BYTES: u32 = 24;
const SIGNATURE: usize = 4;
const WORD: usize = 8;
const NEXT: usize = 12;
const FOUND: usize = 16;
const SEARCHES_OFFSET: u32 = WORKSPACE_OFFSET + 0x2000;
/** Addresses of the open searches. */
const OPEN_OFFSET: u32 = SEARCHES_OFFSET + 2 * SEARCHED_ELEMENTS * SEARCH_BYTES;
/** A set of rows whose chains have changed since they were searched, as hashed bits: several rows share a bit. */
const CHANGED_OFFSET: u32 = OPEN_OFFSET + 2 * SEARCHED_ELEMENTS * 4;
const CHANGED_BITS: u32 = 8192;

/** The search of the next element to list: elements are listed in the order of the searches. */
let nextSearch: u32 = 0;

function changedWord(row: u32): u32 {
  return CHANGED_OFFSET + (((row & (CHANGED_BITS - 1)) >> 5) << 2);
}

function noteChange(row: u32): void {
  store<u32>(changedWord(row), load<u32>(changedWord(row)) | (1 << (row & 31)));
}

function mayBeChanged(row: u32): bool {
  return ((load<u32>(changedWord(row)) >> (row & 31)) & 1) != 0;
}

/** Begins a search at `search`; returns the end of the open searches. */
function beginSearch(search: u32, row: u32, signature: u32, end: u32): u32 {
  const first = load<u32>(rowAt(row));
  store<u32>(search, row);
  store<u32>(search, signature, SIGNATURE);
  store<u32>(search, first, NEXT);
  store<u32>(search, 0, FOUND);
  store<u32>(end, search);
  return end + (u32(first != 0) << 2);
}

/**
 * Begins the searches of a block. Once the pool is exhausted, it also walks the rows that would lose their buckets if
 * every element of the block were new. The address of each such row depends on the row before; by walking them between
 * the independent searches, their cache misses overlap with the others and take no extra time. Returns the end of the
 * open searches.
 */
function beginSearches(fingerprints: u32, count: u32): u32 {
  let oldest = <u32>register(USED) == bucketCount ? <u32>register(OLDEST) : 0;
  let search = SEARCHES_OFFSET;
  let victim = SEARCHES_OFFSET + SEARCHED_ELEMENTS * SEARCH_BYTES;
  let end = OPEN_OFFSET;
  let owed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const taken = takenBits(load<u64>(fingerprints + (i << 3)));
    end = beginSearch(search, rowOf(taken), signatureOf(taken), end);
    search += SEARCH_BYTES;
    owed += rowCount;
    if (owed < bucketCount || oldest == 0) continue;
    owed -= bucketCount;
    end = beginSearch(victim, oldest, NO_SIGNATURE, end);
    victim += SEARCH_BYTES;
    oldest = load<u32>(rowAt(oldest), NEWER);
  }
  return end;
}

/** Advances each open search up to `end` by one bucket; returns the end of those that continue. */
function stepSearches(end: u32): u32 {
  for (let at = OPEN_OFFSET; at < end; at += 4) {
    const search = load<u32>(at);
    store<u64>(search, load<u64>(bucketAt(load<u32>(search, NEXT))), WORD);
  }
  // The loaded words are examined only after all loads are issued: a branch or an address that waits for one load would
  // delay the others.
  let left = OPEN_OFFSET;
  for (let at = OPEN_OFFSET; at < end; at += 4) {
    const search = load<u32>(at);
    const found = u32(load<u32>(search, WORD) >> foreignBits == load<u32>(search, SIGNATURE));
    store<u32>(search, found, FOUND);
    store<u32>(left, search);
    left += (u32(load<u32>(search, NEXT) != 0) & (found ^ 1)) << 2;
  }
  return left;
}

/**
 * Searches the chains of a block in parallel, one bucket of each at a time. Within a chain each cache miss waits for
 * the one before, but those of different chains overlap. A result is valid until its row changes.
 */
function searchAhead(fingerprints: u32, count: u32): void {
  memory.fill(CHANGED_OFFSET, 0, CHANGED_BITS >> 3);
  nextSearch = SEARCHES_OFFSET;
  let end = beginSearches(fingerprints, count);
  while (end > OPEN_OFFSET) end = stepSearches(end);
}

/**
 * A list is the locations of the row's two neighbours in the order of access, then the element's search. The neighbours
 * are only likely to be needed: rows move while earlier elements are processed.
 */
class DsqfRule extends Rule {
  listBytes(): u32 {
    return 3 * LOCATION_BYTES;
  }

  touchBytes(): u32 {
    return 2 * LOCATION_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const search = nextSearch;
    nextSearch += SEARCH_BYTES;
    const row = load<u32>(search);
    // A null link gives the address of row 0, just before the cells, which is safe to read.
    listLocation(at, rowAt(load<u32>(rowAt(row), OLDER)), 0);
    listLocation(at + LOCATION_BYTES, rowAt(load<u32>(rowAt(row), NEWER)), 0);
    listLocation(at + 2 * LOCATION_BYTES, search, 0);
  }

  listedSearch(at: u32): u32 {
    return locationWord(at + 2 * LOCATION_BYTES);
  }

  test(at: u32): u32 {
    return load<u32>(this.listedSearch(at), FOUND);
  }

  observe(at: u32, index: u64): u32 {
    const search = this.listedSearch(at);
    const row = load<u32>(search);
    const signature = load<u32>(search, SIGNATURE);
    const first = load<u32>(rowAt(row));
    // The access itself counts, so a row with buckets is the oldest at its own insertion only if it is the only one.
    if (first != 0 && <u32>register(NEWEST) != row) {
      unlinkRow(row);
      appendRow(row);
    }
    if (mayBeChanged(row) ? isInChain(first, signature) : load<u32>(search, FOUND) != 0) return 1;
    const bucket = takeBucket(index);
    const rest = load<u32>(rowAt(row));
    writeBucket(bucket, signature, rest);
    store<u32>(rowAt(row), bucket);
    noteChange(row);
    if (rest == 0) appendRow(row);
    return 0;
  }
}

export function dsqfConfigure(): void {
  configureSignatures();
  rowCount = <u32>parameter(DSQF_ROWS_PARAMETER);
  bucketCount = <u32>parameter(DSQF_BUCKETS_PARAMETER);
  bucketBytes = DSQF_LINK_BYTES + ((signatureBits + 7) >> 3);
  foreignBits = 8 * (WORD_BYTES - bucketBytes);
  rowZero = cellsOffset() - DSQF_ROW_BYTES;
  bucketZero = cellsOffset() + rowCount * DSQF_ROW_BYTES - WORD_BYTES;
}

export function dsqfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  for (let start: u32 = 0; start < count; start += SEARCHED_ELEMENTS) {
    const size = min(SEARCHED_ELEMENTS, count - start);
    searchAhead(fingerprints + (start << 3), size);
    observeBatch<DsqfRule>(fingerprints + (start << 3), verdicts + start, size);
  }
  return count;
}

export function dsqfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  for (let start: u32 = 0; start < count; start += SEARCHED_ELEMENTS) {
    const size = min(SEARCHED_ELEMENTS, count - start);
    searchAhead(fingerprints + (start << 3), size);
    testBatch<DsqfRule>(fingerprints + (start << 3), verdicts + start, size);
  }
}

/** Fraction of the pool's buckets in use. */
export function dsqfLoad(): f64 {
  return <f64>register(USED) / <f64>bucketCount;
}

/** The same: buckets are counted as they are taken. */
export function dsqfFullness(): f64 {
  return dsqfLoad();
}

/** Marks the link of a visited bucket; no pool is so large that a link needs this bit. */
const MET: u32 = 0x80000000;

/** Tells if each bucket in use is in exactly one chain, and no other bucket is in any. */
function areChainsWhole(): bool {
  const used = register(USED);
  let met: u64 = 0;
  for (let row: u32 = 1; row <= rowCount; row++) {
    for (let bucket = load<u32>(rowAt(row)); bucket != 0; met++) {
      if (bucket > used) return false;
      const next = nextBucket(bucket);
      if (next & MET) return false;
      store<u32>(bucketAt(bucket), next | MET, LINK);
      bucket = next;
    }
  }
  if (met != used) return false;
  for (let bucket: u32 = 1; bucket <= <u32>used; bucket++) {
    store<u32>(bucketAt(bucket), nextBucket(bucket) & ~MET, LINK);
  }
  return true;
}

/** Tells if the order of access links all rows with buckets, and no others, from the oldest to the newest and back. */
function isOrderWhole(): bool {
  if (register(OLDEST) > rowCount) return false;
  let newest: u32 = 0;
  let ordered: u32 = 0;
  for (let row = <u32>register(OLDEST); row != 0; row = load<u32>(rowAt(row), NEWER)) {
    if (row > rowCount || load<u32>(rowAt(row)) == 0 || load<u32>(rowAt(row), OLDER) != newest) return false;
    newest = row;
    ordered++;
  }
  return newest == register(NEWEST) && ordered == countRowsInUse();
}

function countRowsInUse(): u32 {
  let inUse: u32 = 0;
  for (let row: u32 = 1; row <= rowCount; row++) inUse += u32(load<u32>(rowAt(row)) != 0);
  return inUse;
}

/** Tells if all links between rows stay inside the table, including the outdated links of rows without buckets. */
function areRowLinksInside(): bool {
  for (let row: u32 = 1; row <= rowCount; row++) {
    if (max(load<u32>(rowAt(row), OLDER), load<u32>(rowAt(row), NEWER)) > rowCount) return false;
  }
  return true;
}

/** Tells if a loaded snapshot is valid. Only then do chains end and links stay inside the memory. */
export function dsqfCheck(): u32 {
  return u32(register(USED) <= bucketCount && areRowLinksInside() && areChainsWhole() && isOrderWhole());
}
