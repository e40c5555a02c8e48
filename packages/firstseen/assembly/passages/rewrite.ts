// Copies a record with the contents of JSON strings without some parts of the texts that they mean. Escapes stay as they are written.

import { findCounting } from './characters';

const BACKSLASH: u32 = 0x5c;
const LETTER_U: u32 = 0x75;

/** Bytes of an escape of one character and of a code unit. */
const SHORT_BYTES: u32 = 2;
const UNIT_BYTES: u32 = 6;

/** The upper six bits of code units that are the first and the second half of a character. */
const FIRST_HALF: u32 = 0x36;
const SECOND_HALF: u32 = 0x37;

/** The next byte that is read, the end of the content, and the next backslash. */
let position: u32 = 0;
let contentEnd: u32 = 0;
let backslash: u32 = 0;
/** Bytes of the text before the position, when escapes are decoded. */
let decoded: u32 = 0;
let target: u32 = 0;

/** Bytes of the escape that was measured, when it is decoded. */
let decodedBytes: u32 = 0;

/** The value of a hexadecimal digit, which the scanner has checked. */
function digit(byte: u32): u32 {
  return (byte & 0x0f) + (byte > 0x39 ? 9 : 0);
}

function codeUnit(at: u32): u32 {
  const high = (digit(load<u8>(at, 2)) << 4) | digit(load<u8>(at, 3));
  return (high << 8) | (digit(load<u8>(at, 4)) << 4) | digit(load<u8>(at, 5));
}

/** Tells if a code unit that is this half of a character is written at `at`. */
function isHalf(at: u32, half: u32): bool {
  if (contentEnd - at < UNIT_BYTES || load<u8>(at) != BACKSLASH || load<u8>(at, 1) != LETTER_U) return false;
  return codeUnit(at) >> 10 == half;
}

/** Bytes of the escape at `at`, as it is written. */
function measureEscape(at: u32): u32 {
  decodedBytes = 1;
  if (load<u8>(at, 1) != LETTER_U) return SHORT_BYTES;
  const unit = codeUnit(at);
  if (unit < 0x80) return UNIT_BYTES;
  decodedBytes = 2;
  if (unit < 0x800) return UNIT_BYTES;
  decodedBytes = 3;
  if (unit >> 10 != FIRST_HALF || !isHalf(at + UNIT_BYTES, SECOND_HALF)) return UNIT_BYTES;
  decodedBytes = 4;
  return 2 * UNIT_BYTES;
}

function nextBackslash(): void {
  backslash = findCounting(position, contentEnd, BACKSLASH);
}

/** Moves to this byte of the text. */
function moveTo(offset: u32): void {
  while (backslash < contentEnd && decoded + (backslash - position) < offset) {
    const bytes = measureEscape(backslash);
    decoded += backslash - position + decodedBytes;
    position = backslash + bytes;
    nextBackslash();
  }
  position += offset - decoded;
  decoded = offset;
}

function copyUpTo(start: u32): void {
  memory.copy(target, start, position - start);
  target += position - start;
}

/** Begins with the record at `start`, which is copied to `to`. */
export function rewriteBegin(start: u32, to: u32): void {
  target = to;
  position = start;
}

/** Copies what is before the content in [start, end), of which parts are left out. Contents come in the order of the record. */
export function rewriteString(start: u32, end: u32): void {
  const from = position;
  position = start;
  copyUpTo(from);
  contentEnd = end;
  decoded = 0;
  nextBackslash();
}

/** Bytes of the content in [start, end), when its escapes are decoded. */
export function rewriteBytes(start: u32, end: u32): u32 {
  position = start;
  contentEnd = end;
  let bytes = end - start;
  for (nextBackslash(); backslash < contentEnd; nextBackslash()) {
    const written = measureEscape(backslash);
    bytes -= written - decodedBytes;
    position = backslash + written;
  }
  return bytes;
}

/** Copies what is before each of `count` parts, but not the part. `parts` has the first byte and one past the last of each, in order. */
export function rewriteWithout(parts: u32, count: u32): void {
  for (let part = parts; part < parts + (count << 3); part += 8) {
    const start = position;
    moveTo(load<u32>(part));
    copyUpTo(start);
    moveTo(load<u32>(part, 4));
  }
}

/** Copies the rest up to `end`, which may be after the content; returns one past what was copied. */
export function rewriteEnd(end: u32): u32 {
  const start = position;
  position = end;
  copyUpTo(start);
  return target;
}
