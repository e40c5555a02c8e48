// Format u64: records of eight bytes, little-endian, with nothing between them.

import { KEYED, OTHER_SHARD, TRUNCATED } from '../lib/classes';
import { storeIntegerFingerprint } from '../lib/fingerprint';
import { addRecord, fingerprintTarget, isBatchFull } from './records';
import { fingerprintKind } from './settings';
import { isElsewhere } from './shards';

export const U64_RECORD_BYTES: u32 = 8;

/** Reads the integers in [position, end); returns the first byte not consumed. */
export function scanIntegers(position: u32, end: u32, isFinal: bool): u32 {
  let at = position;
  for (; end - at >= U64_RECORD_BYTES && !isBatchFull(); at += U64_RECORD_BYTES) {
    const target = fingerprintTarget();
    storeIntegerFingerprint(fingerprintKind, at, target);
    const isOther = isElsewhere(fingerprintKind, at, U64_RECORD_BYTES, target);
    addRecord(at, at + U64_RECORD_BYTES, isOther ? OTHER_SHARD : KEYED);
  }
  const rest = end - at;
  if (!isFinal || rest == 0 || rest >= U64_RECORD_BYTES || isBatchFull()) return at;
  addRecord(at, end, TRUNCATED);
  return end;
}
