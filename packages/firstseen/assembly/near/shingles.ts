// Converts the bytes of a document to the hashes of its shingles: runs of a given number of consecutive words, tokens
// or characters. The hashes come in blocks of bounded length, so that a long document needs no more memory than its
// copy.
//
// The work region, whose address the host gives, contains the hashes of shingles, then the hashes of words and their
// weights, then a copy of the document in which letters are folded and separators are blanks.

import { textEndFrom } from '../lib/boundary';
import { CHARACTER_TABLE_BYTES, placeCharacterTable } from '../lib/characters';
import {
  COPY_GROWTH,
  copyCharacters,
  copyWords,
  FOLD_ASCII,
  FOLD_NONE,
  FOLD_SIMPLE,
  hasLoneLetters,
  LONE,
} from '../lib/copiedwords';
import { BLANK, LANES } from '../lib/lanes';
import { GOLDEN, mix64, streamKey } from '../lib/random';
import { seededHash } from '../lib/seededhash';

/** Bytes after a document, a signature or a table that the kernel may read and write. */
export const NEAR_SPARE_BYTES: u32 = 64;

export const SHINGLE_WORDS: u32 = 0;
export const SHINGLE_CHARACTERS: u32 = 1;
export const SHINGLE_TOKENS: u32 = 2;
/** Words, or more letters of scripts without blanks. */
export const SHINGLE_AUTO: u32 = 3;

/** No letter is converted to lowercase. */
export const SHINGLE_FOLD_NONE: u32 = FOLD_NONE;
/** ASCII letters are. */
export const SHINGLE_FOLD_ASCII: u32 = FOLD_ASCII;
/** All letters are, by simple case folding. */
export const SHINGLE_FOLD_SIMPLE: u32 = FOLD_SIMPLE;

/** Maximum number of words, tokens or characters of a shingle. */
export const SHINGLE_MAX_LENGTH: u32 = 256;
/** Maximum number of shingle hashes in a block. */
export const SHINGLE_BLOCK: u32 = 2048;

/** With SHINGLE_AUTO, the weight of a word, and of a letter of a script without blanks. Six letters weigh as much as five words. */
export const SHINGLE_WORD_WEIGHT: u32 = 6;
export const SHINGLE_LETTER_WEIGHT: u32 = 5;

const WORDS_CAPACITY: u32 = SHINGLE_BLOCK + SHINGLE_MAX_LENGTH;
const WEIGHTS_OFFSET: u32 = (SHINGLE_BLOCK + WORDS_CAPACITY) * 8;
/** Offset of the document's copy in the work region. */
export const SHINGLE_COPY_OFFSET: u32 = WEIGHTS_OFFSET + WORDS_CAPACITY;
/** A copy has at most this many bytes for each byte of the document. */
export const SHINGLE_COPY_GROWTH: u32 = COPY_GROWTH;
/** Bytes of the properties of characters. */
export const SHINGLE_TABLE_BYTES: u32 = CHARACTER_TABLE_BYTES;

const SHINGLE_STREAM: u64 = 0xa4093822299f31d0;

/** Maximum number of words in a vector of sixteen bytes, with a blank after each. */
const MAX_WORDS_OF_VECTOR: u32 = 8;

let unit: u32 = 0;
let shingleLength: u32 = 0;
let folding: u32 = 0;
/** True if a document can consist of several texts. No shingle crosses the boundary between two of them. */
let hasBoundaries: bool = false;
let hashes: u32 = 0;
let words: u32 = 0;
/** A byte for each word; only with SHINGLE_AUTO, and if the document has letters of scripts without blanks. */
let weights: u32 = 0;
let copy: u32 = 0;
let wordSeed: u64 = 0;
let shingleSeed: u64 = 0;

/** The current document ends here. */
let documentEnd: u32 = 0;
/** The current text of the document, and how far its copy has been read. */
let textStart: u32 = 0;
let textEnd: u32 = 0;
let position: u32 = 0;
let copyEnd: u32 = 0;
/** The start of the current word, or the end of the last shingle of characters. */
let pending: u32 = 0;
let wordCount: u32 = 0;
let hasShingle: bool = false;
/** True if the current text has nothing but blanks; after the last text, if the whole document has. */
let isBlank: bool = false;
/** Shingles of the current document so far. */
let shingleCount: u32 = 0;
/** True if words of the current text can end with LONE. */
let hasLone: bool = false;

/**
 * Must be called after the detector's parameters are set, whose seed it uses, and before the first document. Threads of one memory may
 * give the same `properties`, where the properties of characters are placed.
 */
export function shinglesConfigure(
  unitOfShingle: u32,
  length: u32,
  folds: u32,
  properties: u32,
  work: u32,
  boundaries: u32,
): void {
  unit = unitOfShingle;
  shingleLength = length;
  folding = folds;
  hasBoundaries = boundaries != 0;
  hashes = work;
  words = work + SHINGLE_BLOCK * 8;
  weights = work + WEIGHTS_OFFSET;
  copy = work + SHINGLE_COPY_OFFSET;
  placeCharacterTable(properties);
  const key = streamKey(SHINGLE_STREAM);
  wordSeed = mix64(key + GOLDEN);
  shingleSeed = mix64(key + 2 * GOLDEN);
}

/** Copies the text, and returns the end of the copy. */
function copied(): u32 {
  if (unit == SHINGLE_CHARACTERS) return copyCharacters(textStart, textEnd, copy, folding);
  return copyWords(textStart, textEnd, copy, unit == SHINGLE_TOKENS, folding);
}

/** Begins the text of the document at `start`. */
function beginText(start: u32): void {
  textStart = start;
  textEnd = hasBoundaries ? textEndFrom(start, documentEnd) : documentEnd;
  copyEnd = copied();
  isBlank = unit == SHINGLE_CHARACTERS && copyEnd == copy;
  hasLone = hasLoneLetters();
  // The last word ends here.
  if (unit != SHINGLE_CHARACTERS) v128.store(copyEnd, i8x16.splat(<i8>BLANK));
  position = copy;
  pending = copy;
  wordCount = 0;
  hasShingle = false;
}

/** Begins the document in [start, end). Up to 15 bytes after it may be read. */
export function beginShingles(start: u32, end: u32): void {
  documentEnd = end;
  shingleCount = 0;
  beginText(start);
}

/** Appends the hashes of the words that end in the next vectors, as many as fit. */
function readWords(): void {
  const blanks = i8x16.splat(<i8>BLANK);
  const others = i8x16.splat(<i8>(hasLone ? LONE : BLANK));
  while (position <= copyEnd && wordCount + MAX_WORDS_OF_VECTOR <= WORDS_CAPACITY) {
    const bytes = v128.load(position);
    let mask = i8x16.bitmask(v128.or(i8x16.eq(bytes, blanks), i8x16.eq(bytes, others)));
    while (mask) {
      const blank = position + <u32>ctz(mask);
      if (blank > copyEnd) break;
      if (blank > pending) {
        if (hasLone) {
          const weight = <u32>load<u8>(blank) == LONE ? SHINGLE_LETTER_WEIGHT : SHINGLE_WORD_WEIGHT;
          store<u8>(weights + wordCount, <u8>weight);
        }
        store<u64>(words + (wordCount++ << 3), seededHash(pending, blank - pending, wordSeed));
      }
      pending = blank + 1;
      mask &= mask - 1;
    }
    position += LANES;
  }
}

/** Moves the words from `first` on to the front. */
function keepWords(first: u32): void {
  wordCount -= first;
  memory.copy(words, words + (first << 3), wordCount << 3);
  if (hasLone) memory.copy(weights, weights + first, wordCount);
}

/** A text without words has one, all of its signs. A blank one has none. */
function takeSigns(): void {
  const end = copyCharacters(textStart, textEnd, copy, folding);
  if (end > copy) store<u64>(words + (wordCount++ << 3), seededHash(copy, end - copy, wordSeed));
  else isBlank = true;
}

/** A text shorter than a shingle is one shingle. Returns the number of shingles. */
function wholeShingle(): u32 {
  if (hasShingle) return 0;
  if (wordCount == 0) takeSigns();
  store<u64>(hashes, seededHash(words, wordCount << 3, shingleSeed));
  return 1;
}

/** The hash of a shingle is the hash of its words' hashes. */
function wordShingles(): u32 {
  readWords();
  if (wordCount < shingleLength) return wholeShingle();
  const bytes = shingleLength << 3;
  let count: u32 = 0;
  for (; count + shingleLength <= wordCount && count < SHINGLE_BLOCK; count++) {
    store<u64>(hashes + (count << 3), seededHash(words + (count << 3), bytes, shingleSeed));
  }
  keepWords(count);
  return count;
}

/** As `wordShingles`, with as many words in a shingle as have the weight together. */
function weightedShingles(): u32 {
  readWords();
  const least = shingleLength * SHINGLE_WORD_WEIGHT;
  let count: u32 = 0;
  let end: u32 = 0;
  let weight: u32 = 0;
  for (; count < SHINGLE_BLOCK; count++) {
    while (weight < least && end < wordCount) weight += <u32>load<u8>(weights + end++);
    if (weight < least) break;
    store<u64>(hashes + (count << 3), seededHash(words + (count << 3), (end - count) << 3, shingleSeed));
    weight -= <u32>load<u8>(weights + count);
  }
  if (count == 0) return wholeShingle();
  keepWords(count);
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

/** Hashes the next shingles of the current text; returns their number, 0 past the last one. */
function nextOfText(): u32 {
  let count: u32 = 0;
  if (unit == SHINGLE_CHARACTERS) count = characterShingles();
  else if (unit == SHINGLE_AUTO && hasLone) count = weightedShingles();
  else count = wordShingles();
  hasShingle = true;
  return count;
}

/** As `nextOfText` in the next text that is not blank, if the current one is blank or past its last shingle. */
function nextOfTexts(count: u32): u32 {
  let found = count;
  while ((found == 0 || isBlank) && textEnd < documentEnd) {
    beginText(textEnd + 1);
    found = nextOfText();
  }
  if (found == 0 || !isBlank || shingleCount == 0) return found;
  isBlank = false;
  return 0;
}

/** Hashes the next shingles of the document; returns how many there are at `shingleHashes`, 0 past the last one. */
export function nextShingles(): u32 {
  const count = hasBoundaries ? nextOfTexts(nextOfText()) : nextOfText();
  shingleCount += count;
  return count;
}

/**
 * The number of shingles of the document that was read last; 0 if it has nothing but blanks. All blank documents have one shingle in
 * common, so they are equal.
 */
export function documentShingles(): u32 {
  return isBlank ? 0 : shingleCount;
}

/** The address of the hashes of a block, one u64 per shingle. */
export function shingleHashes(): u32 {
  return hashes;
}
