// From the parts of a record's key to its fingerprint. A key with one part is hashed where it stands. Several parts are
// laid out in the scratch region, each behind its length, so that ("ab", "c") and ("a", "bc") differ.

import { KEY_MISSING, TIME_UNREADABLE } from '../lib/classes';
import { KEY_PLACES, storeFingerprint } from '../lib/fingerprint';
import { fingerprintTarget } from './records';
import { fingerprintKind, keyCount, keyPlace, PARTS_OFFSET, partCount, scratchBytes, scratchOffset } from './settings';

/** The length in front of each part of a composite key. */
export const COMPOSITE_LENGTH_BYTES: u32 = 8;

/** One past the bytes of the scratch region in use for the record at hand. */
let scratchEnd: u32 = 0;

/** Has to precede the first key of a scan. */
export function beginKeys(): void {
  scratchEnd = scratchOffset;
}

/** A key that has become a fingerprint makes room for the next; one whose place was asked for stays until the next scan. */
export function beginKey(): void {
  if (fingerprintKind != KEY_PLACES) scratchEnd = scratchOffset;
}

/** Where decoded bytes may be written; they stay there only when `keepScratch` says so. */
export function scratch(): u32 {
  return scratchEnd;
}

export function keepScratch(end: u32): void {
  assert(end - scratchOffset <= scratchBytes);
  scratchEnd = end;
}

/** Sets the bytes of the key's part at `place`. */
export function setPart(place: u32, start: u32, end: u32): void {
  store<u32>(PARTS_OFFSET + (place << 3), start);
  store<u32>(PARTS_OFFSET + (place << 3), end, 4);
}

/** The class of a row that has only the first `found` of the columns wanted. */
export function missingClass(found: u32): u32 {
  return partCount - found > 1 || keyPlace(found) < keyCount ? KEY_MISSING : TIME_UNREADABLE;
}

/** Stores the fingerprint of a key that stands in one piece; returns the record's class. */
export function storeKey(start: u32, end: u32): u32 {
  return storeFingerprint(fingerprintKind, start, end - start, fingerprintTarget());
}

/** Stores the fingerprint of the parts set; returns the record's class. */
export function storeParts(): u32 {
  if (keyCount == 1) return storeKey(load<u32>(PARTS_OFFSET), load<u32>(PARTS_OFFSET, 4));
  const composite = scratchEnd;
  for (let place: u32 = 0; place < keyCount; place++) {
    const start = load<u32>(PARTS_OFFSET + (place << 3));
    const length = load<u32>(PARTS_OFFSET + (place << 3), 4) - start;
    store<u64>(scratchEnd, length);
    memory.copy(scratchEnd + COMPOSITE_LENGTH_BYTES, start, length);
    keepScratch(scratchEnd + COMPOSITE_LENGTH_BYTES + length);
  }
  return storeKey(composite, scratchEnd);
}
