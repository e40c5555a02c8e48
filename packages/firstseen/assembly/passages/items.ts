// Finds the n-grams of test items in texts, whatever the case of letters, the signs and the blanks between words: a line end is a blank.
//
// A word is one of `nextWord` without its signs, and with its letters folded. A word that has only signs is left out. The table of
// n-grams has a slot for each: its hash, and its number, which is 0 in a free slot.

import { textEndFrom } from '../lib/boundary';
import { CHARACTER_TABLE_BYTES, placeCharacterTable } from '../lib/characters';
import { copyWords, FOLD_SIMPLE } from '../lib/copiedwords';
import { BLANK } from '../lib/lanes';
import { GOLDEN, mix64, streamKey } from '../lib/random';
import { seededHash } from '../lib/seededhash';
import { countCharacters, isBlank } from './characters';
import { nextWord, wordStart } from './words';

export const ITEM_SLOT_BYTES: u32 = 16;
const SLOT_NUMBER_FIELD: u32 = 8;

/** Bytes of an n-gram of a text: its hash, or the number of the same n-gram in the table, and its first byte and one past its last. */
export const ITEM_HIT_BYTES: u32 = 16;
export const ITEM_HIT_START_FIELD: u32 = 8;
export const ITEM_HIT_END_FIELD: u32 = 12;

/** Bytes of the table of characters. */
export const ITEM_CHARACTERS_BYTES: u32 = CHARACTER_TABLE_BYTES;

/** Words that are kept while a text is read: the hash of each, its first byte and one past its last. */
const WORDS_CAPACITY: u32 = 4096;
const SPANS_OFFSET: u32 = WORDS_CAPACITY * 8;
export const ITEM_WORDS_BYTES: u32 = WORDS_CAPACITY * 16;

const ITEM_STREAM: u64 = 0x3c6ef372fe94f82b;

let table: u32 = 0;
let mask: u32 = 0;
let words: u32 = 0;
let copy: u32 = 0;
let hits: u32 = 0;
let maxHits: u32 = 0;

/** The numbers of words of n-grams that are read. */
let lengths: u32 = 0;
let lengthCount: u32 = 0;
let maxWords: u32 = 0;
/** True if all n-grams are taken with their hashes, and not only those in the table. */
let takesAll: bool = false;

let wordSeed: u64 = 0;
let ngramSeed: u64 = 0;

let textStart: u32 = 0;
let textEnd: u32 = 0;
let position: u32 = 0;
/** True if a text can consist of several parts. No n-gram crosses the boundary between two of them. */
let hasBoundaries: bool = false;
/** The end of the current part. */
let partEnd: u32 = 0;
/** The words of the text so far, and those that are kept. */
let textWords: u32 = 0;
let wordCount: u32 = 0;

/**
 * Must be called after the parameters of the detector are set, whose seed it uses. The table has `slots`, a power of two, which are 0 at
 * first. `copyAt` has room for a copy of the longest text, and `hitsAt` for `most` n-grams of a text. With `boundaries`, no n-gram goes
 * beyond a boundary between texts.
 */
export function itemsConfigure(
  tableAt: u32,
  slots: u32,
  charactersAt: u32,
  wordsAt: u32,
  copyAt: u32,
  hitsAt: u32,
  most: u32,
  boundaries: u32,
): void {
  hasBoundaries = boundaries != 0;
  table = tableAt;
  mask = slots - 1;
  words = wordsAt;
  copy = copyAt;
  hits = hitsAt;
  maxHits = most;
  placeCharacterTable(charactersAt);
  const key = streamKey(ITEM_STREAM);
  wordSeed = mix64(key + GOLDEN);
  ngramSeed = mix64(key + 2 * GOLDEN);
}

/** Reads n-grams of `count` numbers of words, which are at `lengthsAt`, from the least on. With `all`, those that are not in the table too. */
export function itemsLengths(lengthsAt: u32, count: u32, all: u32): void {
  lengths = lengthsAt;
  lengthCount = count;
  maxWords = load<u32>(lengthsAt + ((count - 1) << 2));
  takesAll = all != 0;
}

/** The slot of an n-gram, or the free one in its place. */
function slotOf(hash: u64): u32 {
  let index = <u32>hash & mask;
  while (true) {
    const slot = table + index * ITEM_SLOT_BYTES;
    if (load<u32>(slot, SLOT_NUMBER_FIELD) == 0 || load<u64>(slot) == hash) return slot;
    index = (index + 1) & mask;
  }
}

/** Adds the n-gram whose hash is at `hashAt` with this number, unless it has one; returns its number. */
export function itemsAdd(hashAt: u32, number: u32): u32 {
  const hash = load<u64>(hashAt);
  const slot = slotOf(hash);
  const before = load<u32>(slot, SLOT_NUMBER_FIELD);
  if (before != 0) return before;
  store<u64>(slot, hash);
  store<u32>(slot, number, SLOT_NUMBER_FIELD);
  return number;
}

/** Begins the part of the text at the position, up to the next boundary. */
function beginPart(): void {
  partEnd = hasBoundaries ? textEndFrom(position, textEnd) : textEnd;
  wordCount = 0;
}

/** Begins the text in [start, end); returns the number of its characters. Up to 15 bytes after it may be read. */
export function itemsBegin(start: u32, end: u32): u32 {
  textStart = start;
  textEnd = end;
  position = start;
  textWords = 0;
  beginPart();
  return countCharacters(start, end);
}

/** Copies what is not a blank of [from, to) to the front of the copy; returns its length. */
function squeezed(from: u32, to: u32): u32 {
  let target = copy;
  for (let at = from; at < to; at++) {
    const byte = load<u8>(at);
    if (<u32>byte > BLANK) store<u8>(target++, byte);
  }
  return target - copy;
}

/** Adds the next word that has more than signs; returns false at the end of the text. */
function addWord(): bool {
  while (true) {
    const end = nextWord(position, partEnd);
    if (end == 0) {
      if (partEnd == textEnd) return false;
      position = partEnd + 1;
      beginPart();
      continue;
    }
    position = end;
    const bytes = squeezed(copy, copyWords(wordStart, end, copy, false, FOLD_SIMPLE));
    if (bytes == 0) continue;
    if (wordCount == WORDS_CAPACITY) keepWords();
    store<u64>(words + (wordCount << 3), seededHash(copy, bytes, wordSeed));
    const span = words + SPANS_OFFSET + (wordCount << 3);
    store<u32>(span, wordStart - textStart);
    store<u32>(span, end - textStart, 4);
    wordCount++;
    textWords++;
    return true;
  }
}

/** Moves the last words to the front. */
function keepWords(): void {
  const lastWords = maxWords - 1;
  const from = (wordCount - lastWords) << 3;
  memory.copy(words, words + from, lastWords << 3);
  memory.copy(words + SPANS_OFFSET, words + SPANS_OFFSET + from, lastWords << 3);
  wordCount = lastWords;
}

/** Stores the n-gram of the last `length` words, if it is taken; returns one past it. */
function takeNgram(length: u32, target: u32): u32 {
  const first = (wordCount - length) << 3;
  const hash = seededHash(words + first, length << 3, ngramSeed);
  if (takesAll) {
    store<u64>(target, hash);
  } else {
    const number = load<u32>(slotOf(hash), SLOT_NUMBER_FIELD);
    if (number == 0) return target;
    store<u64>(target, number);
  }
  const spans = words + SPANS_OFFSET;
  store<u32>(target, load<u32>(spans + first), ITEM_HIT_START_FIELD);
  store<u32>(target, load<u32>(spans + ((wordCount - 1) << 3), 4), ITEM_HIT_END_FIELD);
  return target + ITEM_HIT_BYTES;
}

/** Takes the next n-grams of the text, as many as there is room for; returns their number. It is 0 only at the end of the text. */
export function itemsTake(): u32 {
  const last = hits + (maxHits - lengthCount) * ITEM_HIT_BYTES;
  let target = hits;
  while (target <= last && addWord()) {
    for (let i: u32 = 0; i < lengthCount; i++) {
      const length = load<u32>(lengths + (i << 2));
      if (length > wordCount) break;
      target = takeNgram(length, target);
    }
  }
  return (target - hits) / ITEM_HIT_BYTES;
}

/** The words of the text that was taken. */
export function itemsWords(): u32 {
  return textWords;
}

/** True if the text has nothing but blanks. */
export function itemsBlank(): u32 {
  return u32(isBlank(textStart, textEnd));
}
