// The ranks of records whose greatest or least is kept (docs/decisions/078-kept-records-and-counts.md): bytes whose order is
// that of the values. A missing value has none. A number is before a text:
//
//   number   1, then its sign (0 negative, 1 zero, 2 positive), its decimal exponent as a u64 with the most significant byte
//            first, and its digits without zeros at both ends: 0.DIGITS * 10^exponent. The exponent and digits of a
//            negative number are complemented, and a byte of ones follows them.
//   text     2, then its bytes
//
// An entry with a rank has the length of the rank in 8 bytes after it, then the rank, padded to 8 bytes.

import { digitsEnd, ZERO_DIGIT } from '../lib/digits';
import { RANKED_ENTRY_BYTES } from './entries';

const NUMBER: u8 = 1;
const TEXT: u8 = 2;
const NEGATIVE: u8 = 0;
const ZERO: u8 = 1;
const POSITIVE: u8 = 2;
/** Makes every exponent positive. */
const EXPONENT_BIAS: i64 = 1 << 62;
/** Exponents beyond are taken for this one: no value has so many digits. */
const MOST_EXPONENT: i64 = 1_000_000_000_000;
/** Bytes that a rank can have more than its text. */
export const MOST_RANK_EXTRA_BYTES: u32 = 16;

const PLUS: u32 = 0x2b;
const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;
const LETTER_E: u32 = 0x65;
const CASE_BIT: u32 = 0x20;

/** 1 if a sign is at `at`. */
function signBytes(at: u32, end: u32): u32 {
  if (at == end) return 0;
  const byte = <u32>load<u8>(at);
  return u32(byte == PLUS || byte == MINUS);
}

/** The exponent in the digits [start, end). */
function readExponent(start: u32, end: u32): i64 {
  let exponent: i64 = 0;
  for (let at = start; at < end; at++) {
    exponent = min(exponent * 10 + <i64>(<u32>load<u8>(at) - ZERO_DIGIT), MOST_EXPONENT);
  }
  return exponent;
}

// The number that was last read: its digits are those in [digitsStart, digitsStop) that are not its point.
let isNegative: bool = false;
let digitsStart: u32 = 0;
let digitsStop: u32 = 0;
let exponent: i64 = 0;

/** Reads the number that the text [start, end) is; false if it is none. */
function readNumber(start: u32, end: u32): bool {
  const wholeStart = start + signBytes(start, end);
  const wholeEnd = digitsEnd(wholeStart, end);
  let mantissaEnd = wholeEnd;
  if (wholeEnd < end && load<u8>(wholeEnd) == POINT) mantissaEnd = digitsEnd(wholeEnd + 1, end);
  // A point needs digits on both sides, as in JSON.
  if (wholeEnd == wholeStart || mantissaEnd == wholeEnd + 1) return false;
  exponent = <i64>(wholeEnd - wholeStart);
  if (mantissaEnd < end) {
    if ((<u32>load<u8>(mantissaEnd) | CASE_BIT) != LETTER_E) return false;
    const exponentStart = mantissaEnd + 1 + signBytes(mantissaEnd + 1, end);
    if (exponentStart >= end || digitsEnd(exponentStart, end) != end) return false;
    const written = readExponent(exponentStart, end);
    exponent += load<u8>(mantissaEnd + 1) == MINUS ? -written : written;
  }
  isNegative = load<u8>(start) == MINUS;
  digitsStart = wholeStart;
  digitsStop = mantissaEnd;
  return true;
}

/** Leaves out the zeros at both ends of the digits. */
function trimZeros(): void {
  while (digitsStart < digitsStop) {
    const byte = <u32>load<u8>(digitsStart);
    if (byte != ZERO_DIGIT && byte != POINT) break;
    exponent -= i64(byte == ZERO_DIGIT);
    digitsStart++;
  }
  while (digitsStop > digitsStart) {
    const byte = <u32>load<u8>(digitsStop - 1);
    if (byte != ZERO_DIGIT && byte != POINT) break;
    digitsStop--;
  }
}

/** Writes the rank of the number that was last read; returns its length. */
function writeNumber(target: u32): u32 {
  trimZeros();
  store<u8>(target, NUMBER);
  if (digitsStart == digitsStop) {
    store<u8>(target, ZERO, 1);
    return 2;
  }
  store<u8>(target, isNegative ? NEGATIVE : POSITIVE, 1);
  const flipped: u64 = isNegative ? ~(<u64>0) : 0;
  store<u64>(target, bswap<u64>(<u64>(exponent + EXPONENT_BIAS) ^ flipped), 2);
  let written = target + 10;
  for (let at = digitsStart; at < digitsStop; at++) {
    const byte = load<u8>(at);
    if (byte != POINT) store<u8>(written++, byte ^ <u8>flipped);
  }
  if (isNegative) store<u8>(written++, 0xff);
  return written - target;
}

/** Writes the rank of the text [start, end) to `target`; returns its length, 0 without a text. */
export function writeRank(start: u32, end: u32, target: u32): u32 {
  if (start == end) return 0;
  if (readNumber(start, end)) return writeNumber(target);
  store<u8>(target, TEXT);
  memory.copy(target + 1, start, end - start);
  return 1 + end - start;
}

/** Bytes of an entry with a rank of this length. */
export function rankedBytes(length: u32): u32 {
  return RANKED_ENTRY_BYTES + ((length + 7) & ~7);
}

/** Whether a rank is above another, or below it if `isLeast`. Every rank is above and below one that has no bytes. */
export function isBetter(rank: u32, length: u32, other: u32, otherLength: u32, isLeast: bool): bool {
  if (length == 0 || otherLength == 0) return length > otherLength;
  const order = memory.compare(rank, other, min(length, otherLength));
  if (order == 0) return isLeast ? length < otherLength : length > otherLength;
  return isLeast ? order < 0 : order > 0;
}
