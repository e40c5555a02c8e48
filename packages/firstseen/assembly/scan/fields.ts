// Records of fields without quoting: rows of tsv, and lines whose fields are separated by a byte or by blanks.

import { BLANK, KEYED } from '../lib/classes';
import { findByte, findEither, TAB } from './bytes';
import { beginRest, cutColumn, isCut } from './except';
import { beginKey, missingClass, setPart } from './keys';
import { TextLineRule } from './lines';
import { SPACE } from './objects';
import { lacksRankOnly, storeRest, storeRow } from './ranks';
import { delimiter, exceptCount, keyColumn, keyIndex, partCount } from './settings';
import { spanFields } from './times';

/** The class of a row that has only the first `found` of the wanted columns: KEYED if nothing but its rank is missing. */
function classOfShort(found: u32): u32 {
  return lacksRankOnly(found) ? KEYED : missingClass(found);
}

/** Sets the wanted fields between delimiters as parts; returns the class of the row. */
function findSeparated(start: u32, end: u32): u32 {
  let column: u32 = 0;
  let fieldStart = start;
  for (let key: u32 = 0; key < partCount; key++) {
    for (; column < keyColumn(key); column++) {
      const fieldEnd = findByte(fieldStart, end, delimiter);
      if (fieldEnd == end) return classOfShort(key);
      fieldStart = fieldEnd + 1;
    }
    setPart(keyIndex(key), fieldStart, findByte(fieldStart, end, delimiter));
  }
  return KEYED;
}

function cutSeparated(start: u32, end: u32): void {
  beginRest(start);
  let fieldStart = start;
  for (let column: u32 = 0; !isCut(); column++) {
    const fieldEnd = findByte(fieldStart, end, delimiter);
    cutColumn(column, fieldStart, fieldEnd);
    if (fieldEnd == end) return;
    fieldStart = fieldEnd + 1;
  }
}

/** Each delimiter ends a field, so that fields can be empty. */
export class SeparatedRow extends TextLineRule {
  keyOf(start: u32, end: u32): u32 {
    beginKey();
    if (delimiter == SPACE) spanFields(end);
    const found = findSeparated(start, end);
    if (found != KEYED) return found;
    if (exceptCount == 0) return storeRow(start, end);
    cutSeparated(start, end);
    return storeRest(end);
  }
}

/** The first byte from `position` on that is neither a space nor a tab, or `end`. */
function skipSpaces(position: u32, end: u32): u32 {
  let at = position;
  while (at < end && (load<u8>(at) == SPACE || load<u8>(at) == TAB)) at++;
  return at;
}

/** Sets the wanted fields between blanks as parts; returns the class of the row. */
function findBetweenBlanks(start: u32, end: u32): u32 {
  let column: u32 = 0;
  let fieldStart = skipSpaces(start, end);
  if (fieldStart == end) return BLANK;
  let fieldEnd = findEither(fieldStart, end, SPACE, TAB);
  for (let key: u32 = 0; key < partCount; key++) {
    for (; column < keyColumn(key); column++) {
      fieldStart = skipSpaces(fieldEnd, end);
      if (fieldStart == end) return classOfShort(key);
      fieldEnd = findEither(fieldStart, end, SPACE, TAB);
    }
    setPart(keyIndex(key), fieldStart, fieldEnd);
  }
  return KEYED;
}

function cutBetweenBlanks(start: u32, end: u32): void {
  beginRest(start);
  let fieldStart = skipSpaces(start, end);
  for (let column: u32 = 0; fieldStart < end && !isCut(); column++) {
    const fieldEnd = findEither(fieldStart, end, SPACE, TAB);
    cutColumn(column, fieldStart, fieldEnd);
    fieldStart = skipSpaces(fieldEnd, end);
  }
}

/** Runs of spaces and tabs are between two fields and around them, as in awk, so that no field is empty. */
export class BlankSeparatedRow extends TextLineRule {
  keyOf(start: u32, end: u32): u32 {
    beginKey();
    spanFields(end);
    const found = findBetweenBlanks(start, end);
    if (found != KEYED) return found;
    if (exceptCount == 0) return storeRow(start, end);
    cutBetweenBlanks(start, end);
    return storeRest(end);
  }
}
