// The contents of JSON strings, between their quotes.

import { equalBytes, findEither, QUOTE } from './bytes';
import { BACKSLASH } from './objects';

const LETTER_U: u32 = 0x75;

/** True if the string that `stringEnd` walked last contains a backslash. */
export let hasEscapes: bool = false;

/** The closing quote of the string whose content begins at `position`, or `end`. */
export function stringEnd(position: u32, end: u32): u32 {
  let at = findEither(position, end, QUOTE, BACKSLASH);
  hasEscapes = at < end && load<u8>(at) == BACKSLASH;
  while (at < end && load<u8>(at) == BACKSLASH) at = findEither(min(at + 2, end), end, QUOTE, BACKSLASH);
  return at;
}

/** The byte that a backslash and this letter represent; 0 for any other letter, as no short escape represents 0. */
function shortEscape(letter: u32): u32 {
  switch (letter) {
    case 0x22: // "
    case 0x2f: // /
    case 0x5c: // \
      return letter;
    case 0x62: // b
      return 0x08;
    case 0x66: // f
      return 0x0c;
    case 0x6e: // n
      return 0x0a;
    case 0x72: // r
      return 0x0d;
    case 0x74: // t
      return 0x09;
    default:
      return 0;
  }
}

/** The result of `codeUnit` for bytes that are not a \uXXXX escape. */
const NO_CODE_UNIT: u32 = 0x10000;

/** The UTF-16 code unit of the \uXXXX at `at`. */
function codeUnit(at: u32, end: u32): u32 {
  if (end - at < 6 || load<u8>(at) != BACKSLASH || load<u8>(at, 1) != LETTER_U) return NO_CODE_UNIT;
  let unit: u32 = 0;
  for (let digit = at + 2; digit < at + 6; digit++) {
    const byte = <u32>load<u8>(digit);
    const letter = (byte | 0x20) - 0x61;
    if (byte - 0x30 <= 9) unit = (unit << 4) | (byte - 0x30);
    else if (letter <= 5) unit = (unit << 4) | (letter + 10);
    else return NO_CODE_UNIT;
  }
  return unit;
}

/** Writes a code point as UTF-8, a lone surrogate as the three bytes of its value; returns one past it. */
function writeCodePoint(code: u32, target: u32): u32 {
  if (code < 0x80) {
    store<u8>(target, code);
    return target + 1;
  }
  if (code < 0x800) {
    store<u8>(target, 0xc0 | (code >> 6));
    store<u8>(target, 0x80 | (code & 0x3f), 1);
    return target + 2;
  }
  if (code < 0x10000) {
    store<u8>(target, 0xe0 | (code >> 12));
    store<u8>(target, 0x80 | ((code >> 6) & 0x3f), 1);
    store<u8>(target, 0x80 | (code & 0x3f), 2);
    return target + 3;
  }
  store<u8>(target, 0xf0 | (code >> 18));
  store<u8>(target, 0x80 | ((code >> 12) & 0x3f), 1);
  store<u8>(target, 0x80 | ((code >> 6) & 0x3f), 2);
  store<u8>(target, 0x80 | (code & 0x3f), 3);
  return target + 4;
}

/** One past the escape that `decodeEscape` last read. */
let escapeEnd: u32 = 0;

/** Writes the character of the escape at `at`; returns one past it, or 0 if the escape is invalid. */
function decodeEscape(at: u32, end: u32, target: u32): u32 {
  const short = end - at < 2 ? 0 : shortEscape(load<u8>(at, 1));
  if (short != 0) {
    escapeEnd = at + 2;
    return writeCodePoint(short, target);
  }
  const high = codeUnit(at, end);
  if (high == NO_CODE_UNIT) return 0;
  escapeEnd = at + 6;
  if (high >> 10 != 0x36) return writeCodePoint(high, target);
  const low = codeUnit(escapeEnd, end);
  if (low >> 10 != 0x37) return writeCodePoint(high, target);
  escapeEnd += 6;
  return writeCodePoint(0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff), target);
}

/**
 * Copies the bytes of [start, end) before the first backslash or quote; returns their number. Whole vectors are copied as long as all of
 * their bytes are before `end`, so nothing is written past the length of what is read.
 */
function copyPlain(start: u32, end: u32, target: u32): u32 {
  const backslash = i8x16.splat(<i8>BACKSLASH);
  const quote = i8x16.splat(<i8>QUOTE);
  const shift = target - start;
  let at = start;
  for (; end - at >= 16; at += 16) {
    const bytes = v128.load(at);
    v128.store(at + shift, bytes);
    const mask = i8x16.bitmask(v128.or(i8x16.eq(bytes, backslash), i8x16.eq(bytes, quote)));
    if (mask) return at - start + <u32>ctz(mask);
  }
  for (; at < end && load<u8>(at) != BACKSLASH && load<u8>(at) != QUOTE; at++) store<u8>(at + shift, load<u8>(at));
  return at - start;
}

/** The end of the string that was decoded last: its closing quote, or the end of the bytes that were read. */
export let decodedTo: u32 = 0;

/**
 * Writes a string's content with its escapes decoded, up to its closing quote or `end`. That is never longer than the encoded form.
 * Returns one past it, or 0 on an invalid escape.
 */
export function decodeString(start: u32, end: u32, target: u32): u32 {
  let written = target;
  let at = start;
  while (true) {
    const plain = copyPlain(at, end, written);
    written += plain;
    at += plain;
    if (at == end || load<u8>(at) == QUOTE) {
      decodedTo = at;
      return written;
    }
    written = decodeEscape(at, end, written);
    if (written == 0) return 0;
    at = escapeEnd;
  }
}

/** Tells if the bytes [start, end), which contain no escapes, equal the key. */
export function equalsKey(start: u32, end: u32, key: u32, keyBytes: u32): bool {
  return end - start == keyBytes && equalBytes(start, key, keyBytes);
}
