// Byte searches, sixteen bytes at a time. A load may pass `end` by up to 15 bytes, which the host keeps readable; their
// values have no effect.

import { findByte, firstMarked, QUOTE } from '../lib/bytes';

export { findByte, QUOTE };

/** Bytes after an input that the host keeps readable. */
export const SCAN_SPARE_BYTES: u32 = 64;

export const NEWLINE: u32 = 0x0a;
export const NUL: u32 = 0;
export const TAB: u32 = 0x09;
export const CARRIAGE_RETURN: u32 = 0x0d;

/** Like `findByte`, for either of two bytes. */
export function findEither(position: u32, end: u32, first: u32, second: u32): u32 {
  const wantedFirst = i8x16.splat(<i8>first);
  const wantedSecond = i8x16.splat(<i8>second);
  for (let at = position; at < end; at += 16) {
    const bytes = v128.load(at);
    const mask = i8x16.bitmask(v128.or(i8x16.eq(bytes, wantedFirst), i8x16.eq(bytes, wantedSecond)));
    if (mask) return firstMarked(at, end, mask);
  }
  return end;
}

/** Like `findByte`, for any of three bytes. */
export function findAny(position: u32, end: u32, first: u32, second: u32, third: u32): u32 {
  const wantedFirst = i8x16.splat(<i8>first);
  const wantedSecond = i8x16.splat(<i8>second);
  const wantedThird = i8x16.splat(<i8>third);
  for (let at = position; at < end; at += 16) {
    const bytes = v128.load(at);
    const either = v128.or(i8x16.eq(bytes, wantedFirst), i8x16.eq(bytes, wantedSecond));
    const mask = i8x16.bitmask(v128.or(either, i8x16.eq(bytes, wantedThird)));
    if (mask) return firstMarked(at, end, mask);
  }
  return end;
}

/** The address of the first quote, bracket or brace, opening or closing, or `end`. */
export function findQuoteOrBracket(position: u32, end: u32): u32 {
  // [ and {, and ] and }, differ in bit 0x20 only, so setting it leaves two values to compare.
  const caseBit = i8x16.splat(0x20);
  for (let at = position; at < end; at += 16) {
    const bytes = v128.load(at);
    const folded = v128.or(bytes, caseBit);
    const brackets = v128.or(i8x16.eq(folded, i8x16.splat(0x7b)), i8x16.eq(folded, i8x16.splat(0x7d)));
    const mask = i8x16.bitmask(v128.or(brackets, i8x16.eq(bytes, i8x16.splat(<i8>QUOTE))));
    if (mask) return firstMarked(at, end, mask);
  }
  return end;
}

/** 255 in each lane that lies in [first, first + count). */
function lanesInRange(bytes: v128, first: u32, count: u32): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(<i8>first)), i8x16.splat(<i8>count));
}

/**
 * The first byte that cannot be part of a number, true, false or null, or `end`. A slash is accepted too, which saves a
 * step.
 */
export function findNonScalar(position: u32, end: u32): u32 {
  for (let at = position; at < end; at += 16) {
    const bytes = v128.load(at);
    const letters = lanesInRange(v128.or(bytes, i8x16.splat(0x20)), 0x61, 26);
    // The range + to 9 contains, besides the signs, the point and the digits, the comma, which ends a scalar, and the
    // slash.
    const digits = v128.andnot(lanesInRange(bytes, 0x2b, 15), i8x16.eq(bytes, i8x16.splat(0x2c)));
    const mask = ~i8x16.bitmask(v128.or(letters, digits)) & 0xffff;
    if (mask) return firstMarked(at, end, mask);
  }
  return end;
}

/** Tells if two runs of `length` bytes are equal. */
export function equalBytes(left: u32, right: u32, length: u32): bool {
  for (let i: u32 = 0; i < length; i += 16) {
    const differing = i8x16.bitmask(i8x16.ne(v128.load(left + i), v128.load(right + i)));
    if (differing && i + <u32>ctz(differing) < length) return false;
  }
  return true;
}

/** The end of a line's content: `end` without the carriage return of a CRLF. */
export function withoutCarriageReturn(start: u32, end: u32): u32 {
  return end > start && load<u8>(end - 1) == CARRIAGE_RETURN ? end - 1 : end;
}
