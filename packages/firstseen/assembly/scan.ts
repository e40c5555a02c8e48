// The first of the three batch calls: frames the records of a chunk and hashes their keys in place.

import { markComments } from './scan/comments';
import { scanRows } from './scan/csv';
import { BlankSeparatedRow, SeparatedRow } from './scan/fields';
import { scanIntegers } from './scan/integers';
import { JsonObject } from './scan/json';
import { JsonLists } from './scan/jsonlists';
import { beginKeys } from './scan/keys';
import { LineWithKey } from './scan/linekeys';
import { NulRecord, scanLines, scanObjects, WholeLine, WholeTextLine } from './scan/lines';
import { LogfmtRecord } from './scan/logfmt';
import { beginRecords, exceptionCount, recordCount } from './scan/records';
import {
  commentBytes,
  delimiter,
  exceptCount,
  FORMAT_CSV,
  FORMAT_FIELDS,
  FORMAT_KEYED_LINES,
  FORMAT_LINES,
  FORMAT_LOGFMT,
  FORMAT_NDJSON,
  FORMAT_NUL,
  FORMAT_TSV,
  FORMAT_U64,
  FORMAT_WARC,
  format,
  hasLists,
  NO_BYTE,
  partCount,
} from './scan/settings';
import { beginTimes } from './scan/times';
import { scanWarc } from './scan/warc';

export { countByte } from './lib/bytes';
export { findByte, SCAN_SPARE_BYTES } from './scan/bytes';
export { skipCsvRecord, skipCsvReset } from './scan/csv';
export {
  EQUAL_CASE,
  EQUAL_DIGITS,
  EQUAL_GROWTH,
  EQUAL_NFC,
  EQUAL_NFKC,
  EQUAL_NUMBERS,
  EQUAL_ORDER,
  EQUAL_SPARE_BYTES,
  EQUAL_TRIM,
} from './scan/equal';
export { U64_RECORD_BYTES } from './scan/integers';
export { scanLineKey, scanNoKey, scanPart } from './scan/linekeys';
export { skipJsonRecord, skipJsonReset } from './scan/objects';
export { SCAN_MAX_RANK_BYTES } from './scan/ranks';
export { joinedContentEnd, joinedEnd, scanHasCut } from './scan/records';
export {
  FORMAT_CSV,
  FORMAT_FIELDS,
  FORMAT_KEYED_LINES,
  FORMAT_LINES,
  FORMAT_LOGFMT,
  FORMAT_NDJSON,
  FORMAT_NUL,
  FORMAT_TSV,
  FORMAT_U64,
  FORMAT_WARC,
  NO_BYTE,
  NULL_EMPTY,
  NULL_MISSING,
  NULL_VALUE,
  SCAN_COMMENT_BYTES_FIELD,
  SCAN_COMMENT_FIELD,
  SCAN_DELIMITER_FIELD,
  SCAN_EMPTY_FIELD,
  SCAN_EQUAL_FIELD,
  SCAN_ESCAPE_FIELD,
  SCAN_EXCEPT_COUNT_FIELD,
  SCAN_EXCEPT_FIELD,
  SCAN_FINGERPRINT_FIELD,
  SCAN_FORMAT_FIELD,
  SCAN_HAS_RANK,
  SCAN_HAS_TIME,
  SCAN_HEADER_BYTES,
  SCAN_KEY_COUNT_FIELD,
  SCAN_KEYS_MAXIMUM,
  SCAN_LISTS_FIELD,
  SCAN_MAX_RECORD_BYTES_FIELD,
  SCAN_NULL_FIELD,
  SCAN_QUOTE_FIELD,
  SCAN_SALT_FIELD,
  SCAN_SCRATCH_BYTES_FIELD,
  SCAN_SCRATCH_OFFSET_FIELD,
  SCAN_SETTINGS_BYTES,
  SCAN_STRINGS_FIELD,
  SCAN_TEXTS_FIELD,
  SCAN_TIME_COUNT_FIELD,
  SCAN_TIME_FIELD,
  SCAN_TIME_PROGRAM_FIELD,
  SCAN_TIMES_MAXIMUM,
  SCAN_TYPE_COUNT_FIELD,
  SCAN_TYPES_FIELD,
  SEGMENT_EVERY,
  SEGMENT_INDEX,
  SEGMENT_KEY,
  scanConfigure,
} from './scan/settings';
export { scanShard } from './scan/shards';
export {
  TAKE_BLANKS,
  TAKE_BYTE,
  TAKE_DAY,
  TAKE_DAY_OF_YEAR,
  TAKE_EPOCH_SECONDS,
  TAKE_FRACTION,
  TAKE_HALF,
  TAKE_HOUR,
  TAKE_HOUR_OF_HALF,
  TAKE_MINUTE,
  TAKE_MONTH,
  TAKE_MONTH_NAME,
  TAKE_OFFSET,
  TAKE_SECOND,
  TAKE_SHORT_YEAR,
  TAKE_UTC_NAME,
  TAKE_WEEKDAY_NAME,
  TAKE_YEAR,
  TIME_ISO,
  TIME_NUMBER,
  TIME_PATTERN,
} from './scan/timeformats';
export { scanInvalidTimeEnd, scanInvalidTimeRecord, scanInvalidTimeStart, scanTimesUntil } from './scan/times';
export { skipWarcEnded, skipWarcRecord, skipWarcReset, WARC_SPARE_BYTES, warcRecordEnd } from './scan/warc';
export { WARC_BLOCK, WARC_PAYLOAD } from './scan/warckeys';

let consumed: u32 = 0;

/** Traps for a number that is not a format, so that a format without a line here is not scanned as another one. */
function scanFormat(position: u32, end: u32, isFinal: bool): u32 {
  if (format == FORMAT_LINES) return scanLines<WholeLine>(position, end, isFinal);
  if (format == FORMAT_NUL) return scanLines<NulRecord>(position, end, isFinal);
  if (format == FORMAT_U64) return scanIntegers(position, end, isFinal);
  if (format == FORMAT_WARC) return scanWarc(position, end, isFinal);
  if (format == FORMAT_CSV) return scanRows(position, end, isFinal);
  if (format == FORMAT_NDJSON && hasLists) return scanObjects<JsonLists>(position, end, isFinal);
  if (format == FORMAT_NDJSON) return scanObjects<JsonObject>(position, end, isFinal);
  if (format == FORMAT_KEYED_LINES) return scanLines<LineWithKey>(position, end, isFinal);
  if (format != FORMAT_LOGFMT && format != FORMAT_TSV && format != FORMAT_FIELDS) unreachable();
  if (partCount + exceptCount == 0) return scanLines<WholeTextLine>(position, end, isFinal);
  if (format == FORMAT_LOGFMT) return scanLines<LogfmtRecord>(position, end, isFinal);
  if (delimiter == NO_BYTE) return scanLines<BlankSeparatedRow>(position, end, isFinal);
  return scanLines<SeparatedRow>(position, end, isFinal);
}

/**
 * Frames the complete records in [position, end), up to BATCH_CAPACITY of them, and fills the record arrays. If
 * `isFinal`, an unterminated rest is a record too. Returns the number of records.
 */
export function scan(position: u32, end: u32, isFinal: u32): u32 {
  beginRecords();
  beginKeys();
  beginTimes(position, end);
  consumed = scanFormat(position, end, isFinal != 0);
  if (commentBytes != 0 && format != FORMAT_CSV) markComments();
  return recordCount;
}

/** The first byte that the last scan did not consume. */
export function scanPosition(): u32 {
  return consumed;
}

/** The number of records of the last scan that are not KEYED. */
export function scanExceptions(): u32 {
  return exceptionCount;
}
