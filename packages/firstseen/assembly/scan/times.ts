// Parses the time of a record from the text of a field, or of several that a blank joins, in the format that the settings name;
// otherwise as integer or decimal seconds or milliseconds since 1970, or as RFC 3339.

import { KEYED, TIME_AHEAD, TIME_UNREADABLE } from '../lib/classes';
import { digits, digitsEnd, thousandths, ZERO_DIGIT } from '../lib/digits';
import { TIMES_OFFSET } from '../lib/memory';
import { NO_DATE, secondsSince1970 } from './calendar';
import { isInComment } from './comments';
import { recordCount } from './records';
import {
  keyCount,
  PART_BYTES,
  PARTS_OFFSET,
  TIME_INVALID_OFFSET,
  TIME_TEXT_BYTES,
  TIME_TEXT_OFFSET,
  timeCount,
  timeProgram,
} from './settings';
import { readFormatted } from './timeformats';

/**
 * Smaller numbers are seconds, the others milliseconds: 10^11 is March 1973 in milliseconds, the year 5138 in seconds.
 */
const MIN_MILLISECONDS: f64 = 1e11;
/** The same moment in the year 5138 in milliseconds: no time is later. */
const MAX_MILLISECONDS: f64 = 1e14;

/**
 * The latest valid time of a record. A time far ahead would move the clock there, and all other records would be late.
 */
let latestTime: f64 = MAX_MILLISECONDS;

/** Sets the latest time, in milliseconds since 1970, that is accepted from the next scan on. */
export function scanTimesUntil(latest: f64): void {
  latestTime = latest;
}

const PLUS: u32 = 0x2b;
const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;
const COLON: u32 = 0x3a;
const LETTER_T: u32 = 0x54;
const LETTER_Z: u32 = 0x5a;
const SPACE: u32 = 0x20;
const CASE_BIT: u32 = 0x20;

/** The text of the first time of the scan that is not valid, and the index of its record; no text without one. */
let invalidStart: u32 = 0;
let invalidEnd: u32 = 0;
let invalidRecord: u32 = 0;

export function scanInvalidTimeStart(): u32 {
  return invalidStart;
}

export function scanInvalidTimeEnd(): u32 {
  return invalidEnd;
}

export function scanInvalidTimeRecord(): u32 {
  return invalidRecord;
}

/** The end of the fields after the time, if blanks separate them; otherwise 0. */
let fieldsEnd: u32 = 0;

/** The bytes of the scan. */
let scanStart: u32 = 0;
let scanEnd: u32 = 0;

/** Must be called before the first time of a scan of [start, end). */
export function beginTimes(start: u32, end: u32): void {
  scanStart = start;
  scanEnd = end;
  invalidStart = 0;
  invalidEnd = 0;
  fieldsEnd = 0;
}

/** Lets the time of the current record go on in the fields after its own, up to `end`. */
export function spanFields(end: u32): void {
  fieldsEnd = end;
}

function readNumber(start: u32, end: u32): f64 {
  const wholeEnd = digitsEnd(start, end);
  let fractionEnd = wholeEnd;
  if (wholeEnd < end && load<u8>(wholeEnd) == POINT) {
    fractionEnd = digitsEnd(wholeEnd + 1, end);
    if (fractionEnd == wholeEnd + 1) return NaN;
  }
  if (wholeEnd == start || fractionEnd != end) return NaN;
  let whole: f64 = 0;
  for (let at = start; at < wholeEnd; at++) whole = whole * 10 + <f64>(<u32>load<u8>(at) - ZERO_DIGIT);
  return whole < MIN_MILLISECONDS ? whole * 1000 + thousandths(wholeEnd + 1, fractionEnd) : whole;
}

/** Seconds since 1970 of the YYYY-MM-DDTHH:MM:SS at `at`, without its time zone. */
function readDateAndTime(at: u32): i64 {
  const year = digits(at, 4);
  const month = digits(at + 5, 2);
  const day = digits(at + 8, 2);
  const hour = digits(at + 11, 2);
  const minute = digits(at + 14, 2);
  const second = digits(at + 17, 2);
  const separator = <u32>load<u8>(at, 10);
  const isMarked =
    load<u8>(at, 4) == MINUS &&
    load<u8>(at, 7) == MINUS &&
    (separator == SPACE || (separator & ~CASE_BIT) == LETTER_T) &&
    load<u8>(at, 13) == COLON &&
    load<u8>(at, 16) == COLON;
  return isMarked ? secondsSince1970(year, month, day, hour, minute, second) : NO_DATE;
}

const NO_ZONE: i32 = i32.MAX_VALUE;

/** The offset in seconds of a time zone, Z or +HH:MM. */
function readZone(at: u32, end: u32): i32 {
  if (end - at == 1 && (<u32>load<u8>(at) & ~CASE_BIT) == LETTER_Z) return 0;
  const sign = at < end ? <u32>load<u8>(at) : 0;
  if (end - at != 6 || (sign != PLUS && sign != MINUS) || load<u8>(at, 3) != COLON) return NO_ZONE;
  const hours = digits(at + 1, 2);
  const minutes = digits(at + 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return NO_ZONE;
  const ahead = hours * 3600 + minutes * 60;
  return sign == MINUS ? -ahead : ahead;
}

/** Bytes of YYYY-MM-DDTHH:MM:SS. */
const DATE_AND_TIME_BYTES: u32 = 19;

function readRfc3339(start: u32, end: u32): f64 {
  const seconds = readDateAndTime(start);
  const fraction = start + DATE_AND_TIME_BYTES + 1;
  const hasFraction = load<u8>(fraction - 1) == POINT;
  const fractionEnd = hasFraction ? digitsEnd(fraction, end) : fraction - 1;
  const ahead = readZone(fractionEnd, end);
  if (seconds == NO_DATE || ahead == NO_ZONE || fractionEnd == fraction) return NaN;
  return <f64>(seconds - ahead) * 1000 + (hasFraction ? thousandths(fraction, fractionEnd) : 0);
}

/** Milliseconds since 1970 of the text [start, end), which may go on up to `textEnd`; NaN if it is not a time. */
function readTime(start: u32, end: u32, textEnd: u32): f64 {
  if (timeProgram != 0) return readFormatted(timeProgram, start, end, textEnd, latestTime);
  return end - start > DATE_AND_TIME_BYTES && load<u8>(start, 4) == MINUS
    ? readRfc3339(start, end)
    : readNumber(start, end);
}

/** The start of the first part of the current record's time. */
function firstPartStart(): u32 {
  return load<u32>(PARTS_OFFSET + (keyCount << 3));
}

function isInScan(at: u32): bool {
  return at >= scanStart && at < scanEnd;
}

/** Keeps the text of the first such time, which the message about its record shows. The next record overwrites a text that is not in its bytes. */
function invalid(recordClass: u32, start: u32, end: u32): u32 {
  const first = firstPartStart();
  if (invalidStart != 0 || (isInScan(first) && isInComment(first, scanStart, scanEnd))) return recordClass;
  const isKept = isInScan(start);
  const bytes = isKept ? end - start : min(end - start, TIME_TEXT_BYTES);
  if (!isKept) memory.copy(TIME_INVALID_OFFSET, start, bytes);
  invalidStart = isKept ? start : TIME_INVALID_OFFSET;
  invalidEnd = invalidStart + bytes;
  invalidRecord = recordCount;
  return recordClass;
}

/** Stores the time in the text [start, end), which may go on up to `textEnd`; returns the class of the current record. */
function storeTimeText(start: u32, end: u32, textEnd: u32): u32 {
  const time = readTime(start, end, textEnd);
  if (!(time >= 0 && time < MAX_MILLISECONDS)) return invalid(TIME_UNREADABLE, start, end);
  if (time > latestTime) return invalid(TIME_AHEAD, start, end);
  store<f64>(TIMES_OFFSET + (recordCount << 3), time);
  return KEYED;
}

/** Joins the parts of the current record's time by a blank each, and stores the time in this text; returns the record's class. */
function storeJoinedTime(): u32 {
  let end = TIME_TEXT_OFFSET;
  let part = PARTS_OFFSET + (keyCount << 3);
  for (let index: u32 = 0; index < timeCount; index++) {
    const start = load<u32>(part);
    const bytes = load<u32>(part, 4) - start;
    const blanks = u32(index > 0);
    if (bytes + blanks > TIME_TEXT_OFFSET + TIME_TEXT_BYTES - end)
      return invalid(TIME_UNREADABLE, TIME_TEXT_OFFSET, end);
    if (blanks) store<u8>(end, SPACE);
    memory.copy(end + blanks, start, bytes);
    end += blanks + bytes;
    part += PART_BYTES;
  }
  return storeTimeText(TIME_TEXT_OFFSET, end, end);
}

/** Stores the time whose texts are the last parts of the current record; returns the record's class. */
export function storeTimePart(): u32 {
  if (timeCount > 1) return storeJoinedTime();
  const end = load<u32>(PARTS_OFFSET + (keyCount << 3), 4);
  return storeTimeText(firstPartStart(), end, max(end, fieldsEnd));
}
