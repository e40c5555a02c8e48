// Times in a format that the settings name. The host writes the format as a program (src/records/timeformat.ts), u32
// each: the kind; for numbers the units per second; for texts the number of zones, the number of operations, the second since 1970
// before which times without a year are, or 0, the zones, each as the local second from which it holds and its offset in seconds, and
// the operations, each with its byte in the upper half. A text without a time zone is in the zone of its local time; the first zone
// also holds before it begins.

import { digitsEnd, isDigit, thousandths, ZERO_DIGIT } from '../lib/digits';
import { daysInYear, NO_DATE, secondsSince1970 } from './calendar';
import { monthLetters } from './monthnames';

export const TIME_NUMBER: u32 = 1;
export const TIME_ISO: u32 = 2;
export const TIME_PATTERN: u32 = 3;

/** The operations of a pattern. */
export const TAKE_BYTE: u32 = 0;
export const TAKE_BLANKS: u32 = 1;
export const TAKE_YEAR: u32 = 2;
export const TAKE_SHORT_YEAR: u32 = 3;
export const TAKE_MONTH: u32 = 4;
export const TAKE_MONTH_NAME: u32 = 5;
export const TAKE_DAY: u32 = 6;
export const TAKE_DAY_OF_YEAR: u32 = 7;
export const TAKE_WEEKDAY_NAME: u32 = 8;
export const TAKE_HOUR: u32 = 9;
export const TAKE_HOUR_OF_HALF: u32 = 10;
export const TAKE_HALF: u32 = 11;
export const TAKE_MINUTE: u32 = 12;
export const TAKE_SECOND: u32 = 13;
export const TAKE_FRACTION: u32 = 14;
export const TAKE_OFFSET: u32 = 15;
export const TAKE_UTC_NAME: u32 = 16;
export const TAKE_EPOCH_SECONDS: u32 = 17;

const TEXT_HEADER_BYTES: u32 = 16;
const ZONE_BYTES: u32 = 8;
/** More digits can exceed 2^64. */
const MAX_DIGITS: u32 = 19;
const DAY_MILLISECONDS: f64 = 86400000;
/** The mean year of the Gregorian calendar. */
const YEAR_MILLISECONDS: f64 = 365.2425 * DAY_MILLISECONDS;
/** Less than this is between a day and the same day of the next year, whatever their zone does. */
const LONGEST_YEAR_MILLISECONDS: f64 = 367 * DAY_MILLISECONDS;

const TAB: u32 = 0x09;
const SPACE: u32 = 0x20;
const CASE_BIT: u32 = 0x20;
const PLUS: u32 = 0x2b;
const COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d;
const POINT: u32 = 0x2e;
const COLON: u32 = 0x3a;
const OPEN_BRACKET: u32 = 0x5b;
const CLOSE_BRACKET: u32 = 0x5d;
const LETTER_T: u32 = 0x74;
const LETTER_Z: u32 = 0x7a;

const NO_NUMBER: i32 = -1;
const NO_OFFSET: i32 = i32.MAX_VALUE;
/** The result if an hour of half a day is not given. */
const NO_HALF: i32 = -1;

/** The text that is not read yet. */
let position: u32 = 0;
let limit: u32 = 0;
/** The end of the field in which the text begins. The text goes on after it if blanks separate fields, and the time may have blanks too. */
let fieldEnd: u32 = 0;
/** The latest valid time. */
let latestTime: f64 = 0;

/** The parts of the time that was read. */
let year: i32 = 0;
let month: i32 = 0;
let day: i32 = 0;
let dayOfYear: i32 = 0;
let hour: i32 = 0;
let half: i32 = 0;
let minute: i32 = 0;
let second: i32 = 0;
let milliseconds: f64 = 0;
let offset: i32 = 0;
let epochSeconds: i64 = 0;

function begin(start: u32, end: u32, textEnd: u32): void {
  position = start;
  limit = textEnd;
  fieldEnd = end;
  year = NO_NUMBER;
  month = 1;
  day = 1;
  dayOfYear = 0;
  hour = 0;
  half = NO_HALF;
  minute = 0;
  second = 0;
  milliseconds = 0;
  offset = NO_OFFSET;
  epochSeconds = NO_DATE;
}

/** The next byte, in lowercase if it is a letter; NUL at the end. */
function lowerByte(): u32 {
  if (position == limit) return 0;
  const byte = <u32>load<u8>(position);
  return byte - 0x41 < 26 ? byte | CASE_BIT : byte;
}

function takeByte(byte: u32): bool {
  if (position == limit || load<u8>(position) != byte) return false;
  position++;
  return true;
}

function takeBlanks(): bool {
  const start = position;
  while (position < limit && (load<u8>(position) == SPACE || load<u8>(position) == TAB)) position++;
  return position > start;
}

/** A number of `least` to `most` digits, or NO_NUMBER. */
function takeNumber(least: u32, most: u32): i32 {
  const start = position;
  let value: i32 = 0;
  while (position < limit && position - start < most && isDigit(position)) {
    value = value * 10 + (<i32>load<u8>(position) - <i32>ZERO_DIGIT);
    position++;
  }
  return position - start < least ? NO_NUMBER : value;
}

/** A number of one or two digits, padded with a blank or not. */
function takePadded(): i32 {
  if (position < limit && load<u8>(position) == SPACE) position++;
  return takeNumber(1, 2);
}

function takeLetters(): u32 {
  const start = position;
  while (lowerByte() - 0x61 < 26) position++;
  return position - start;
}

/** The name of a month in English, of three letters or in full. */
function takeMonthName(): bool {
  const start = position;
  if (takeLetters() < 3) return false;
  const letters = (load<u32>(start) & 0xffffff) | 0x202020;
  for (month = 1; month <= 12; month++) if (letters == monthLetters(month)) return true;
  return false;
}

/** AM or PM. */
function takeHalf(): bool {
  const letter = lowerByte();
  half = letter == 0x61 ? 0 : letter == 0x70 ? 1 : NO_HALF;
  if (half == NO_HALF) return false;
  position++;
  if (lowerByte() != 0x6d) return false;
  position++;
  return true;
}

function takeFraction(): bool {
  const end = digitsEnd(position, limit);
  if (end == position) return false;
  milliseconds = thousandths(position, end);
  position = end;
  return true;
}

/** The offset of a time zone: Z, +HH, +HHMM or +HH:MM. */
function takeOffset(): bool {
  if (lowerByte() == LETTER_Z) {
    position++;
    offset = 0;
    return true;
  }
  const isWest = position < limit && load<u8>(position) == MINUS;
  if (!isWest && !takeByte(PLUS)) return false;
  if (isWest) position++;
  const hours = takeNumber(2, 2);
  const hasColon = takeByte(COLON);
  const minutes = hasColon || (position < limit && isDigit(position)) ? takeNumber(2, 2) : 0;
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return false;
  const ahead = hours * 3600 + minutes * 60;
  offset = isWest ? -ahead : ahead;
  return true;
}

/** UTC, GMT or Z. Other names of zones are ambiguous. */
function takeUtcName(): bool {
  const start = position;
  const count = takeLetters();
  offset = 0;
  if (count == 1) return (load<u8>(start) | CASE_BIT) == LETTER_Z;
  const letters = (load<u32>(start) & 0xffffff) | 0x202020;
  return count == 3 && (letters == 0x637475 || letters == 0x746d67);
}

function takeEpochSeconds(): bool {
  const start = position;
  epochSeconds = 0;
  for (; position < limit && isDigit(position); position++)
    epochSeconds = epochSeconds * 10 + (<i64>load<u8>(position) - <i64>ZERO_DIGIT);
  return position > start && position - start < MAX_DIGITS;
}

function takeShortYear(): bool {
  const value = takeNumber(2, 2);
  // As in POSIX.
  year = value < 69 ? 2000 + value : 1900 + value;
  return value >= 0;
}

function take(operation: u32, byte: u32): bool {
  switch (operation) {
    case TAKE_BYTE:
      return takeByte(byte);
    case TAKE_BLANKS:
      return takeBlanks();
    case TAKE_YEAR:
      return (year = takeNumber(4, 4)) >= 0;
    case TAKE_SHORT_YEAR:
      return takeShortYear();
    case TAKE_MONTH:
      return (month = takePadded()) >= 0;
    case TAKE_MONTH_NAME:
      return takeMonthName();
    case TAKE_DAY:
      return (day = takePadded()) >= 0;
    case TAKE_DAY_OF_YEAR:
      return (dayOfYear = takeNumber(1, 3)) > 0;
    case TAKE_WEEKDAY_NAME:
      return takeLetters() >= 3;
    case TAKE_HOUR:
      return (hour = takePadded()) >= 0;
    case TAKE_HOUR_OF_HALF:
      hour = takePadded();
      return hour >= 1 && hour <= 12;
    case TAKE_HALF:
      return takeHalf();
    case TAKE_MINUTE:
      return (minute = takeNumber(1, 2)) >= 0;
    case TAKE_SECOND:
      return (second = takeNumber(1, 2)) >= 0;
    case TAKE_FRACTION:
      return takeFraction();
    case TAKE_OFFSET:
      return takeOffset();
    case TAKE_UTC_NAME:
      return takeUtcName();
    default:
      return takeEpochSeconds();
  }
}

/** The offset that a program gives for a local time. */
function zoneOffset(program: u32, local: i64): i32 {
  const zones = program + TEXT_HEADER_BYTES;
  let low: u32 = 0;
  let high = load<u32>(program, 4) - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (local >= <i64>load<u32>(zones + middle * ZONE_BYTES)) low = middle;
    else high = middle - 1;
  }
  return load<i32>(zones + low * ZONE_BYTES, 4);
}

/** Tells if all of a text was read: the field in which it began, or all of each field in which it went on. */
function isWhole(): bool {
  if (position == limit) return true;
  const next = <u32>load<u8>(position);
  return position >= fieldEnd && (next == SPACE || next == TAB);
}

/** Milliseconds since 1970 of what was read, in this year; NaN if it is not a time. */
function timeIn(year: i32, program: u32): f64 {
  if (dayOfYear > 0) {
    if (dayOfYear > daysInYear(year)) return NaN;
    month = 1;
    day = 1;
  }
  const local = secondsSince1970(year, month, day, hour, minute, second);
  if (local == NO_DATE) return NaN;
  const seconds = local + <i64>max(dayOfYear - 1, 0) * 86400;
  return <f64>(seconds - (offset == NO_OFFSET ? zoneOffset(program, seconds) : offset)) * 1000 + milliseconds;
}

/**
 * Milliseconds since 1970 of what was read, in the year in which it is the latest that is not ahead; NaN if it is not a time, as is a 29
 * February when the last one is longer ago than a year.
 */
function latest(program: u32): f64 {
  const until = load<u32>(program, 12);
  // A local time that was written in another zone is ahead by less than a day. It is refused, and not taken for that of a year ago.
  const most = until == 0 ? latestTime + DAY_MILLISECONDS : min(latestTime, <f64>until * 1000 - 1);
  // A local time can be in the next year.
  let year = 1971 + <i32>(most / YEAR_MILLISECONDS);
  let time = timeIn(year, program);
  for (let left = 3; left > 0 && !(time <= most); left--) time = timeIn(--year, program);
  return time <= most && most - time < LONGEST_YEAR_MILLISECONDS ? time : NaN;
}

/** Milliseconds since 1970 of what was read; NaN if it is not a time, or not all of the text. */
function found(program: u32): f64 {
  if (!isWhole()) return NaN;
  if (epochSeconds != NO_DATE) return <f64>epochSeconds * 1000 + milliseconds;
  if (half != NO_HALF) hour = (hour % 12) + 12 * half;
  return year == NO_NUMBER ? latest(program) : timeIn(year, program);
}

/** A text in the pattern of a program. It may be in brackets, as logs of web servers have it, unless the pattern begins with one. */
function readPattern(program: u32): f64 {
  const first = program + TEXT_HEADER_BYTES + load<u32>(program, 4) * ZONE_BYTES;
  const end = first + (load<u32>(program, 8) << 2);
  const isBracketed = load<u32>(first) != (TAKE_BYTE | (OPEN_BRACKET << 16)) && takeByte(OPEN_BRACKET);
  for (let at = first; at < end; at += 4) {
    if (!take(load<u16>(at), load<u16>(at, 2))) return NaN;
  }
  if (isBracketed && !takeByte(CLOSE_BRACKET)) return NaN;
  return found(program);
}

/** Takes the time of day of ISO 8601: hours and minutes, and optionally seconds and a fraction. */
function takeIsoTime(): bool {
  hour = takeNumber(2, 2);
  if (!takeByte(COLON)) return false;
  minute = takeNumber(2, 2);
  if (!takeByte(COLON)) return true;
  second = takeNumber(2, 2);
  return takeByte(POINT) || takeByte(COMMA) ? takeFraction() : true;
}

/** A date of ISO 8601, optionally with a time of day and a time zone. */
function readIso(program: u32): f64 {
  year = takeNumber(4, 4);
  if (year == NO_NUMBER || !takeByte(MINUS)) return NaN;
  month = takeNumber(2, 2);
  if (!takeByte(MINUS)) return NaN;
  day = takeNumber(2, 2);
  if (position == limit) return found(program);
  if (lowerByte() != LETTER_T && lowerByte() != SPACE) return NaN;
  position++;
  if (!takeIsoTime()) return NaN;
  return position < limit && !takeOffset() ? NaN : found(program);
}

/** A whole or decimal number of units. */
function readUnits(unitsPerSecond: u64, start: u32, end: u32): f64 {
  const wholeEnd = digitsEnd(start, end);
  if (wholeEnd == start || wholeEnd - start > MAX_DIGITS) return NaN;
  let fractionEnd = wholeEnd;
  if (wholeEnd < end) {
    fractionEnd = digitsEnd(wholeEnd + 1, end);
    if (load<u8>(wholeEnd) != POINT || fractionEnd == wholeEnd + 1 || fractionEnd != end) return NaN;
  }
  let units: u64 = 0;
  for (let at = start; at < wholeEnd; at++) units = units * 10 + <u64>(<u32>load<u8>(at) - ZERO_DIGIT);
  if (unitsPerSecond > 1) return <f64>(units / (unitsPerSecond / 1000));
  return <f64>units * 1000 + thousandths(wholeEnd + 1, fractionEnd);
}

/**
 * Milliseconds since 1970 of the text that begins at `start` in the format of a program; NaN if it is not a time.
 * @param end the end of its field
 * @param textEnd the end of the fields in which a time with blanks may go on
 * @param maxTime the latest valid time, by which texts without a year get theirs
 */
export function readFormatted(program: u32, start: u32, end: u32, textEnd: u32, maxTime: f64): f64 {
  const kind = load<u32>(program);
  latestTime = maxTime;
  if (kind == TIME_NUMBER) return readUnits(<u64>load<u32>(program, 4), start, end);
  begin(start, end, kind == TIME_PATTERN ? textEnd : end);
  return kind == TIME_ISO ? readIso(program) : readPattern(program);
}
