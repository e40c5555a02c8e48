// Rows of fields separated by tabs, without quoting.

import { KEYED } from '../lib/classes';
import { findByte } from './bytes';
import { beginKey, missingClass, setPart, storeKey, storeParts } from './keys';
import { RowRule } from './lines';
import { hasTime, keyColumn, keyCount, keyIndex, partCount } from './settings';
import { storeTimePart } from './times';

const TAB: u32 = 0x09;

export class TabbedRow extends RowRule {
  keyOf(start: u32, end: u32): u32 {
    beginKey();
    let column: u32 = 0;
    let fieldStart = start;
    for (let key: u32 = 0; key < partCount; key++) {
      for (; column < keyColumn(key); column++) {
        const tab = findByte(fieldStart, end, TAB);
        if (tab == end) return missingClass(key);
        fieldStart = tab + 1;
      }
      setPart(keyIndex(key), fieldStart, findByte(fieldStart, end, TAB));
    }
    const recordClass = keyCount == 0 ? storeKey(start, end) : storeParts();
    return recordClass == KEYED && hasTime ? storeTimePart() : recordClass;
  }
}
