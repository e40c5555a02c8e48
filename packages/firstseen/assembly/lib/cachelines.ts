// The blocked layout: each element uses a single cache line of 64 bytes, so all that it reads and clears costs
// one cache miss.

import { cellsBytes, cellsOffset, PARTITION_BITS_PARAMETER, PARTITION_PARAMETER, parameter } from './memory';
import { addressHash, draw, GOLDEN, mix64, reduce } from './random';

export const CACHE_LINE_BYTES: u32 = 64;
export const CACHE_LINE_BITS: u32 = 512;
export const CACHE_LINE_WORDS: u32 = 8;

/** The address that the first cache line of the first partition has or would have. */
let firstCacheLine: u32 = 0;
/** Cache lines of all partitions. */
let cacheLineCount: u32 = 0;

/**
 * Divides the detector's cells into cache lines; returns how many there are. The cells of a partition are a contiguous range
 * of the cache lines of all partitions, so addresses may wrap around before the range is reached.
 */
export function configureCacheLines(): u32 {
  const cacheLines = cellsBytes() / CACHE_LINE_BYTES;
  firstCacheLine = cellsOffset() - <u32>parameter(PARTITION_PARAMETER) * cacheLines * CACHE_LINE_BYTES;
  cacheLineCount = cacheLines << (<u32>parameter(PARTITION_BITS_PARAMETER));
  return cacheLines;
}

/** The hash that determines an element's cache line and its bits in the cache line; a bijection of the fingerprint. */
export function cacheLineAnchor(fingerprint: u64): u64 {
  return addressHash(fingerprint, 0);
}

export function homeCacheLine(anchor: u64): u32 {
  return firstCacheLine + reduce(anchor, cacheLineCount) * CACHE_LINE_BYTES;
}

/**
 * A second hash of an element. The cache line is determined by the upper bits of the anchor, so they are first folded onto
 * the lower ones.
 */
export function foldedHash(anchor: u64): u64 {
  return (anchor ^ (anchor >> 32)) * GOLDEN;
}

// A position in a cache line takes 16 bits, so one hash or draw of 64 bits provides four. In this layout an element lists its
// cache line and then such words, hashes before draws. The positions are computed from the words when they are needed, which
// costs less than to store and load them.

const LISTED_CACHE_LINE_BYTES: u32 = 8;
const NUMBERS_PER_WORD: u32 = 4;

function wordsOf(numbers: u32): u32 {
  return (numbers + NUMBERS_PER_WORD - 1) / NUMBERS_PER_WORD;
}

/** Bytes of the list of an element with the given numbers of 16-bit hashes and draws. */
export function cacheLineListBytes(hashes: u32, draws: u32): u32 {
  return LISTED_CACHE_LINE_BYTES + ((wordsOf(hashes) + wordsOf(draws)) << 3);
}

/** Lists an element's cache line and `hashes` numbers of 16 bits, which determine its positions in the cache line. */
export function listInCacheLine(fingerprint: u64, hashes: u32, at: u32): void {
  const anchor = cacheLineAnchor(fingerprint);
  store<u64>(at, homeCacheLine(anchor));
  store<u64>(at, foldedHash(anchor), LISTED_CACHE_LINE_BYTES);
  if (hashes <= NUMBERS_PER_WORD) return;
  store<u64>(at, mix64(anchor + GOLDEN), LISTED_CACHE_LINE_BYTES + 8);
  if (hashes <= 2 * NUMBERS_PER_WORD) return;
  for (let word: u32 = 2; word < wordsOf(hashes); word++) {
    store<u64>(at + (word << 3), mix64(anchor + <u64>word * GOLDEN), LISTED_CACHE_LINE_BYTES);
  }
}

/** Appends `draws` random numbers of 16 bits to the list, after the hashes. */
export function listCacheLineDraws(index: u64, hashes: u32, draws: u32, at: u32): void {
  const from = at + (wordsOf(hashes) << 3);
  store<u64>(from, draw(index, 0), LISTED_CACHE_LINE_BYTES);
  if (draws <= NUMBERS_PER_WORD) return;
  for (let word: u32 = 1; word < wordsOf(draws); word++) {
    store<u64>(from + (word << 3), draw(index, word), LISTED_CACHE_LINE_BYTES);
  }
}

export function listedCacheLine(at: u32): u32 {
  return load<u32>(at);
}

/** The 16-bit hash number `i` of a listed element. */
export function listedHash(at: u32, i: u32): u32 {
  return load<u16>(at + (i << 1), LISTED_CACHE_LINE_BYTES);
}

/** The 16-bit draw number `i` of a listed element with `hashes` hashes. */
export function listedDraw(at: u32, hashes: u32, i: u32): u32 {
  return load<u16>(at + (wordsOf(hashes) << 3) + (i << 1), LISTED_CACHE_LINE_BYTES);
}
