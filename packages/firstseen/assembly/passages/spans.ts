// Writes spans as JSON.

import { writeScore } from './scores';

const COMMA: u32 = 0x2c;
/** The bytes of `,[`. */
const BEGIN: u32 = 0x5b2c;
/** The bytes of `,1]`. */
const END: u32 = 0x5d312c;
const END_BYTES: u32 = 3;
const BRACKET: u32 = 0x5d;

/** The least number of more than eight digits. */
const LONG: u32 = 100_000_000;
const ZERO_DIGITS: u64 = 0x3030303030303030;

/** The values of eight digits of a number below `LONG`, the first one in the lowest byte. */
function digitsOf(value: u32): u64 {
  // Four digits are in each half, then two in each quarter, then one in each byte.
  const thousands = value / 10_000;
  const halves = <u64>thousands | ((<u64>(value - thousands * 10_000)) << 32);
  const hundreds = ((halves * 10_486) >> 20) & 0x0000007f0000007f;
  const quarters = hundreds | ((halves - 100 * hundreds) << 16);
  const tens = ((quarters * 103) >> 10) & 0x000f000f000f000f;
  return tens | ((quarters - 10 * tens) << 8);
}

/** Writes a number; returns one past it. Seven bytes more may be written. */
function writeNumber(value: u32, target: u32): u32 {
  if (value >= LONG) {
    const at = writeNumber(value / LONG, target);
    store<u64>(at, digitsOf(value % LONG) | ZERO_DIGITS);
    return at + 8;
  }
  const digits = digitsOf(value);
  const leadingZeros = min(<u32>ctz(digits) >> 3, 7);
  store<u64>(target, (digits | ZERO_DIGITS) >> (leadingZeros << 3));
  return target + 8 - leadingZeros;
}

/** Writes the beginning of a span with a comma before it; returns one past it. */
function beginSpan(start: u32, end: u32, target: u32): u32 {
  store<u16>(target, BEGIN);
  const at = writeNumber(start, target + 2);
  store<u8>(at, COMMA);
  return writeNumber(end, at + 1);
}

/** Writes the span of a passage with the score that was found last; returns one past it. Some bytes more may be written. */
export function writeScoredSpan(start: u32, end: u32, target: u32): u32 {
  let at = beginSpan(start, end, target);
  store<u8>(at, COMMA);
  at = writeScore(at + 1);
  store<u8>(at, BRACKET);
  return at + 1;
}

/** Writes a comma and the span of a passage that was seen as a whole; returns one past it. One byte more may be written. */
export function writeSpan(start: u32, end: u32, target: u32): u32 {
  const at = beginSpan(start, end, target);
  store<u32>(at, END);
  return at + END_BYTES;
}
