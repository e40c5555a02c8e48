// Cuts the texts of a batch into passages and hashes them: whole texts, paragraphs, or the n-grams of the words of each paragraph.
// The host looks the elements up in a detector, and the passages whose elements were seen are gathered.
//
// One thread takes a batch in parts of bounded length: the cursor stops after any passage. At the seat of a thread, all texts of a
// batch are cut at once, as far as there is room for them.

import { textEndFrom } from '../lib/boundary';
import { CHARACTER_TABLE_BYTES, placeCharacterTable } from '../lib/characters';
import { BATCH_CAPACITY } from '../lib/memory';
import { GOLDEN, mix64, streamKey } from '../lib/random';
import { seededHash } from '../lib/seededhash';
import { charactersBefore, countCharacters, findBytes, findCounting, isBlank } from './characters';
import {
  hasQuirks,
  PASSAGE_BLANK_FIELD,
  PASSAGE_BYTES,
  PASSAGE_ELEMENT_FIELD,
  PASSAGE_ELEMENTS_FIELD,
  PASSAGE_END_CHARACTER_FIELD,
  PASSAGE_END_FIELD,
  PASSAGE_FIRST_CHARACTER_FIELD,
  PASSAGE_TEXT_BYTES,
  PASSAGE_TEXT_FIELD,
  passages,
  placePassages,
  setQuirks,
  TEXT_CONTENT_FIELD,
  TEXT_PASSAGES_FIELD,
  texts,
} from './layout';
import { SCORE_TEXT_BYTES } from './scores';
import { hasWords, nextWord, wordStart } from './words';

export {
  PASSAGE_BYTES,
  PASSAGE_ELEMENT_FIELD,
  PASSAGE_ELEMENTS_FIELD,
  PASSAGE_END_CHARACTER_FIELD,
  PASSAGE_END_FIELD,
  PASSAGE_FIRST_CHARACTER_FIELD,
  PASSAGE_SEEN_FIELD,
  PASSAGE_TEXT_BYTES,
  PASSAGE_TEXT_FIELD,
} from './layout';

/** Values of the unit: a whole text, a paragraph, or the n-grams of a paragraph. */
export const PASSAGE_DOCUMENT: u32 = 0;
export const PASSAGE_PARAGRAPH: u32 = 1;
export const PASSAGE_NGRAM: u32 = 2;

/** Maximum number of words of an n-gram. */
export const PASSAGE_MAX_WORDS: u32 = 256;
/** Hashes of words that are kept while a paragraph is read. */
const WORDS_CAPACITY: u32 = 4096;
export const PASSAGE_WORDS_BYTES: u32 = WORDS_CAPACITY * 8;
/** Bytes of the table of characters. */
export const PASSAGE_TABLE_BYTES: u32 = CHARACTER_TABLE_BYTES;

/** Passages and, but for those of its last passage, elements of a part. */
export const PASSAGE_CAPACITY: u32 = BATCH_CAPACITY;

/** The counts of a batch that was cut at once: whole texts, their passages and their elements. */
export const PASSAGE_CUT_BYTES: u32 = 12;
export const PASSAGE_CUT_PASSAGES_FIELD: u32 = 4;
export const PASSAGE_CUT_ELEMENTS_FIELD: u32 = 8;

/** Bytes of a written span: four punctuation marks, two numbers and a score. */
export const PASSAGE_SPAN_BYTES: u32 = 26 + SCORE_TEXT_BYTES;

const PASSAGE_STREAM: u64 = 0x452821e638d01377;

let unit: u32 = 0;
let separator: u32 = 0;
let separatorBytes: u32 = 0;
let separatorCharacters: u32 = 0;
let ngramWords: u32 = 0;
let minCharacters: u32 = 0;
let minWords: u32 = 0;
let skipsBlank: bool = false;
/** True if the spans of texts have quotes at their ends. */
let hasQuotes: bool = false;

/** True if a text can consist of several parts. Paragraphs end at the boundary between two of them. */
let hasBoundaries: bool = false;

let elements: u32 = 0;
let words: u32 = 0;
let passageRoom: u32 = 0;
let elementRoom: u32 = 0;

let wholeSeed: u64 = 0;
let wordSeed: u64 = 0;
let ngramSeed: u64 = 0;

/** The texts of the batch: their spans, and the one that is read. */
let spans: u32 = 0;
let textCount: u32 = 0;
let text: u32 = 0;
/** The rest of the text that is read; nothing is read if `isOpen` is false. */
let isOpen: bool = false;
let textStart: u32 = 0;
let textEnd: u32 = 0;
/** The end of the current part, which the next boundary follows. */
let partEnd: u32 = 0;
let position: u32 = 0;
let characters: u32 = 0;
/** Characters of the text up to there, those of its passages that are not blank, and those of the current passage. */
let textCharacters: u32 = 0;
let contentCharacters: u32 = 0;
let length: u32 = 0;

let passageCount: u32 = 0;
let elementCount: u32 = 0;
/** True if a passage or an element found no room. */
let isFull: bool = false;

/**
 * Sets the addresses of the host's room for passages, elements, hashes of words, counts of texts, and the table of
 * characters, and the maximum numbers of passages and elements.
 */
export function passagesRegions(
  passagesAt: u32,
  maxPassages: u32,
  elementsAt: u32,
  maxElements: u32,
  wordsAt: u32,
  textsAt: u32,
  tableAt: u32,
): void {
  placePassages(passagesAt, textsAt);
  passageRoom = maxPassages;
  elements = elementsAt;
  elementRoom = maxElements;
  words = wordsAt;
  placeCharacterTable(tableAt);
}

/**
 * Must be called after the parameters of the detector are set, whose seed it uses. `separatorAt` has the bytes between paragraphs.
 * Passages of fewer characters or words are left out, and with `blank` those of blanks alone. `quirks` counts characters as Dolma does.
 * `quotes`: texts are strings of JSON. `boundaries`: paragraphs end at the boundaries between texts too.
 */
export function passagesConfigure(
  by: u32,
  separatorAt: u32,
  separatorLength: u32,
  ngram: u32,
  fewestCharacters: u32,
  fewestWords: u32,
  blank: u32,
  quirks: u32,
  quotes: u32,
  boundaries: u32,
): void {
  unit = by;
  separator = separatorAt;
  separatorBytes = separatorLength;
  separatorCharacters = countCharacters(separatorAt, separatorAt + separatorLength);
  ngramWords = ngram;
  minCharacters = fewestCharacters;
  minWords = fewestWords;
  skipsBlank = blank != 0;
  setQuirks(quirks != 0);
  hasQuotes = quotes != 0;
  hasBoundaries = boundaries != 0;
  const key = streamKey(PASSAGE_STREAM);
  wholeSeed = mix64(key + GOLDEN);
  wordSeed = mix64(key + 2 * GOLDEN);
  ngramSeed = mix64(key + 3 * GOLDEN);
}

/** Begins a batch of texts. An empty span is not a text. */
export function passagesBegin(spansAt: u32, count: u32): void {
  spans = spansAt;
  textCount = count;
  text = 0;
  isOpen = false;
  memory.fill(texts, 0, count * PASSAGE_TEXT_BYTES);
}

/** Begins the part of the text at the position. */
function beginTextPart(): void {
  partEnd = hasBoundaries ? textEndFrom(position, textEnd) : textEnd;
}

/** Opens the next text that has bytes; returns false if there is none. */
function openText(): bool {
  for (; text < textCount; text++) {
    const start = load<u32>(spans + (text << 3));
    const end = load<u32>(spans + (text << 3), 4);
    const quote = u32(hasQuotes);
    if (end - start <= 2 * quote) continue;
    textStart = start + quote;
    textEnd = end - quote;
    position = textStart;
    beginTextPart();
    characters = 0;
    textCharacters = 0;
    contentCharacters = 0;
    isOpen = true;
    return true;
  }
  return false;
}

function closeText(): void {
  const known = texts + text * PASSAGE_TEXT_BYTES;
  store<u32>(known, textCharacters);
  store<u32>(known, contentCharacters, TEXT_CONTENT_FIELD);
  isOpen = false;
  text++;
}

function addElement(element: u64): void {
  if (elementCount == elementRoom) {
    isFull = true;
    return;
  }
  store<u64>(elements + (elementCount++ << 3), element);
}

/** Appends the n-grams of the words in [start, end); returns their number. */
function addNgrams(start: u32, end: u32): u32 {
  const before = elementCount;
  let count: u32 = 0;
  let at = start;
  while (true) {
    at = nextWord(at, end);
    if (at == 0) return elementCount - before;
    if (count == WORDS_CAPACITY) {
      count = ngramWords - 1;
      memory.copy(words, words + ((WORDS_CAPACITY - count) << 3), count << 3);
    }
    store<u64>(words + (count++ << 3), seededHash(wordStart, at - wordStart, wordSeed));
    if (count >= ngramWords) addElement(seededHash(words + ((count - ngramWords) << 3), ngramWords << 3, ngramSeed));
  }
}

function isLeftOut(start: u32, end: u32, isBlankPassage: bool): bool {
  if (length < minCharacters) return true;
  if (minWords > 0 && !hasWords(start, end, minWords)) return true;
  return skipsBlank && isBlankPassage;
}

/** Adds the passage in [start, end), of which `after` is one past the separator, unless it is left out. */
function addPassage(start: u32, end: u32, after: u32, firstCharacter: u32, endCharacter: u32): void {
  const isBlankPassage = isBlank(start, end);
  if (!isBlankPassage) contentCharacters += endCharacter - firstCharacter;
  if (isLeftOut(start, end, isBlankPassage)) return;
  if (passageCount == passageRoom) {
    isFull = true;
    return;
  }
  const passage = passages + passageCount++ * PASSAGE_BYTES;
  let first = elementCount;
  // With fewer than two n-grams, the paragraph is compared as a whole.
  if (unit != PASSAGE_NGRAM || addNgrams(start, end) < 2) {
    first = elementCount;
    addElement(seededHash(start, end - start, wholeSeed));
  }
  store<u32>(passage, start - textStart);
  store<u32>(passage, after - textStart, PASSAGE_END_FIELD);
  store<u32>(passage, firstCharacter, PASSAGE_FIRST_CHARACTER_FIELD);
  store<u32>(passage, endCharacter, PASSAGE_END_CHARACTER_FIELD);
  store<u32>(passage, first, PASSAGE_ELEMENT_FIELD);
  store<u32>(passage, elementCount - first, PASSAGE_ELEMENTS_FIELD);
  store<u32>(passage, u32(isBlankPassage), PASSAGE_BLANK_FIELD);
  store<u32>(passage, text, PASSAGE_TEXT_FIELD);
  const known = texts + text * PASSAGE_TEXT_BYTES;
  store<u32>(known, load<u32>(known, TEXT_PASSAGES_FIELD) + 1, TEXT_PASSAGES_FIELD);
}

/** One past the last character of a passage that ends at `end` characters, with the characters of its separator. */
function endWith(end: u32, separated: u32): u32 {
  if (!hasQuirks) return end + separated;
  // Dolma 1.2.1 compares characters with bytes.
  return end + u32(end < textEnd - textStart - 1);
}

function takeDocument(): void {
  length = countCharacters(textStart, textEnd);
  textCharacters = length;
  const end = hasQuirks ? textEnd - textStart : length;
  addPassage(textStart, textEnd, textEnd, 0, end);
  closeText();
}

/** Returns the end of the current paragraph; `length` has its characters. */
function findSeparator(): u32 {
  if (separatorBytes == 1) {
    const end = findCounting(position, partEnd, load<u8>(separator));
    length = charactersBefore;
    return end;
  }
  const end = findBytes(position, partEnd, separator, separatorBytes);
  length = countCharacters(position, end);
  return end;
}

function takeParagraph(): void {
  const end = findSeparator();
  const isLast = end == textEnd;
  // A boundary is one byte, and one character.
  const isBoundary = end == partEnd;
  const after = isLast ? end : end + (isBoundary ? 1 : separatorBytes);
  const betweenCharacters = isBoundary ? 1 : separatorCharacters;
  const first = characters;
  textCharacters += length + (isLast ? 0 : betweenCharacters);
  characters = endWith(first + length, isLast ? 0 : betweenCharacters);
  addPassage(position, end, after, first, characters);
  position = after;
  if (isLast) closeText();
  else if (isBoundary) beginTextPart();
}

function beginPart(): void {
  passageCount = 0;
  elementCount = 0;
  isFull = false;
}

function takePassage(): void {
  if (unit == PASSAGE_DOCUMENT) takeDocument();
  else takeParagraph();
}

/** Cuts the next part of the batch; returns the number of its passages. It is 0 only at the end of the batch. */
export function passagesTake(): u32 {
  beginPart();
  while (passageCount < PASSAGE_CAPACITY && elementCount < PASSAGE_CAPACITY) {
    if (!isOpen && !openText()) break;
    takePassage();
  }
  return passageCount;
}

/** Cuts the texts of a batch, up to one that has no room as a whole. Stores at `target` what was cut. */
export function passagesCut(spansAt: u32, count: u32, target: u32): void {
  passagesBegin(spansAt, count);
  beginPart();
  let cutPassages: u32 = 0;
  let cutElements: u32 = 0;
  while (openText()) {
    const opened = text;
    while (isOpen && !isFull) takePassage();
    if (isFull) {
      text = opened;
      break;
    }
    cutPassages = passageCount;
    cutElements = elementCount;
  }
  store<u32>(target, text);
  store<u32>(target, cutPassages, PASSAGE_CUT_PASSAGES_FIELD);
  store<u32>(target, cutElements, PASSAGE_CUT_ELEMENTS_FIELD);
}

/** The number of elements of the part. */
export function passagesElements(): u32 {
  return elementCount;
}
