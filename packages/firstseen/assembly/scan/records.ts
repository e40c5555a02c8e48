// The records that a scan finds: parallel arrays at fixed addresses, entry i for record i.

import { KEYED } from '../lib/classes';
import {
  BATCH_CAPACITY,
  fingerprintAt,
  HAS_CUT_OFFSET,
  JOINED_END_OFFSET,
  RECORD_CLASSES_OFFSET,
  RECORD_ENDS_OFFSET,
  RECORD_STARTS_OFFSET,
} from '../lib/memory';
import { NEWLINE } from './bytes';
import { withoutBlanks } from './objects';
import { maximumRecordBytes } from './settings';

export let recordCount: u32 = 0;
/** Number of records whose class is not KEYED. */
export let exceptionCount: u32 = 0;

export function beginRecords(): void {
  recordCount = 0;
  exceptionCount = 0;
  store<u32>(JOINED_END_OFFSET, 0);
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

/** Changes the class of record `index`. */
export function setRecordClass(index: u32, recordClass: u32): void {
  const before = <u32>load<u8>(RECORD_CLASSES_OFFSET + index);
  store<u8>(RECORD_CLASSES_OFFSET + index, recordClass);
  exceptionCount += u32(recordClass != KEYED) - u32(before != KEYED);
}

/** Lets record `index` be the next one, whose fingerprint is stored. Returns the index of the one that was. */
export function setRecordCount(index: u32): u32 {
  const before = recordCount;
  recordCount = index;
  return before;
}

/** Adds a record that another follows on its line. */
export function addJoinedRecord(start: u32, end: u32, recordClass: u32): void {
  addRecord(start, end, recordClass);
  store<u32>(JOINED_END_OFFSET, end);
}

/**
 * One past the content of record `index` if another record follows it on its line; 0 for all others. An output puts a
 * newline there. A record that is too long keeps its blanks, because it may also arrive in pieces.
 */
export function joinedContentEnd(index: u32): u32 {
  const end = load<u32>(RECORD_ENDS_OFFSET + (index << 2));
  if (end > joinedEnd() || load<u8>(end - 1) == NEWLINE) return 0;
  const start = load<u32>(RECORD_STARTS_OFFSET + (index << 2));
  return end - start > maximumRecordBytes ? end : withoutBlanks(start, end);
}

/** One past the last record of the batch that another record follows on its line; 0 if there is none. */
export function joinedEnd(): u32 {
  return load<u32>(JOINED_END_OFFSET);
}

/** Notes that a field was left out of a record. */
export function noteCut(): void {
  store<u32>(HAS_CUT_OFFSET, 1);
}

/** Tells if a field was left out of any record since the kernel was made. */
export function scanHasCut(): u32 {
  return load<u32>(HAS_CUT_OFFSET);
}
