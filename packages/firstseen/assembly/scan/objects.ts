// Where an object of ndjson ends that does not end its line: several objects can be on one line, with or without blanks
// between them. A line that begins otherwise is one record, and so is the rest of a line after an object that something
// else follows. A newline ends every record, because no JSON text on one line contains one.

import { CARRIAGE_RETURN, findByte, findEither, findQuoteOrBracket, NEWLINE, QUOTE } from './bytes';

/** Past every address. */
export const NO_ADDRESS: u32 = u32.MAX_VALUE;

export const SPACE: u32 = 0x20;
const TAB: u32 = 0x09;
export const BACKSLASH: u32 = 0x5c;
export const OPEN_BRACE: u32 = 0x7b;
export const CLOSE_BRACE: u32 = 0x7d;
/** The bit in which braces and brackets differ. */
const BRACE_BIT: u32 = 0x20;

const BEFORE_OBJECT: u32 = 0;
const IN_OBJECT: u32 = 1;
const IN_STRING: u32 = 2;
const AFTER_BACKSLASH: u32 = 3;
const AFTER_OBJECT: u32 = 4;
const IN_REST: u32 = 5;

/** Where the walk is in a record, and in how many brackets, between two calls. */
let place: u32 = BEFORE_OBJECT;
let depth: u32 = 0;

/** A blank within a line. */
export function isBlankInLine(byte: u32): bool {
  return byte == SPACE || byte == TAB || byte == CARRIAGE_RETURN;
}

/** The end of [start, end) without the blanks before it. */
export function withoutBlanks(start: u32, end: u32): u32 {
  let at = end;
  while (at > start && isBlankInLine(load<u8>(at - 1))) at--;
  return at;
}

/** Must be called before the first piece of a record. */
export function skipJsonReset(): void {
  place = BEFORE_OBJECT;
}

/** The start of the next object in [position, end), which has no newline, or `end`. */
function findNextObject(position: u32, end: u32): u32 {
  let at = position;
  while (at < end && place != IN_REST) {
    if (place == IN_OBJECT) at = findQuoteOrBracket(at, end);
    else if (place == IN_STRING) at = findEither(at, end, QUOTE, BACKSLASH);
    if (at == end) break;
    const byte = <u32>load<u8>(at);
    if (place == AFTER_BACKSLASH) place = IN_STRING;
    else if (place == IN_STRING) place = byte == QUOTE ? IN_OBJECT : AFTER_BACKSLASH;
    else if (place != IN_OBJECT) {
      if (byte == OPEN_BRACE) {
        if (place == AFTER_OBJECT) return at;
        place = IN_OBJECT;
        depth = 1;
      } else if (!isBlankInLine(byte)) place = IN_REST;
    } else if (byte == QUOTE) place = IN_STRING;
    else if ((byte | BRACE_BIT) == OPEN_BRACE) depth++;
    else if (--depth == 0) place = AFTER_OBJECT;
    at++;
  }
  return end;
}

/** The start of the object that follows the one at `start` on its line, which goes to `end` at least, or `end`. */
export function nextObject(start: u32, end: u32): u32 {
  skipJsonReset();
  return findNextObject(start, end);
}

/**
 * Finds the end of a record that is longer than the region, one piece at a time: returns one past its newline, or the
 * start of the next object on its line, or 0 if the record does not end in [position, end).
 */
export function skipJsonRecord(position: u32, end: u32): u32 {
  const lineEnd = findByte(position, end, NEWLINE);
  const next = findNextObject(position, lineEnd);
  if (next < lineEnd) return next;
  return lineEnd < end ? lineEnd + 1 : 0;
}

/**
 * The closing braces among the 16 bytes at `at`, a bit each, that an opening brace or a blank follows: a cheap test, part
 * of the search for newlines, that no object which another follows can escape.
 */
export function bracesBeforeNext(at: u32, bytes: v128): i32 {
  const next = v128.load(at + 1);
  const blanks = v128.andnot(i8x16.le_u(next, i8x16.splat(<i8>SPACE)), i8x16.eq(next, i8x16.splat(<i8>NEWLINE)));
  const follows = v128.or(i8x16.eq(next, i8x16.splat(<i8>OPEN_BRACE)), blanks);
  return i8x16.bitmask(v128.and(i8x16.eq(bytes, i8x16.splat(<i8>CLOSE_BRACE)), follows));
}

/** The first of the braces that `bracesBeforeNext` found which an opening one follows after blanks, perhaps in a string, or NO_ADDRESS. */
export function firstBeforeObject(at: u32, braces: i32, end: u32): u32 {
  for (let mask = braces; mask; mask &= mask - 1) {
    const brace = at + <u32>ctz(mask);
    let next = brace + 1;
    while (next < end && isBlankInLine(load<u8>(next))) next++;
    if (next < end && load<u8>(next) == OPEN_BRACE) return brace;
  }
  return NO_ADDRESS;
}
