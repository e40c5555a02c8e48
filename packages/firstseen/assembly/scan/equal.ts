// Keys made equal by rules: texts without regard to case, to blanks around them or to Unicode forms, numbers by value, and JSON values
// with their members in any order. Texts in ASCII and numbers are done here; other texts and JSON are done by the host
// (src/kernel/keytext.ts).

import {
  CASE_BIT,
  decimalExponent,
  decimalStart,
  decimalStop,
  isDecimalNegative,
  isExponentCut,
  LETTER_E,
  MINUS,
  POINT,
  readDecimal,
  trimDecimal,
} from '../lib/decimal';
import { digitsEnd, ZERO_DIGIT } from '../lib/digits';
import { QUOTE, TAB } from './bytes';
import { OPEN_BRACE, SPACE } from './objects';
import { FORMAT_NDJSON, format } from './settings';

/** The rules, a bit each. */
export const EQUAL_CASE: u32 = 1;
export const EQUAL_TRIM: u32 = 2;
export const EQUAL_NFC: u32 = 4;
export const EQUAL_NFKC: u32 = 8;
export const EQUAL_NUMBERS: u32 = 16;
export const EQUAL_ORDER: u32 = 32;

/** A key may grow to so many times its bytes, and as many bytes more. What becomes longer is too long. */
export const EQUAL_GROWTH: u32 = 3;
export const EQUAL_SPARE_BYTES: u32 = 1024;
/** A number that is whole is written with its digits, up to so many. */
export const EQUAL_DIGITS: u32 = 64;

const EQUAL_TEXT: u32 = EQUAL_CASE | EQUAL_TRIM | EQUAL_NFC | EQUAL_NFKC;
const OPEN_BRACKET: u32 = 0x5b;
const CARRIAGE_RETURN: u32 = 0x0d;

/**
 * Writes the key in [start, end) as the rules make it to `target`: a text, or with EQUAL_ORDER a JSON value. Returns one past it, or 0 if
 * it would grow by more than it may.
 */
declare function equalKey(start: u32, end: u32, target: u32, rules: u32): u32;

/** The key of the last `equalize`, in its place or at the target. */
export let equalStart: u32 = 0;
export let equalEnd: u32 = 0;

function found(start: u32, end: u32): bool {
  equalStart = start;
  equalEnd = end;
  return true;
}

/** Tells if all bytes are ASCII. */
function isAscii(start: u32, end: u32): bool {
  let at = start;
  for (; end - at >= 16; at += 16) if (i8x16.bitmask(v128.load(at))) return false;
  for (; at < end; at++) if (load<u8>(at) >= 0x80) return false;
  return true;
}

/** Tells if a byte is white space of ASCII, as `trim` of JavaScript has it. */
function isSpace(byte: u32): bool {
  return byte == SPACE || (byte >= TAB && byte <= CARRIAGE_RETURN);
}

function isUpper(byte: u32): bool {
  return byte - 0x41 < 26;
}

/** Tells if a capital letter of ASCII is among the bytes. */
function hasUpper(start: u32, end: u32): bool {
  const first = i8x16.splat(0x41);
  const count = i8x16.splat(26);
  let at = start;
  for (; end - at >= 16; at += 16) {
    if (i8x16.bitmask(i8x16.lt_u(i8x16.sub(v128.load(at), first), count))) return true;
  }
  for (; at < end; at++) if (isUpper(load<u8>(at))) return true;
  return false;
}

/** Copies the bytes with small letters for capital ones; returns one past the copy. */
function copyLower(start: u32, end: u32, target: u32): u32 {
  let written = target;
  for (let at = start; at < end; at++) {
    const byte = <u32>load<u8>(at);
    store<u8>(written++, isUpper(byte) ? byte | CASE_BIT : byte);
  }
  return written;
}

/** Tells if only the host can apply the rules to a text, whose white space of ASCII was removed from its ends. */
function needsHost(start: u32, end: u32, rules: u32): bool {
  if (start == end) return false;
  // Other white space begins and ends with other bytes.
  if ((rules & EQUAL_TEXT) == EQUAL_TRIM) return load<u8>(start) >= 0x80 || load<u8>(end - 1) >= 0x80;
  return !isAscii(start, end);
}

/** The text in [start, end) as the rules make it. */
function equalizeText(start: u32, end: u32, target: u32, rules: u32): bool {
  let from = start;
  let to = end;
  if (rules & EQUAL_TRIM) {
    while (from < to && isSpace(load<u8>(from))) from++;
    while (from < to && isSpace(load<u8>(to - 1))) to--;
  }
  if (needsHost(from, to, rules)) {
    const written = equalKey(from, to, target, rules & EQUAL_TEXT);
    return written != 0 && found(target, written);
  }
  if ((rules & EQUAL_CASE) == 0 || !hasUpper(from, to)) return found(from, to);
  return found(target, copyLower(from, to, target));
}

/** The JSON string in [start, end), which has its quotes. */
function equalizeString(start: u32, end: u32, target: u32, rules: u32): bool {
  if (!equalizeText(start + 1, end - 1, target + 1, rules)) return false;
  if (equalStart == start + 1 && equalEnd == end - 1) return found(start, end);
  if (equalStart != target + 1) {
    memory.copy(target + 1, equalStart, equalEnd - equalStart);
    equalEnd = target + 1 + (equalEnd - equalStart);
  }
  store<u8>(target, QUOTE);
  store<u8>(equalEnd, QUOTE);
  return found(target, equalEnd + 1);
}

/** Tells if the text is a whole number in the digits that `equalizeNumber` would write. */
function isPlainNumber(start: u32, end: u32): bool {
  const from = start + u32(start < end && load<u8>(start) == MINUS);
  if (from == end || end - from > EQUAL_DIGITS) return false;
  if (load<u8>(from) == ZERO_DIGIT) return from == start && end - from == 1;
  return digitsEnd(from, end) == end;
}

/** Writes a number in digits; returns one past it. */
function writeDigits(number: u64, target: u32): u32 {
  let length: u32 = 1;
  for (let rest = number / 10; rest > 0; rest /= 10) length++;
  let rest = number;
  for (let at = target + length; at > target; rest /= 10) store<u8>(--at, ZERO_DIGIT + <u32>(rest % 10));
  return target + length;
}

/** Writes what multiplies the digits [digits, written) by ten to the `exponent`; returns one past it. */
function writeScale(digits: u32, written: u32, exponent: i64): u32 {
  if (exponent == 0) return written;
  if (exponent > 0 && exponent + <i64>(written - digits) <= <i64>EQUAL_DIGITS) {
    memory.fill(written, <u8>ZERO_DIGIT, <u32>exponent);
    return written + <u32>exponent;
  }
  store<u8>(written, LETTER_E);
  if (exponent > 0) return writeDigits(<u64>exponent, written + 1);
  store<u8>(written, MINUS, 1);
  return writeDigits(<u64>-exponent, written + 2);
}

/**
 * The text in [start, end) as the digits of its value, if all of it is a number: 1.0, 1e0 and 01 are 1, and 0.5 is 5e-1. All digits
 * count, also those that a double cannot have. Another text stays as it is, and so does a number with an absurd exponent.
 */
function equalizeNumber(start: u32, end: u32, target: u32): bool {
  if (isPlainNumber(start, end) || !readDecimal(start, end) || isExponentCut) return found(start, end);
  trimDecimal();
  if (decimalStart == decimalStop) {
    store<u8>(target, ZERO_DIGIT);
    return found(target, target + 1);
  }
  store<u8>(target, MINUS);
  const digits = target + u32(isDecimalNegative);
  let written = digits;
  for (let at = decimalStart; at < decimalStop; at++) {
    const byte = load<u8>(at);
    if (byte != POINT) store<u8>(written++, byte);
  }
  return found(target, writeScale(digits, written, decimalExponent - <i64>(written - digits)));
}

/** The JSON value in [start, end) as the rules make it. */
function equalizeJson(start: u32, end: u32, target: u32, rules: u32): bool {
  let from = start;
  while (from < end && isSpace(load<u8>(from))) from++;
  const first = from < end ? <u32>load<u8>(from) : 0;
  if (first == QUOTE) return equalizeString(start, end, target, rules);
  if (first == OPEN_BRACE || first == OPEN_BRACKET) {
    if ((rules & EQUAL_ORDER) == 0) return found(start, end);
    const written = equalKey(from, end, target, EQUAL_ORDER);
    return written != 0 && found(target, written);
  }
  return rules & EQUAL_NUMBERS && (first - ZERO_DIGIT < 10 || first == MINUS)
    ? equalizeNumber(start, end, target)
    : found(start, end);
}

/**
 * Makes the key, or the part of one, in [start, end) what it is under the rules: `equalStart` and `equalEnd` have it. Returns false if it
 * would grow by more than it may.
 */
export function equalize(start: u32, end: u32, target: u32, rules: u32): bool {
  if (format == FORMAT_NDJSON) return equalizeJson(start, end, target, rules);
  if (!equalizeText(start, end, target, rules)) return false;
  if ((rules & EQUAL_NUMBERS) == 0) return true;
  // A text that is at the target stays until it is read.
  return equalizeNumber(equalStart, equalEnd, equalStart == target ? equalEnd : target);
}
