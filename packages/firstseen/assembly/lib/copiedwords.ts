// Copies of documents by the rules of words of Unicode (docs/NEAR.md). Bytes that are not valid UTF-8 are letters, each by itself, so
// that texts in other encodings still have words.

import {
  CLASS_BLANKLESS,
  CLASS_IGNORED,
  CLASS_LETTER,
  CLASS_MARK,
  CLASS_SPACE,
  characterAt,
  characterBytes,
  classOf,
  foldedCharacter,
  NO_CHARACTER,
  writeCharacter,
} from './characters';
import { BLANK, isBlankByte, LANES, lowercase, lowercaseByte, tokenLanes, wordLanes } from './lanes';

/** The byte after a word that is one letter of a script without blanks. No word has this byte. */
export const LONE: u32 = 0x1f;
/**
 * A copy has at most this many bytes for each byte of the document: a letter of two bytes may become one of three, and one of three bytes
 * may have a blank before it and LONE after it.
 */
export const COPY_GROWTH: u32 = 2;

export const FOLD_NONE: u32 = 0;
export const FOLD_ASCII: u32 = 1;
export const FOLD_SIMPLE: u32 = 2;

let written: u32 = 0;
let folding: u32 = 0;
/** True if the last word is a letter of a script without blanks, to which marks may still come. */
let isLone: bool = false;
let hasLone: bool = false;

/** Tells if the document that was copied last has letters of scripts without blanks. */
export function hasLoneLetters(): bool {
  return hasLone;
}

function endLone(): void {
  if (isLone) store<u8>(written++, LONE);
  isLone = false;
}

/** Ends a word. */
function writeBlank(): void {
  store<u8>(written++, isLone ? LONE : BLANK);
  isLone = false;
}

function isInWord(): bool {
  return <u32>load<u8>(written - 1) > BLANK;
}

/** Writes the character at `at`, folded. */
function writeFolded(character: u32, at: u32): void {
  if (folding == FOLD_SIMPLE) {
    const folded = foldedCharacter(character);
    if (folded != character) {
      written = writeCharacter(folded, written);
      return;
    }
  }
  // The bytes after the character are written over.
  store<u32>(written, load<u32>(at));
  written += characterBytes();
}

/** Writes a byte that belongs to no character. */
function writeByte(at: u32): void {
  endLone();
  store<u8>(written++, load<u8>(at));
}

/** Adds a character beyond ASCII to the words. */
function copyToWords(character: u32, at: u32): void {
  const own = classOf(character);
  if (own == CLASS_IGNORED) return;
  if (own == CLASS_MARK) {
    // A mark after a blank or a symbol belongs to it.
    if (isInWord()) writeFolded(character, at);
    return;
  }
  if (own == CLASS_LETTER) {
    endLone();
    writeFolded(character, at);
    return;
  }
  if (own != CLASS_BLANKLESS) {
    writeBlank();
    return;
  }
  if (isLone) endLone();
  else if (isInWord()) store<u8>(written++, BLANK);
  writeFolded(character, at);
  isLone = true;
  hasLone = true;
}

/** Adds a character beyond ASCII to the tokens. */
function copyToTokens(character: u32, at: u32): void {
  const own = classOf(character);
  if (own == CLASS_IGNORED) return;
  if (own == CLASS_SPACE) store<u8>(written++, BLANK);
  else writeFolded(character, at);
}

/** Copies the characters beyond ASCII from `at` on, with blanks between them, and returns the end of them. */
function copyBeyond(start: u32, end: u32, isOfTokens: bool): u32 {
  let at = start;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    if (byte == BLANK) {
      writeBlank();
      at++;
      continue;
    }
    if (byte < 0x80) break;
    const character = characterAt(at, end);
    if (character == NO_CHARACTER) writeByte(at);
    else if (isOfTokens) copyToTokens(character, at);
    else copyToWords(character, at);
    at += characterBytes();
  }
  return at;
}

/** The bytes of ASCII at the front of a vector, of which `left` bytes belong to the document. */
function asciiBytes(bytes: v128, left: u32): u32 {
  const mask = <u32>i8x16.bitmask(bytes);
  return min(min(left, LANES), <u32>ctz(mask));
}

/** Copies a document with a blank or LONE between words, and returns the end of the copy. */
export function copyWords(start: u32, end: u32, copy: u32, isOfTokens: bool, folds: u32): u32 {
  const blanks = i8x16.splat(<i8>BLANK);
  folding = folds;
  isLone = false;
  hasLone = false;
  // A mark at the front of the document is in no word.
  store<u8>(copy, BLANK);
  written = copy + 1;
  let at = start;
  while (at < end) {
    const bytes = v128.load(at);
    const count = asciiBytes(bytes, end - at);
    if (count > 0) {
      endLone();
      const kept = isOfTokens ? tokenLanes(bytes) : wordLanes(bytes);
      v128.store(written, v128.bitselect(folds == FOLD_NONE ? bytes : lowercase(bytes), blanks, kept));
      written += count;
      at += count;
    }
    if (count < LANES) at = copyBeyond(at, end, isOfTokens);
  }
  endLone();
  return written;
}

/** Copies a document with every run of blanks reduced to one, and none at either end. Returns the end of the copy. */
export function copyCharacters(start: u32, end: u32, copy: u32, folds: u32): u32 {
  folding = folds;
  written = copy;
  let isOwed = false;
  for (let at = start; at < end; ) {
    const byte = <u32>load<u8>(at);
    const character = byte < 0x80 ? byte : characterAt(at, end);
    const own = byte < 0x80 || character == NO_CHARACTER ? CLASS_LETTER : classOf(character);
    const bytes = byte < 0x80 ? 1 : characterBytes();
    if (own == CLASS_SPACE || isBlankByte(byte)) {
      isOwed = written > copy;
    } else if (own != CLASS_IGNORED) {
      if (isOwed) store<u8>(written++, BLANK);
      isOwed = false;
      if (byte < 0x80) store<u8>(written++, folds == FOLD_NONE ? byte : lowercaseByte(byte));
      else if (character == NO_CHARACTER) store<u8>(written++, byte);
      else writeFolded(character, at);
    }
    at += bytes;
  }
  return written;
}
