// Keys that the host finds in the lines of a scan: the scanner frames the lines, and hashes what the host names.

import { KEY_MISSING, KEYED } from '../lib/classes';
import { beginKey, setPart, storeParts } from './keys';
import { TextLineRule } from './lines';
import { setRecordClass, setRecordCount } from './records';

/** Its key is not known yet. */
export class LineWithKey extends TextLineRule {
  keyOf(start: u32, end: u32): u32 {
    return KEYED;
  }
}

/** Sets part `index` of the next key to the bytes [start, end). */
export function scanPart(index: u32, start: u32, end: u32): void {
  setPart(index, start, end);
}

/** Stores the fingerprint of the parts that were set as that of record `index` of the scan, and its class. */
export function scanLineKey(index: u32): void {
  const count = setRecordCount(index);
  beginKey();
  const found = storeParts();
  setRecordCount(count);
  setRecordClass(index, found);
}

/** Notes that record `index` of the scan has no key. */
export function scanNoKey(index: u32): void {
  setRecordClass(index, KEY_MISSING);
}
