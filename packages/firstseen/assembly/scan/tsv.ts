// Rows of fields separated by tabs, without quoting.

import { KEYED } from '../lib/classes';
import { findByte } from './bytes';
import { beginKey, missingClass, setPart, storeParts, storeWhole } from './keys';
import { RowRule } from './lines';
import { lacksRankOnly, storeLastPart } from './ranks';
import { keyColumn, keyCount, keyIndex, partCount } from './settings';

const TAB: u32 = 0x09;

/** Stores the fingerprint of a row's key, and its time or rank; returns the row's class. */
function storeRow(start: u32, end: u32): u32 {
  const recordClass = keyCount == 0 ? storeWhole(start, end) : storeParts();
  return recordClass == KEYED ? storeLastPart() : recordClass;
}

export class TabbedRow extends RowRule {
  keyOf(start: u32, end: u32): u32 {
    beginKey();
    let column: u32 = 0;
    let fieldStart = start;
    for (let key: u32 = 0; key < partCount; key++) {
      for (; column < keyColumn(key); column++) {
        const tab = findByte(fieldStart, end, TAB);
        if (tab == end) return lacksRankOnly(key) ? storeRow(start, end) : missingClass(key);
        fieldStart = tab + 1;
      }
      setPart(keyIndex(key), fieldStart, findByte(fieldStart, end, TAB));
    }
    return storeRow(start, end);
  }
}
