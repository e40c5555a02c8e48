// Parses the time of a record from the text of a field: integer or decimal seconds or milliseconds since 1970, or RFC
// 3339.

import { KEYED, TIME_AHEAD, TIME_UNREADABLE } from '../lib/classes';
import { TIMES_OFFSET } from '../lib/memory';
import { recordCount } from './records';
import { keyCount, PARTS_OFFSET } from './settings';

/**
 * Smaller numbers are seconds, the others milliseconds: 10^11 is March 1973 in milliseconds, the year 5138 in seconds.
 */
const LEAST_MILLISECONDS: f64 = 1e11;
/** The same moment in the year 5138 in milliseconds: no time is later. */
const MOST_MILLISECONDS: f64 = 1e14;

/**
 * The latest valid time of a record. A time far ahead would move the clock there, and all other records would be late.
 */
let latestTime: f64 = MOST_MILLISECONDS;

/** Sets the latest time, in milliseconds since 1970, that is accepted from the next scan on. */
export function scanTimesUntil(latest: f64): void {
  latestTime = latest;
}

const DAY_SECONDS: i64 = 86400;

const PLUS: u32 = 0x2b;
const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;
const ZERO_DIGIT: u32 = 0x30;
const COLON: u32 = 0x3a;
const LETTER_T: u32 = 0x54;
const LETTER_Z: u32 = 0x5a;
const SPACE: u32 = 0x20;
const CASE_BIT: u32 = 0x20;

function isDigit(at: u32): bool {
  return <u32>load<u8>(at) - ZERO_DIGIT <= 9;
}

/** The value of `count` digits at `at`, or -1 if one of the bytes is not a digit. */
function digits(at: u32, count: u32): i32 {
  let value: i32 = 0;
  for (let digit = at; digit < at + count; digit++) {
    if (!isDigit(digit)) return -1;
    value = value * 10 + (<i32>load<u8>(digit) - <i32>ZERO_DIGIT);
  }
  return value;
}

/** One past the digits that begin at `at`. */
function digitsEnd(at: u32, end: u32): u32 {
  let position = at;
  while (position < end && isDigit(position)) position++;
  return position;
}

/** The fraction whose digits are [start, end), in thousandths, rounded down. */
function thousandths(start: u32, end: u32): f64 {
  let value: f64 = 0;
  for (let i: u32 = 0; i < 3; i++)
    value = value * 10 + (start + i < end ? <f64>(<u32>load<u8>(start + i) - ZERO_DIGIT) : 0);
  return value;
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
  return whole < LEAST_MILLISECONDS ? whole * 1000 + thousandths(wholeEnd + 1, fractionEnd) : whole;
}

/** Days from 1970-01-01 to a day of the Gregorian calendar (Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
function daysSince1970(year: i32, month: i32, day: i32): i32 {
  // If years begin in March, the leap day is the last day of the year.
  const marchYear = month <= 2 ? year - 1 : year;
  const marchMonth = month <= 2 ? month + 9 : month - 3;
  const era = (marchYear + 400) / 400 - 1;
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = (153 * marchMonth + 2) / 5 + day - 1;
  return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

function daysInMonth(year: i32, month: i32): i32 {
  if (month == 2) return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}

/**
 * The result of `readDateAndTime` if there is none. Other negative numbers are times before 1970, which a time zone can
 * move past 1970.
 */
const NO_DATE: i64 = i64.MIN_VALUE;

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
  if (!isMarked || year < 0 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return NO_DATE;
  // A leap second is the first of the next minute.
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return NO_DATE;
  return <i64>daysSince1970(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second;
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

/** Milliseconds since 1970 of the text [start, end); NaN if it is not a time. */
function readTime(start: u32, end: u32): f64 {
  return end - start > DATE_AND_TIME_BYTES && load<u8>(start, 4) == MINUS
    ? readRfc3339(start, end)
    : readNumber(start, end);
}

/** Stores the time whose text is the last part of the current record; returns the record's class. */
export function storeTimePart(): u32 {
  const part = PARTS_OFFSET + (keyCount << 3);
  const time = readTime(load<u32>(part), load<u32>(part, 4));
  if (!(time >= 0 && time < MOST_MILLISECONDS)) return TIME_UNREADABLE;
  if (time > latestTime) return TIME_AHEAD;
  store<f64>(TIMES_OFFSET + (recordCount << 3), time);
  return KEYED;
}
