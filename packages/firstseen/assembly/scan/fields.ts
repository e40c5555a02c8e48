// Records of fields without quoting: rows of tsv, and lines whose fields are separated by a byte or by blanks.

import { BLANK } from '../lib/classes';
import { findByte, findEither, TAB } from './bytes';
import { beginKey, missingClass, setPart } from './keys';
import { RowRule } from './lines';
import { SPACE } from './objects';
import { lacksRankOnly, storeRow } from './ranks';
import { delimiter, keyColumn, keyIndex, partCount } from './settings';

/** The class of a row that has only the first `found` of the wanted columns. Stores its fingerprint if nothing but its rank is missing. */
function endOfRow(found: u32, start: u32, end: u32): u32 {
  return lacksRankOnly(found) ? storeRow(start, end) : missingClass(found);
}

/** Each delimiter ends a field, so that fields can be empty. */
export class SeparatedRow extends RowRule {
  keyOf(start: u32, end: u32): u32 {
    beginKey();
    let column: u32 = 0;
    let fieldStart = start;
    for (let key: u32 = 0; key < partCount; key++) {
      for (; column < keyColumn(key); column++) {
        const fieldEnd = findByte(fieldStart, end, delimiter);
        if (fieldEnd == end) return endOfRow(key, start, end);
        fieldStart = fieldEnd + 1;
      }
      setPart(keyIndex(key), fieldStart, findByte(fieldStart, end, delimiter));
    }
    return storeRow(start, end);
  }
}

/** The first byte from `position` on that is neither a space nor a tab, or `end`. */
function skipSpaces(position: u32, end: u32): u32 {
  let at = position;
  while (at < end && (load<u8>(at) == SPACE || load<u8>(at) == TAB)) at++;
  return at;
}

/** Runs of spaces and tabs are between two fields and around them, as in awk, so that no field is empty. */
export class BlankSeparatedRow extends RowRule {
  keyOf(start: u32, end: u32): u32 {
    beginKey();
    let column: u32 = 0;
    let fieldStart = skipSpaces(start, end);
    if (fieldStart == end) return BLANK;
    let fieldEnd = findEither(fieldStart, end, SPACE, TAB);
    for (let key: u32 = 0; key < partCount; key++) {
      for (; column < keyColumn(key); column++) {
        fieldStart = skipSpaces(fieldEnd, end);
        if (fieldStart == end) return endOfRow(key, start, end);
        fieldEnd = findEither(fieldStart, end, SPACE, TAB);
      }
      setPart(keyIndex(key), fieldStart, fieldEnd);
    }
    return storeRow(start, end);
  }
}
