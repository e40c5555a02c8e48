// Converts the bytes of a document to the hashes of its shingles: runs of a given number of consecutive words, tokens
// or characters. The hashes come in blocks of bounded length, so that a long document needs no more memory than its
// copy.
//
// The work region, whose address the host gives, contains the hashes of shingles, then the hashes of words, then a copy
// of the document in which letters are folded and separators are blanks.

import { GOLDEN, mix64, streamKey } from '../lib/random';
import { seededHash } from '../lib/seededhash';

/** Bytes after a document, a signature or a table that the kernel may read and write. */
export const NEAR_SPARE_BYTES: u32 = 64;

export const SHINGLE_WORDS: u32 = 0;
export const SHINGLE_CHARACTERS: u32 = 1;
export const SHINGLE_TOKENS: u32 = 2;

/** Maximum number of words, tokens or characters of a shingle. */
export const SHINGLE_MOST_LENGTH: u32 = 256;
/** Maximum number of shingle hashes in a block. */
export const SHINGLE_BLOCK: u32 = 2048;

const WORDS_CAPACITY: u32 = SHINGLE_BLOCK + SHINGLE_MOST_LENGTH;
/** Offset of the document's copy in the work region. */
export const SHINGLE_COPY_OFFSET: u32 = (SHINGLE_BLOCK + WORDS_CAPACITY) * 8;

const SHINGLE_STREAM: u64 = 0xa4093822299f31d0;

const BLANK: u32 = 0x20;
const LANES: u32 = 16;
/** Maximum number of words in a vector of sixteen bytes, with a blank after each. */
const MOST_WORDS_OF_VECTOR: u32 = 8;

let unit: u32 = 0;
let shingleLength: u32 = 0;
let isFolded: bool = false;
let hashes: u32 = 0;
let words: u32 = 0;
let copy: u32 = 0;
let wordSeed: u64 = 0;
let shingleSeed: u64 = 0;

/** How far the current document has been read. */
let position: u32 = 0;
let copyEnd: u32 = 0;
/** Where the current word begins, or where the last shingle of characters ends. */
let pending: u32 = 0;
let wordCount: u32 = 0;
let hasShingle: bool = false;

/** Must be called after the detector's parameters are set, whose seed it uses, and before the first document. */
export function shinglesConfigure(unitOfShingle: u32, length: u32, folds: u32, work: u32): void {
  unit = unitOfShingle;
  shingleLength = length;
  isFolded = folds != 0;
  hashes = work;
  words = work + SHINGLE_BLOCK * 8;
  copy = work + SHINGLE_COPY_OFFSET;
  const key = streamKey(SHINGLE_STREAM);
  wordSeed = mix64(key + GOLDEN);
  shingleSeed = mix64(key + 2 * GOLDEN);
}

/** 255 in each lane that lies in [first, first + count). */
function lanesFrom(bytes: v128, first: u32, count: u32): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(<i8>first)), i8x16.splat(<i8>count));
}

/** Converts ASCII letters to lowercase if the settings ask for it. */
function folded(bytes: v128): v128 {
  if (!isFolded) return bytes;
  return v128.or(bytes, v128.and(lanesFrom(bytes, 0x41, 26), i8x16.splat(0x20)));
}

/** Bytes of words: ASCII letters and digits, and all bytes beyond ASCII. */
function wordLanes(bytes: v128): v128 {
  const letters = lanesFrom(v128.or(bytes, i8x16.splat(0x20)), 0x61, 26);
  const beyond = i8x16.lt_s(bytes, i8x16.splat(0));
  return v128.or(v128.or(letters, beyond), lanesFrom(bytes, 0x30, 10));
}

function blankLanes(bytes: v128): v128 {
  return v128.or(i8x16.eq(bytes, i8x16.splat(<i8>BLANK)), lanesFrom(bytes, 0x09, 5));
}

/**
 * Bytes of tokens: all except blanks, commas and square brackets, so that a JSON array of numbers is a list of tokens.
 */
function tokenLanes(bytes: v128): v128 {
  const marks = v128.or(i8x16.eq(bytes, i8x16.splat(0x5b)), i8x16.eq(bytes, i8x16.splat(0x5d)));
  return v128.not(v128.or(v128.or(marks, i8x16.eq(bytes, i8x16.splat(0x2c))), blankLanes(bytes)));
}

/** Copies the document with blanks in place of all bytes that belong to no word, followed by a vector of blanks. */
function copyWords(start: u32, end: u32): void {
  const blanks = i8x16.splat(<i8>BLANK);
  const shift = copy - start;
  for (let at = start; at < end; at += LANES) {
    const bytes = v128.load(at);
    const kept = unit == SHINGLE_WORDS ? wordLanes(bytes) : tokenLanes(bytes);
    v128.store(at + shift, v128.bitselect(folded(bytes), blanks, kept));
  }
  copyEnd = end + shift;
  v128.store(copyEnd, blanks);
}

function isBlankByte(byte: u32): bool {
  return byte == BLANK || byte - 0x09 < 5;
}

/** Copies the document with every run of blanks reduced to one, and none at either end. */
function copyCharacters(start: u32, end: u32): void {
  let written = copy;
  let isOwed = false;
  for (let at = start; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (isBlankByte(byte)) {
      isOwed = written > copy;
      continue;
    }
    if (isOwed) store<u8>(written++, BLANK);
    isOwed = false;
    store<u8>(written++, isFolded && byte - 0x41 < 26 ? byte | 0x20 : byte);
  }
  copyEnd = written;
}

/** Begins the document in [start, end). Up to 15 bytes after it may be read. */
export function beginShingles(start: u32, end: u32): void {
  if (unit == SHINGLE_CHARACTERS) copyCharacters(start, end);
  else copyWords(start, end);
  position = copy;
  pending = copy;
  wordCount = 0;
  hasShingle = false;
}

/** Appends the hashes of the words that end in the next vectors, as many as fit. */
function readWords(): void {
  const blanks = i8x16.splat(<i8>BLANK);
  while (position <= copyEnd && wordCount + MOST_WORDS_OF_VECTOR <= WORDS_CAPACITY) {
    let mask = i8x16.bitmask(i8x16.eq(v128.load(position), blanks));
    while (mask) {
      const blank = position + <u32>ctz(mask);
      if (blank > copyEnd) break;
      if (blank > pending) store<u64>(words + (wordCount++ << 3), seededHash(pending, blank - pending, wordSeed));
      pending = blank + 1;
      mask &= mask - 1;
    }
    position += LANES;
  }
}

/** The hash of a shingle is the hash of its words' hashes. */
function wordShingles(): u32 {
  readWords();
  let count: u32 = 0;
  // A document shorter than a shingle is one shingle.
  if (wordCount < shingleLength) {
    if (hasShingle) return 0;
    store<u64>(hashes, seededHash(words, wordCount << 3, shingleSeed));
    count = 1;
  }
  const bytes = shingleLength << 3;
  let at = words;
  for (; at + bytes <= words + (wordCount << 3) && count < SHINGLE_BLOCK; at += 8, count++) {
    store<u64>(hashes + (count << 3), seededHash(at, bytes, shingleSeed));
  }
  wordCount -= (at - words) >> 3;
  memory.copy(words, at, wordCount << 3);
  return count;
}

/** One past the character at `at`: a byte and the continuation bytes of UTF-8 that follow it. */
function characterEnd(at: u32): u32 {
  let end = at + 1;
  while (end < copyEnd && (load<u8>(end) & 0xc0) == 0x80) end++;
  return end;
}

function characterShingles(): u32 {
  let count: u32 = 0;
  if (!hasShingle) {
    for (let i: u32 = 0; i < shingleLength && pending < copyEnd; i++) pending = characterEnd(pending);
    store<u64>(hashes, seededHash(position, pending - position, shingleSeed));
    count = 1;
  }
  for (; pending < copyEnd && count < SHINGLE_BLOCK; count++) {
    position = characterEnd(position);
    pending = characterEnd(pending);
    store<u64>(hashes + (count << 3), seededHash(position, pending - position, shingleSeed));
  }
  return count;
}

/** Hashes the next shingles of the document; returns how many there are at `shingleHashes`, 0 past the last one. */
export function nextShingles(): u32 {
  const count = unit == SHINGLE_CHARACTERS ? characterShingles() : wordShingles();
  hasShingle = true;
  return count;
}

/** The address of the hashes of a block, one u64 per shingle. */
export function shingleHashes(): u32 {
  return hashes;
}
