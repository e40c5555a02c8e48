// What the host told the scanner, in the bytes at SCAN_OFFSET (src/records/settings.ts writes them):
//
//   the header, u32 each: format, fingerprint kind, number of keys, most bytes of a record, scratch offset, scratch bytes, 1
//   if records tell their time or else 0; then the keys, and behind them as one more where the time stands, by format:
//     csv, tsv   a column each, ascending: u32 column, u32 place of the key among the keys
//     ndjson     a path each: u32 segments, then each segment as u32 kind (0 object key, 1 array index),
//                u32 length of the key's bytes or the index itself, and the bytes, filled up to a multiple of 4

import { prepareFingerprints } from '../lib/fingerprint';
import { SCAN_BYTES, SCAN_OFFSET } from '../lib/memory';

export const FORMAT_LINES: u32 = 0;
export const FORMAT_U64: u32 = 1;
export const FORMAT_NDJSON: u32 = 2;
export const FORMAT_CSV: u32 = 3;
export const FORMAT_TSV: u32 = 4;

export const SCAN_KEYS_MAXIMUM: u32 = 16;

/** The parts of one record's key, and its time: start and end of each, behind the settings in the same region. */
const PART_BYTES: u32 = 8;
const PARTS_BYTES: u32 = (SCAN_KEYS_MAXIMUM + 1) * PART_BYTES;
/** Room behind them for the text of a time whose escapes were decoded: enough for one that is nothing but escapes. */
export const TIME_TEXT_BYTES: u32 = 256;
export const SCAN_SETTINGS_BYTES: u32 = SCAN_BYTES - PARTS_BYTES - TIME_TEXT_BYTES;
export const PARTS_OFFSET: u32 = SCAN_OFFSET + SCAN_SETTINGS_BYTES;
export const TIME_TEXT_OFFSET: u32 = PARTS_OFFSET + PARTS_BYTES;

/** The fields of the header, by their offsets. */
export const SCAN_FORMAT_FIELD: u32 = 0;
export const SCAN_FINGERPRINT_FIELD: u32 = 4;
export const SCAN_KEY_COUNT_FIELD: u32 = 8;
export const SCAN_MOST_RECORD_BYTES_FIELD: u32 = 12;
export const SCAN_SCRATCH_OFFSET_FIELD: u32 = 16;
export const SCAN_SCRATCH_BYTES_FIELD: u32 = 20;
export const SCAN_TIME_FIELD: u32 = 24;
export const SCAN_HEADER_BYTES: u32 = 28;

/** Where the keys begin. */
export const SCAN_KEYS_OFFSET: u32 = SCAN_OFFSET + SCAN_HEADER_BYTES;

/** A path's segment is an object's key or an array's index. */
export const SEGMENT_KEY: u32 = 0;
export const SEGMENT_INDEX: u32 = 1;

/** The column of csv or tsv that is number `key` in ascending order. */
export function keyColumn(key: u32): u32 {
  return load<u32>(SCAN_KEYS_OFFSET + (key << 3));
}

/** Which of the keys, in the order they were given, that column is; `keyCount` for the time. */
export function keyPlace(key: u32): u32 {
  return load<u32>(SCAN_KEYS_OFFSET + (key << 3), 4);
}

export let format: u32 = 0;
export let fingerprintKind: u32 = 0;
export let keyCount: u32 = 0;
/** Keys, and the time if records tell it: it is the last part. */
export let partCount: u32 = 0;
export let hasTime: bool = false;
export let maximumRecordBytes: u32 = 0;
export let scratchOffset: u32 = 0;
export let scratchBytes: u32 = 0;

/** Reads the settings; has to follow any change of them or of the seed, and precede `scan`. */
export function scanConfigure(): void {
  format = load<u32>(SCAN_OFFSET, SCAN_FORMAT_FIELD);
  fingerprintKind = load<u32>(SCAN_OFFSET, SCAN_FINGERPRINT_FIELD);
  keyCount = load<u32>(SCAN_OFFSET, SCAN_KEY_COUNT_FIELD);
  hasTime = load<u32>(SCAN_OFFSET, SCAN_TIME_FIELD) != 0;
  partCount = keyCount + u32(hasTime);
  maximumRecordBytes = load<u32>(SCAN_OFFSET, SCAN_MOST_RECORD_BYTES_FIELD);
  scratchOffset = load<u32>(SCAN_OFFSET, SCAN_SCRATCH_OFFSET_FIELD);
  scratchBytes = load<u32>(SCAN_OFFSET, SCAN_SCRATCH_BYTES_FIELD);
  prepareFingerprints(fingerprintKind);
}
