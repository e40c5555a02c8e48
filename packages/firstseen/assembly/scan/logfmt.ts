// logfmt: pairs such as level=info msg="connection closed", separated by blanks. A value in quotes is the same key as without them.

import { BAD_ESCAPE, KEYED, TEXT_AFTER_QUOTE, UNTERMINATED_QUOTE } from '../lib/classes';
import { QUOTE } from './bytes';
import { beginRest, cutBlanksBefore, cutBytes } from './except';
import { beginParts, classOfParts, isPartSet, keepScratch, scratch, setPart } from './keys';
import { TextLineRule } from './lines';
import { SPACE } from './objects';
import { storeRest, storeRow } from './ranks';
import { exceptCount, exceptPlaces, partCount, SCAN_KEYS_OFFSET } from './settings';
import { decodeString, equalsKey, hasEscapes, stringEnd } from './strings';

const EQUALS_SIGN: u32 = 0x3d;
/** Bytes before the name in an encoded path of one segment. */
const PATH_BYTES: u32 = 12;

/** The value that was read last, without its quotes, and whether it has escapes. */
let valueStart: u32 = 0;
let valueEnd: u32 = 0;
let isEscaped: bool = false;
/** One past the pair that was read last. */
let pairEnd: u32 = 0;

/** The first byte from `position` on that is not blank, or `end`. Control characters are blanks. */
function skipBlanks(position: u32, end: u32): u32 {
  let at = position;
  while (at < end && load<u8>(at) <= SPACE) at++;
  return at;
}

/** The first blank from `position` on, or `end`. */
function findBlank(position: u32, end: u32): u32 {
  let at = position;
  while (at < end && load<u8>(at) > SPACE) at++;
  return at;
}

/** One past the name that begins at `position`. */
function nameEndOf(position: u32, end: u32): u32 {
  let at = position;
  while (at < end && load<u8>(at) > SPACE && load<u8>(at) != EQUALS_SIGN) at++;
  return at;
}

/** Reads the value after the name that ends at `nameEnd`. Returns the class of an error, or 0. */
function readValue(nameEnd: u32, end: u32): u32 {
  isEscaped = false;
  valueStart = nameEnd;
  valueEnd = nameEnd;
  pairEnd = nameEnd;
  if (nameEnd == end || load<u8>(nameEnd) != EQUALS_SIGN) return 0;
  valueStart = nameEnd + 1;
  if (valueStart < end && load<u8>(valueStart) == QUOTE) {
    valueStart++;
    valueEnd = stringEnd(valueStart, end);
    if (valueEnd == end) return UNTERMINATED_QUOTE;
    isEscaped = hasEscapes;
    pairEnd = valueEnd + 1;
    return pairEnd < end && load<u8>(pairEnd) > SPACE ? TEXT_AFTER_QUOTE : 0;
  }
  valueEnd = findBlank(valueStart, end);
  pairEnd = valueEnd;
  return 0;
}

/** Replaces the value by what its escapes mean. Returns false if it has an invalid escape. */
function decodeValue(): bool {
  const decoded = scratch();
  const decodedEnd = decodeString(valueStart, valueEnd, decoded);
  isEscaped = false;
  if (decodedEnd == 0) return false;
  keepScratch(decodedEnd);
  valueStart = decoded;
  valueEnd = decodedEnd;
  return true;
}

/** The class of an error in the pair that was taken last, or 0. */
let failure: u32 = 0;

/** Sets the parts of this name that were not found before; returns their number. */
function takePair(name: u32, nameEnd: u32): u32 {
  let taken: u32 = 0;
  let path = SCAN_KEYS_OFFSET;
  for (let index: u32 = 0; index < partCount; index++) {
    const bytes = load<u32>(path, 8);
    if (!isPartSet(index) && equalsKey(name, nameEnd, path + PATH_BYTES, bytes)) {
      if (isEscaped && !decodeValue()) failure = BAD_ESCAPE;
      setPart(index, valueStart, valueEnd);
      taken++;
    }
    path += PATH_BYTES + ((bytes + 3) & ~3);
  }
  return taken;
}

/** Tells if a name is one that the record is without. */
function isExcept(name: u32, nameEnd: u32): bool {
  let path = exceptPlaces;
  for (let left = exceptCount; left > 0; left--) {
    const bytes = load<u32>(path, 8);
    if (equalsKey(name, nameEnd, path + PATH_BYTES, bytes)) return true;
    path += PATH_BYTES + ((bytes + 3) & ~3);
  }
  return false;
}

/** Leaves all pairs out that the record is without, each with the blanks after it, and the last one with those before it. Returns the class of an error, or 0. */
function cutPairs(start: u32, end: u32): u32 {
  beginRest(start);
  for (let name = skipBlanks(start, end); name < end; ) {
    const nameEnd = nameEndOf(name, end);
    const found = readValue(nameEnd, end);
    if (found != 0) return found;
    const next = skipBlanks(pairEnd, end);
    if (isExcept(name, nameEnd)) {
      cutBytes(name, next);
      if (next == end) cutBlanksBefore();
    }
    name = next;
  }
  return 0;
}

export class LogfmtRecord extends TextLineRule {
  keyOf(start: u32, end: u32): u32 {
    beginParts();
    let wanted = partCount;
    for (let at = start; wanted > 0; at = pairEnd) {
      const name = skipBlanks(at, end);
      if (name == end) break;
      const nameEnd = nameEndOf(name, end);
      failure = readValue(nameEnd, end);
      if (failure == 0) wanted -= takePair(name, nameEnd);
      if (failure != 0) return failure;
    }
    const found = classOfParts();
    if (found != KEYED) return found;
    if (exceptCount == 0) return storeRow(start, end);
    failure = cutPairs(start, end);
    return failure == 0 ? storeRest(end) : failure;
  }
}
