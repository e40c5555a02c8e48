// ndjson objects: the key's values are found by walking the bytes, and everything between them is skipped without
// parsing. A position of 0 means that the walk failed; `failure` then has the reason.

import {
  BAD_ESCAPE,
  BAD_STRUCTURE,
  BLANK,
  KEY_MISSING,
  KEYED,
  NOT_AN_OBJECT,
  TIME_UNREADABLE,
  UNTERMINATED_STRING,
} from '../lib/classes';
import { findNonScalar, findQuoteOrBracket, QUOTE } from './bytes';
import { beginKey, isNullPart, keepScratch, scratch, setPart, storeParts, storeWhole } from './keys';
import { TextLineRule } from './lines';
import { CLOSE_BRACE, isBlankInLine, OPEN_BRACE, SPACE, withoutBlanks } from './objects';
import { storeLastPart, storeRank } from './ranks';
import {
  hasRank,
  hasTime,
  keyCount,
  NULL_MISSING,
  nullMeaning,
  partCount,
  SCAN_KEYS_OFFSET,
  SEGMENT_KEY,
  TIME_TEXT_BYTES,
  TIME_TEXT_OFFSET,
} from './settings';
import { decodeString, equalsKey, hasEscapes, stringEnd } from './strings';
import { storeTimePart } from './times';

const COMMA: u32 = 0x2c;
const COLON: u32 = 0x3a;
const OPEN_BRACKET: u32 = 0x5b;
const CLOSE_BRACKET: u32 = 0x5d;

let failure: u32 = 0;

function fail(recordClass: u32): u32 {
  failure = recordClass;
  return 0;
}

function skipBlanks(position: u32, end: u32): u32 {
  // Most JSON is written without blanks.
  if (position < end && load<u8>(position) > SPACE) return position;
  let at = position;
  while (at < end && isBlankInLine(load<u8>(at))) at++;
  return at;
}

/** The byte at `at`; NUL, which is invalid in JSON outside strings, at the end. */
function byteAt(at: u32, end: u32): u32 {
  return at < end ? load<u8>(at) : 0;
}

/** One past the string whose opening quote is at `at`. */
function skipString(at: u32, end: u32): u32 {
  const quote = stringEnd(at + 1, end);
  return quote < end ? quote + 1 : fail(UNTERMINATED_STRING);
}

/** One past the object or array that opens at `at`. Only counts depth: does not check that brackets match. */
function skipNested(at: u32, end: u32): u32 {
  let depth: u32 = 0;
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
function skipValue(at: u32, end: u32): u32 {
  const byte = byteAt(at, end);
  if (byte == QUOTE) return skipString(at, end);
  if (byte == OPEN_BRACE || byte == OPEN_BRACKET) return skipNested(at, end);
  return skipScalar(at, end);
}

/** The start of the next member or item after the value at `at`. After the last one, the key is missing. */
function nextAfterValue(at: u32, end: u32, close: u32): u32 {
  const valueEnd = skipValue(at, end);
  if (valueEnd == 0) return 0;
  const position = skipBlanks(valueEnd, end);
  const byte = byteAt(position, end);
  if (byte == COMMA) return skipBlanks(position + 1, end);
  return fail(byte == close ? KEY_MISSING : BAD_STRUCTURE);
}

/** Whether the string content in [start, end) is the wanted key; a bad escape sets `failure`. */
function isWanted(start: u32, end: u32, key: u32, keyBytes: u32): bool {
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

/** One past the path that `findPath` last followed to its end. */
let pathEnd: u32 = 0;

/** The value at a path in the object that opens at `at`. */
function findPath(path: u32, at: u32, end: u32): u32 {
  let position = at;
  let segment = path + 4;
  for (let left = load<u32>(path); left > 0; left--) {
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

/** Sets part `index` to a string's content with its escapes decoded, between quotes like a plain string. */
function setDecoded(index: u32, contentStart: u32, contentEnd: u32): bool {
  const decoded = scratch();
  store<u8>(decoded, QUOTE);
  const decodedEnd = decodeString(contentStart, contentEnd, decoded + 1);
  if (decodedEnd == 0) {
    failure = BAD_ESCAPE;
    return false;
  }
  store<u8>(decodedEnd, QUOTE);
  keepScratch(decodedEnd + 1);
  setPart(index, decoded, decodedEnd + 1);
  return true;
}

/** Sets part `index` to the value that begins at `at`; returns false if the value is malformed. */
function setValue(index: u32, at: u32, end: u32): bool {
  const valueEnd = skipValue(at, end);
  if (valueEnd == 0) return false;
  const isDecoded = load<u8>(at) == QUOTE && hasEscapes;
  const next = byteAt(skipBlanks(valueEnd, end), end);
  if (next != COMMA && next != CLOSE_BRACE && next != CLOSE_BRACKET) {
    failure = BAD_STRUCTURE;
    return false;
  }
  if (isDecoded) return setDecoded(index, at + 1, valueEnd - 1);
  setPart(index, at, valueEnd);
  return true;
}

/** Stores a time whose text [start, end) contains escapes; returns the class of its record. */
function storeEscapedTime(start: u32, end: u32): u32 {
  if (end - start > TIME_TEXT_BYTES) return TIME_UNREADABLE;
  const decodedEnd = decodeString(start, end, TIME_TEXT_OFFSET);
  if (decodedEnd == 0) return BAD_ESCAPE;
  setPart(keyCount, TIME_TEXT_OFFSET, decodedEnd);
  return storeTimePart();
}

/** Stores the time at `path` in an object; returns the class of its record. */
function storeTime(path: u32, object: u32, end: u32): u32 {
  const value = findPath(path, object, end);
  if (value == 0) return failure == KEY_MISSING ? TIME_UNREADABLE : failure;
  const valueEnd = skipValue(value, end);
  if (valueEnd == 0) return failure;
  const quotes = u32(load<u8>(value) == QUOTE);
  // Some JSON writers escape the plus sign of a time zone.
  if (quotes && hasEscapes) return storeEscapedTime(value + 1, valueEnd - 1);
  setPart(keyCount, value + quotes, valueEnd - quotes);
  return storeTimePart();
}

/** Stores the rank of an object, which is the value at `path`; returns the class of its record. A null is a missing value. */
function storeRankAt(path: u32, object: u32, end: u32): u32 {
  const value = findPath(path, object, end);
  if (value == 0) return failure == KEY_MISSING ? storeRank(0, 0) : failure;
  const valueEnd = skipValue(value, end);
  if (valueEnd == 0) return failure;
  const quotes = u32(load<u8>(value) == QUOTE);
  if (quotes && hasEscapes) {
    const decodedEnd = decodeString(value + 1, valueEnd - 1, scratch());
    if (decodedEnd == 0) return BAD_ESCAPE;
    const decoded = scratch();
    keepScratch(decodedEnd);
    return storeRank(decoded, decodedEnd);
  }
  setPart(keyCount, value + quotes, valueEnd - quotes);
  return !quotes && isNullPart(keyCount) ? storeRank(0, 0) : storeLastPart();
}

/** Whether the last byte that is not blank is a closing brace: a cheap test that finds most truncated lines. */
function isClosed(start: u32, end: u32): bool {
  const at = withoutBlanks(start, end);
  return at > start && load<u8>(at - 1) == CLOSE_BRACE;
}

export class JsonObject extends TextLineRule {
  hasObjects(): bool {
    return true;
  }
  keyOf(start: u32, end: u32): u32 {
    const object = skipBlanks(start, end);
    if (object == end) return BLANK;
    if (partCount == 0) return storeWhole(start, end);
    if (byteAt(object, end) != OPEN_BRACE) return NOT_AN_OBJECT;
    beginKey();
    failure = KEYED;
    let path = SCAN_KEYS_OFFSET;
    for (let index: u32 = 0; index < keyCount; index++) {
      const value = findPath(path, object, end);
      if (value == 0 || !setValue(index, value, end)) break;
      if (nullMeaning == NULL_MISSING && isNullPart(index)) {
        failure = KEY_MISSING;
        break;
      }
      path = pathEnd;
    }
    if (failure > KEY_MISSING) return failure;
    if (!isClosed(object, end)) return BAD_STRUCTURE;
    if (failure != KEYED) return failure;
    const recordClass = keyCount == 0 ? storeWhole(start, end) : storeParts();
    if (recordClass != KEYED) return recordClass;
    if (hasRank) return storeRankAt(path, object, end);
    return hasTime ? storeTime(path, object, end) : KEYED;
  }
}
