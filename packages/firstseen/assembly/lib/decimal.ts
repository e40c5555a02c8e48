// Decimal numbers in texts, with all their digits.

import { digitsEnd, ZERO_DIGIT } from './digits';

/** Exponents beyond are taken for this one: no value has so many digits. */
export const MAX_EXPONENT: i64 = 1_000_000_000_000;

export const PLUS: u32 = 0x2b;
export const MINUS: u32 = 0x2d;
export const POINT: u32 = 0x2e;
export const LETTER_E: u32 = 0x65;
export const CASE_BIT: u32 = 0x20;

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
    exponent = min(exponent * 10 + <i64>(<u32>load<u8>(at) - ZERO_DIGIT), MAX_EXPONENT);
  }
  return exponent;
}

// The number that was last read: 0.DIGITS * 10^exponent, where the digits are those in [decimalStart, decimalStop) that are not its point.
export let isDecimalNegative: bool = false;
export let decimalStart: u32 = 0;
export let decimalStop: u32 = 0;
export let decimalExponent: i64 = 0;
/** True if its exponent was taken for MAX_EXPONENT. */
export let isExponentCut: bool = false;

/** Reads the number that the text [start, end) is; false if it is none. */
export function readDecimal(start: u32, end: u32): bool {
  const wholeStart = start + signBytes(start, end);
  const wholeEnd = digitsEnd(wholeStart, end);
  let mantissaEnd = wholeEnd;
  if (wholeEnd < end && load<u8>(wholeEnd) == POINT) mantissaEnd = digitsEnd(wholeEnd + 1, end);
  // A point needs digits on both sides, as in JSON.
  if (wholeEnd == wholeStart || mantissaEnd == wholeEnd + 1) return false;
  decimalExponent = <i64>(wholeEnd - wholeStart);
  isExponentCut = false;
  if (mantissaEnd < end) {
    if ((<u32>load<u8>(mantissaEnd) | CASE_BIT) != LETTER_E) return false;
    const exponentStart = mantissaEnd + 1 + signBytes(mantissaEnd + 1, end);
    if (exponentStart >= end || digitsEnd(exponentStart, end) != end) return false;
    const written = readExponent(exponentStart, end);
    isExponentCut = written == MAX_EXPONENT;
    decimalExponent += load<u8>(mantissaEnd + 1) == MINUS ? -written : written;
  }
  isDecimalNegative = load<u8>(start) == MINUS;
  decimalStart = wholeStart;
  decimalStop = mantissaEnd;
  return true;
}

/** Leaves out the zeros at both ends of the digits. */
export function trimDecimal(): void {
  while (decimalStart < decimalStop) {
    const byte = <u32>load<u8>(decimalStart);
    if (byte != ZERO_DIGIT && byte != POINT) break;
    decimalExponent -= i64(byte == ZERO_DIGIT);
    decimalStart++;
  }
  while (decimalStop > decimalStart) {
    const byte = <u32>load<u8>(decimalStop - 1);
    if (byte != ZERO_DIGIT && byte != POINT) break;
    decimalStop--;
  }
}
