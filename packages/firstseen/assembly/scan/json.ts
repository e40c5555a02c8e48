// ndjson objects: the values of the key are found by walking the bytes.

import {
  BAD_ESCAPE,
  BAD_STRUCTURE,
  KEY_MISSING,
  KEYED,
  NOT_AN_OBJECT,
  TIME_UNREADABLE,
  UNTERMINATED_STRING,
} from '../lib/classes';
import { findEither, QUOTE } from './bytes';
import { cutMembers } from './jsonexcept';
import {
  beginWalk,
  byteAt,
  CLOSE_BRACKET,
  COMMA,
  fail,
  failure,
  findPath,
  pathEnd,
  skipBlanks,
  skipValue,
} from './jsonwalk';
import {
  beginKey,
  isNullPart,
  isNullText,
  keepScratch,
  scratch,
  setPart,
  storeParts,
  storeText,
  storeWhole,
} from './keys';
import { TextLineRule } from './lines';
import { BACKSLASH, CLOSE_BRACE, textStart, walkedClass } from './objects';
import { storeLastPart, storeRank } from './ranks';
import {
  exceptCount,
  hasRank,
  hasTime,
  keyCount,
  NULL_MISSING,
  nullMeaning,
  partCount,
  SCAN_KEYS_OFFSET,
  TIME_DECODED_OFFSET,
  TIME_TEXT_BYTES,
} from './settings';
import { decodedTo, decodeString, hasEscapes } from './strings';
import { storeTimePart } from './times';

/** Tells if a value may end here: another one follows, or what it is in ends. */
export function isFollowed(valueEnd: u32, end: u32): bool {
  const next = byteAt(skipBlanks(valueEnd, end), end);
  if (next == COMMA || next == CLOSE_BRACE || next == CLOSE_BRACKET) return true;
  fail(BAD_STRUCTURE);
  return false;
}

/** As `setValue` for a string with escapes: sets the part to its content as decoded, between quotes like a plain string. */
function setDecoded(index: u32, at: u32, end: u32): u32 {
  const decoded = scratch();
  store<u8>(decoded, QUOTE);
  const decodedEnd = decodeString(at + 1, end, decoded + 1);
  const valueEnd = decodedEnd != 0 && decodedTo < end ? decodedTo + 1 : skipValue(at, end);
  if (valueEnd == 0 || !isFollowed(valueEnd, end)) return 0;
  if (decodedEnd == 0) return fail(BAD_ESCAPE);
  store<u8>(decodedEnd, QUOTE);
  keepScratch(decodedEnd + 1);
  setPart(index, decoded, decodedEnd + 1);
  return valueEnd;
}

/** Sets part `index` to the value that begins at `at`; returns one past it, or 0 if it is malformed. */
function setValue(index: u32, at: u32, end: u32): u32 {
  let valueEnd: u32 = 0;
  if (byteAt(at, end) == QUOTE) {
    // A long text is read once: its escapes are decoded while its end is found.
    const plainEnd = findEither(at + 1, end, QUOTE, BACKSLASH);
    if (byteAt(plainEnd, end) == BACKSLASH) return setDecoded(index, at, end);
    valueEnd = plainEnd < end ? plainEnd + 1 : fail(UNTERMINATED_STRING);
  } else {
    valueEnd = skipValue(at, end);
  }
  if (valueEnd == 0 || !isFollowed(valueEnd, end)) return 0;
  setPart(index, at, valueEnd);
  return valueEnd;
}

/** One past the parts of the time of the current record that were decoded. */
let timeDecodedEnd: u32 = 0;

/** Sets part `index`, which is of the time, to the text [start, end) with escapes; returns the class of its record. */
function setEscapedTime(index: u32, start: u32, end: u32): u32 {
  if (end - start > TIME_DECODED_OFFSET + TIME_TEXT_BYTES - timeDecodedEnd) return TIME_UNREADABLE;
  const decodedEnd = decodeString(start, end, timeDecodedEnd);
  if (decodedEnd == 0) return BAD_ESCAPE;
  setPart(index, timeDecodedEnd, decodedEnd);
  timeDecodedEnd = decodedEnd;
  return KEYED;
}

/** Sets part `index`, which is of the time, to the value at `path` in an object; returns the class of its record. */
function setTimeAt(index: u32, path: u32, object: u32, end: u32): u32 {
  const value = findPath(path, object, end);
  if (value == 0) return failure == KEY_MISSING ? TIME_UNREADABLE : failure;
  const valueEnd = skipValue(value, end);
  if (valueEnd == 0) return failure;
  if (isNullText(value, valueEnd)) return TIME_UNREADABLE;
  const quotes = u32(load<u8>(value) == QUOTE);
  // Some JSON writers escape the plus sign of a time zone.
  if (quotes && hasEscapes) return setEscapedTime(index, value + 1, valueEnd - 1);
  setPart(index, value + quotes, valueEnd - quotes);
  return KEYED;
}

/** Stores the time of an object, whose parts are at `firstPath` and at the paths after it; returns the class of its record. */
function storeTime(firstPath: u32, object: u32, end: u32): u32 {
  timeDecodedEnd = TIME_DECODED_OFFSET;
  let path = firstPath;
  for (let index = keyCount; index < partCount; index++) {
    const recordClass = setTimeAt(index, path, object, end);
    if (recordClass != KEYED) return recordClass;
    path = pathEnd;
  }
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

/** Stores the fingerprint of a whole object, without what is left out of it; returns its class. */
function storeObject(start: u32, end: u32): u32 {
  if (exceptCount == 0) return storeWhole(start, end);
  const rest = scratch();
  const restEnd = cutMembers(start, end);
  return restEnd == 0 ? failure : storeText(rest, restEnd);
}

/** Sets part `index` to the value at `path` in the object; returns false after a failure. */
export function setPartAt(index: u32, path: u32, object: u32, end: u32): bool {
  const value = findPath(path, object, end);
  if (value == 0 || setValue(index, value, end) == 0) return false;
  if (nullMeaning != NULL_MISSING || !isNullPart(index)) return true;
  fail(KEY_MISSING);
  return false;
}

/** Stores the key of an object from its parts, and what is at `path`, after the keys; returns the class of its record. */
export function storeObjectParts(path: u32, object: u32, text: u32, end: u32): u32 {
  if (failure != KEYED) return failure;
  const recordClass = keyCount == 0 ? storeObject(text, end) : storeParts();
  if (recordClass != KEYED) return recordClass;
  if (hasRank) return storeRankAt(path, object, end);
  return hasTime ? storeTime(path, object, end) : KEYED;
}

export class JsonObject extends TextLineRule {
  keyOf(start: u32, end: u32): u32 {
    const isWhole = partCount + exceptCount == 0;
    const walked = walkedClass();
    // Without a key, a line that does not begin with an object is compared as it is.
    if (walked != KEYED && !(isWhole && walked == NOT_AN_OBJECT)) return walked;
    const text = textStart(start, end);
    if (isWhole) return storeWhole(text, end);
    const object = skipBlanks(text, end);
    beginKey();
    beginWalk();
    let path = SCAN_KEYS_OFFSET;
    for (let index: u32 = 0; index < keyCount && setPartAt(index, path, object, end); index++) path = pathEnd;
    return storeObjectParts(path, object, text, end);
  }
}
