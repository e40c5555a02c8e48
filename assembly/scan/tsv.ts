// Rows of fields parted by tabs, without quoting.

import { findByte } from './bytes';
import { KEY_MISSING } from './classes';
import { beginKey, setPart, storeParts } from './keys';
import { TextLineRule } from './lines';
import { keyColumn, keyCount, keyPlace } from './settings';

const TAB: u32 = 0x09;

export class TabbedRow extends TextLineRule {
  keyOf(start: u32, end: u32): u32 {
    beginKey();
    let column: u32 = 0;
    let fieldStart = start;
    for (let key: u32 = 0; key < keyCount; key++) {
      for (; column < keyColumn(key); column++) {
        const tab = findByte(fieldStart, end, TAB);
        if (tab == end) return KEY_MISSING;
        fieldStart = tab + 1;
      }
      setPart(keyPlace(key), fieldStart, findByte(fieldStart, end, TAB));
    }
    return storeParts();
  }
}
