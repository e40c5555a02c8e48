// The records that a scan finds: parallel arrays at fixed addresses, entry i for record i.

import { KEYED } from '../lib/classes';
import {
  BATCH_CAPACITY,
  fingerprintAt,
  RECORD_CLASSES_OFFSET,
  RECORD_ENDS_OFFSET,
  RECORD_STARTS_OFFSET,
} from '../lib/memory';

export let recordCount: u32 = 0;
/** Number of records whose class is not KEYED. */
export let exceptionCount: u32 = 0;

export function beginRecords(): void {
  recordCount = 0;
  exceptionCount = 0;
}

export function isBatchFull(): bool {
  return recordCount == BATCH_CAPACITY;
}

/** The address of the next record's fingerprint. */
export function fingerprintTarget(): u32 {
  return fingerprintAt(recordCount);
}

/** Adds a record whose fingerprint, if it has one, has already been stored at `fingerprintTarget`. */
export function addRecord(start: u32, end: u32, recordClass: u32): void {
  store<u32>(RECORD_STARTS_OFFSET + (recordCount << 2), start);
  store<u32>(RECORD_ENDS_OFFSET + (recordCount << 2), end);
  store<u8>(RECORD_CLASSES_OFFSET + recordCount, recordClass);
  recordCount++;
  exceptionCount += u32(recordClass != KEYED);
}
