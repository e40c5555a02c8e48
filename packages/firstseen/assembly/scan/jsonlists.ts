// ndjson objects with paths to the values of all items of an array. The values of a key become an array of them, as they are written, and
// those of a text one string, with a boundary between them.

import { TEXT_BOUNDARY } from '../lib/boundary';
import { BAD_ESCAPE, KEY_MISSING, KEYED } from '../lib/classes';
import { QUOTE } from './bytes';
import { isFollowed, setPartAt, storeObjectParts } from './json';
import {
  beginWalk,
  byteAt,
  CLOSE_BRACKET,
  COMMA,
  fail,
  failure,
  followPath,
  nextAfterValue,
  OPEN_BRACKET,
  pathAfter,
  segmentEnd,
  skipBlanks,
  skipValue,
} from './jsonwalk';
import { beginKey, isNullText, keepScratch, scratch, setPart } from './keys';
import { TextLineRule } from './lines';
import { textStart, walkedClass } from './objects';
import { keyCount, SCAN_KEYS_OFFSET, SEGMENT_EVERY, takesStrings, textCount } from './settings';
import { decodedTo, decodeString } from './strings';

/** True if the values are texts. The number of values and the beginning of a text follow. */
let areTexts: bool = false;
let valueCount: u32 = 0;
let listStart: u32 = 0;

/** The address at which the next span of a string is stored, if spans are taken in place of contents; 0 if not. */
let spanTarget: u32 = 0;

/** The first value that is not a text, and its end; 0 if there is none. A null counts only in a record without texts. */
let other: u32 = 0;
let otherEnd: u32 = 0;

/** Writes a byte after the values so far. The names on the way to the next one are decoded after it. */
function writeByte(byte: u32): void {
  store<u8>(scratch(), byte);
  keepScratch(scratch() + 1);
}

function writeValue(at: u32, valueEnd: u32): void {
  const target = scratch();
  memory.copy(target, at, valueEnd - at);
  keepScratch(target + (valueEnd - at));
}

/** Takes the content of the string at `at`; returns false if it is malformed. */
function takeString(at: u32, end: u32): bool {
  writeByte(valueCount++ == 0 ? QUOTE : TEXT_BOUNDARY);
  const decodedEnd = decodeString(at + 1, end, scratch());
  const valueEnd = decodedEnd != 0 && decodedTo < end ? decodedTo + 1 : skipValue(at, end);
  if (valueEnd == 0 || !isFollowed(valueEnd, end)) return false;
  if (decodedEnd == 0) {
    fail(BAD_ESCAPE);
    return false;
  }
  keepScratch(decodedEnd);
  return true;
}

/** Stores the span of the value at `at`, if it is a string. */
function takeSpan(at: u32, end: u32): bool {
  if (byteAt(at, end) != QUOTE) return true;
  store<u32>(spanTarget, at);
  store<u32>(spanTarget, skipValue(at, end), 4);
  spanTarget += 8;
  return true;
}

/** Takes the value at `at`; returns false if it is malformed. */
function takeValue(at: u32, end: u32): bool {
  if (spanTarget != 0) return takeSpan(at, end);
  if (areTexts && byteAt(at, end) == QUOTE) return takeString(at, end);
  const valueEnd = skipValue(at, end);
  if (valueEnd == 0 || !isFollowed(valueEnd, end)) return false;
  const isNull = isNullText(at, valueEnd);
  if (areTexts && (isNull || takesStrings)) {
    if (isNull && other != 0) return true;
    other = at;
    otherEnd = valueEnd;
    return true;
  }
  if (areTexts) writeByte(valueCount++ == 0 ? QUOTE : TEXT_BOUNDARY);
  else writeByte(valueCount++ == 0 ? OPEN_BRACKET : COMMA);
  writeValue(at, valueEnd);
  return true;
}

/** Tells if a value may be missing below an item. In a key, that is a failure. A text is compared without the value. */
function mayMiss(): bool {
  if (failure != KEY_MISSING || !areTexts) return false;
  beginWalk();
  return true;
}

/** Takes the values at the last `left` segments of a path, from the value at `at` on; returns false after a failure. */
function takeBelow(segment: u32, left: u32, at: u32, end: u32): bool {
  if (left == 0) return takeValue(at, end);
  const next = segmentEnd(segment);
  if (load<u32>(segment) != SEGMENT_EVERY) {
    // The number of segments before the first one is not read.
    const value = followPath(segment - 4, 1, at, end);
    return value == 0 ? mayMiss() : takeBelow(next, left - 1, value, end);
  }
  if (byteAt(at, end) != OPEN_BRACKET) {
    fail(KEY_MISSING);
    return mayMiss();
  }
  let position = skipBlanks(at + 1, end);
  if (byteAt(position, end) == CLOSE_BRACKET) return true;
  while (takeBelow(next, left - 1, position, end)) {
    position = nextAfterValue(position, end, CLOSE_BRACKET);
    if (position != 0) continue;
    if (failure != KEY_MISSING) return false;
    beginWalk();
    return true;
  }
  return false;
}

/** Tells if a value that is not a text decides: any but null, or a null in a record without texts. */
function hasOther(): bool {
  return other != 0 && (valueCount == 0 || !isNullText(other, otherEnd));
}

/** Sets part `index` to the values at `path`; returns false after a failure. */
function setListAt(index: u32, path: u32, object: u32, end: u32): bool {
  areTexts = index < textCount;
  valueCount = 0;
  other = 0;
  listStart = scratch();
  if (!takeBelow(path + 4, load<u32>(path), object, end)) return false;
  if (hasOther()) {
    setPart(index, other, otherEnd);
    return true;
  }
  if (valueCount == 0) {
    fail(KEY_MISSING);
    return false;
  }
  writeByte(areTexts ? QUOTE : CLOSE_BRACKET);
  setPart(index, listStart, scratch());
  return true;
}

/**
 * Stores at `target` the spans of the strings at `count` paths in the record [start, end), which was scanned without a failure; returns
 * their number.
 */
export function jsonStrings(paths: u32, count: u32, start: u32, end: u32, target: u32): u32 {
  areTexts = true;
  spanTarget = target;
  let path = paths;
  for (let left = count; left > 0; left--) {
    beginWalk();
    takeBelow(path + 4, load<u32>(path), skipBlanks(start, end), end);
    path = pathAfter(path);
  }
  const strings = (spanTarget - target) >> 3;
  spanTarget = 0;
  return strings;
}

function isList(path: u32): bool {
  let segment = path + 4;
  for (let left = load<u32>(path); left > 0; left--) {
    if (load<u32>(segment) == SEGMENT_EVERY) return true;
    segment = segmentEnd(segment);
  }
  return false;
}

export class JsonLists extends TextLineRule {
  keyOf(start: u32, end: u32): u32 {
    const walked = walkedClass();
    if (walked != KEYED) return walked;
    const text = textStart(start, end);
    const object = skipBlanks(text, end);
    beginKey();
    beginWalk();
    let path = SCAN_KEYS_OFFSET;
    for (let index: u32 = 0; index < keyCount; index++) {
      const isSet = isList(path) ? setListAt(index, path, object, end) : setPartAt(index, path, object, end);
      if (!isSet) break;
      path = pathAfter(path);
    }
    return storeObjectParts(path, object, text, end);
  }
}
