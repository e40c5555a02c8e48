// A walk over the bytes of a JSON object that finds values by their paths. Everything between them is skipped without parsing. A
// position of 0 means that the walk failed; `failure` then has the reason.

import { BAD_ESCAPE, BAD_STRUCTURE, KEY_MISSING, KEYED, UNTERMINATED_STRING } from '../lib/classes';
import { findNonScalar, findQuoteOrBracket, QUOTE } from './bytes';
import { scratch } from './keys';
import { CLOSE_BRACE, isBlankInLine, OPEN_BRACE, SPACE } from './objects';
import { SEGMENT_KEY } from './settings';
import { decodeString, equalsKey, hasEscapes, stringEnd } from './strings';

export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const OPEN_BRACKET: u32 = 0x5b;
export const CLOSE_BRACKET: u32 = 0x5d;

/** Why the walk failed; KEYED if it did not. */
export let failure: u32 = KEYED;

/** Must be called before the walk through a record. */
export function beginWalk(): void {
  failure = KEYED;
}

/** Ends the walk; returns the position of a walk that failed. */
export function fail(recordClass: u32): u32 {
  failure = recordClass;
  return 0;
}

export function skipBlanks(position: u32, end: u32): u32 {
  // Most JSON is written without blanks.
  if (position < end && load<u8>(position) > SPACE) return position;
  let at = position;
  while (at < end && isBlankInLine(load<u8>(at))) at++;
  return at;
}

/** The byte at `at`; NUL, which is invalid in JSON outside strings, at the end. */
export function byteAt(at: u32, end: u32): u32 {
  return at < end ? load<u8>(at) : 0;
}

/** One past the string whose opening quote is at `at`. */
function skipString(at: u32, end: u32): u32 {
  const quote = stringEnd(at + 1, end);
  return quote < end ? quote + 1 : fail(UNTERMINATED_STRING);
}

/** One past the bracket that closes the object or array in which `at` is. Only counts depth: does not check that brackets match. */
function skipOut(at: u32, end: u32): u32 {
  let depth = 1;
  let position = at;
  while (true) {
    position = findQuoteOrBracket(position, end);
    const byte = byteAt(position, end);
    if (byte == 0) return fail(BAD_STRUCTURE);
    if (byte == QUOTE) {
      position = skipString(position, end);
      if (position == 0) return 0;
      continue;
    }
    position++;
    if (byte == OPEN_BRACE || byte == OPEN_BRACKET) depth++;
    else if (--depth == 0) return position;
  }
}

function skipScalar(at: u32, end: u32): u32 {
  const scalarEnd = findNonScalar(at, end);
  return scalarEnd > at ? scalarEnd : fail(BAD_STRUCTURE);
}

/** One past the value that begins at `at`. */
export function skipValue(at: u32, end: u32): u32 {
  const byte = byteAt(at, end);
  if (byte == QUOTE) return skipString(at, end);
  if (byte == OPEN_BRACE || byte == OPEN_BRACKET) return skipOut(at + 1, end);
  return skipScalar(at, end);
}

/** The start of the next member or item after the value at `at`. After the last one, the key is missing. */
export function nextAfterValue(at: u32, end: u32, close: u32): u32 {
  const valueEnd = skipValue(at, end);
  if (valueEnd == 0) return 0;
  const position = skipBlanks(valueEnd, end);
  const byte = byteAt(position, end);
  if (byte == COMMA) return skipBlanks(position + 1, end);
  return fail(byte == close ? KEY_MISSING : BAD_STRUCTURE);
}

/** Tells if the string content in [start, end) is the wanted key; a bad escape sets `failure`. */
export function isWanted(start: u32, end: u32, key: u32, keyBytes: u32): bool {
  if (!hasEscapes) return equalsKey(start, end, key, keyBytes);
  const decodedEnd = decodeString(start, end, scratch());
  if (decodedEnd == 0) {
    failure = BAD_ESCAPE;
    return false;
  }
  return equalsKey(scratch(), decodedEnd, key, keyBytes);
}

/** The value of a key in the object that opens at `at`. */
function findMember(at: u32, end: u32, key: u32, keyBytes: u32): u32 {
  let position = skipBlanks(at + 1, end);
  if (byteAt(position, end) == CLOSE_BRACE) return fail(KEY_MISSING);
  while (true) {
    if (byteAt(position, end) != QUOTE) return fail(BAD_STRUCTURE);
    const nameStart = position + 1;
    const nameEnd = stringEnd(nameStart, end);
    if (nameEnd == end) return fail(UNTERMINATED_STRING);
    const wanted = isWanted(nameStart, nameEnd, key, keyBytes);
    if (failure != KEYED) return 0;
    position = skipBlanks(nameEnd + 1, end);
    if (byteAt(position, end) != COLON) return fail(BAD_STRUCTURE);
    position = skipBlanks(position + 1, end);
    if (wanted) return position;
    position = nextAfterValue(position, end, CLOSE_BRACE);
    if (position == 0) return 0;
  }
}

/** Item number `index` of the array that opens at `at`. */
function findItem(at: u32, end: u32, index: u32): u32 {
  let position = skipBlanks(at + 1, end);
  if (byteAt(position, end) == CLOSE_BRACKET) return fail(KEY_MISSING);
  for (let i: u32 = 0; i < index; i++) {
    position = nextAfterValue(position, end, CLOSE_BRACKET);
    if (position == 0) return 0;
  }
  return position;
}

/** One past the segments that `followPath` last followed to their end. */
export let pathEnd: u32 = 0;

/** One past the segment at `segment`. */
export function segmentEnd(segment: u32): u32 {
  const isKey = load<u32>(segment) == SEGMENT_KEY;
  return segment + 8 + (isKey ? (load<u32>(segment, 4) + 3) & ~3 : 0);
}

/** One past an encoded path. */
export function pathAfter(path: u32): u32 {
  let segment = path + 4;
  for (let left = load<u32>(path); left > 0; left--) segment = segmentEnd(segment);
  return segment;
}

/** The value at the first `segments` of a path in the object that opens at `at`. */
export function followPath(path: u32, segments: u32, at: u32, end: u32): u32 {
  let position = at;
  let segment = path + 4;
  for (let left = segments; left > 0; left--) {
    const isKey = load<u32>(segment) == SEGMENT_KEY;
    const value = load<u32>(segment, 4);
    segment += 8;
    // A path through a value of another type than the segment requires does not exist.
    if (byteAt(position, end) != (isKey ? OPEN_BRACE : OPEN_BRACKET)) return fail(KEY_MISSING);
    position = isKey ? findMember(position, end, segment, value) : findItem(position, end, value);
    if (position == 0) return 0;
    if (isKey) segment += (value + 3) & ~3;
  }
  pathEnd = segment;
  return position;
}

/** The value at a path in the object that opens at `at`. */
export function findPath(path: u32, at: u32, end: u32): u32 {
  return followPath(path, load<u32>(path), at, end);
}
