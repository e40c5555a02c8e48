// Dates and times as text.

import { makeRoom, putByte, putDigits } from './output';

/** Days of 400 years, after which the calendar repeats, and days from 0000-03-01 to 1970-01-01. */
const ERA_DAYS: i64 = 146_097;
const EPOCH_DAYS: i64 = 719_468;
const QUOTE: u32 = 0x22;

function floorDivided(number: i64, divisor: i64): i64 {
  const quotient = number / divisor;
  return quotient - i64(number - quotient * divisor < 0);
}

function putTwo(number: u32): void {
  const tens = number / 10;
  putByte(48 + tens);
  putByte(48 + number - tens * 10);
}

/**
 * Writes the date of a day since 1970-01-01 in the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms",
 * `civil_from_days`). Years after 9999 and before 0 have a sign and six digits or more, as in ISO 8601.
 */
function putDay(epochDay: i64): void {
  const era = floorDivided(epochDay + EPOCH_DAYS, ERA_DAYS);
  const day = epochDay + EPOCH_DAYS - era * ERA_DAYS;
  const yearOfEra = (day - day / 1460 + day / 36_524 - day / (ERA_DAYS - 1)) / 365;
  const dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  // March is month 0, so that a leap day is the last day of a year.
  const month = (5 * dayOfYear + 2) / 153;
  const dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1;
  const year = yearOfEra + era * 400 + i64(month >= 10);
  if (year >= 0 && year <= 9999) putDigits(year, 4);
  else {
    putByte(year < 0 ? 0x2d : 0x2b);
    putDigits(year < 0 ? -year : year, 6);
  }
  putByte(0x2d);
  putTwo(<u32>(month < 10 ? month + 3 : month - 9));
  putByte(0x2d);
  putTwo(<u32>dayOfMonth);
}

function powerOf10(exponent: u32): i64 {
  let power: i64 = 1;
  for (let i: u32 = 0; i < exponent; i++) power *= 10;
  return power;
}

/** Writes two digits of a number that a damaged file may have made negative or large. */
function putPart(number: i64): void {
  if (number >= 0 && number < 100) return putTwo(<u32>number);
  if (number < 0) {
    putByte(0x30);
    putByte(0x2d);
  }
  putDigits(number < 0 ? -number : number, 1);
}

/** Writes a time of day, in units of which a second has a power of ten. */
function putClock(units: i64, digits: u32): void {
  const perSecond = powerOf10(digits);
  const seconds = floorDivided(units, perSecond);
  const minutes = floorDivided(seconds, 60);
  putPart(floorDivided(minutes, 60));
  putByte(0x3a);
  putPart(minutes % 60);
  putByte(0x3a);
  putPart(seconds % 60);
  putByte(0x2e);
  let fraction = units - seconds * perSecond;
  let shown = digits;
  // A time in nanoseconds has the text of the same time in milliseconds.
  while (shown > 3 && fraction % 1000 == 0) {
    fraction /= 1000;
    shown -= 3;
  }
  putDigits(fraction, shown);
}

/** Room for every date and time. */
const TIME_ROOM: u32 = 96;

/** Writes a date. */
export function putDate(day: i64): void {
  makeRoom(TIME_ROOM);
  putByte(QUOTE);
  putDay(day);
  putByte(QUOTE);
}

/** Writes a time of day. */
export function putTime(units: i64, digits: u32, isUtc: bool): void {
  makeRoom(TIME_ROOM);
  putByte(QUOTE);
  putClock(units, digits);
  if (isUtc) putByte(0x5a);
  putByte(QUOTE);
}

function putDayAndTime(day: i64, units: i64, digits: u32, isUtc: bool): void {
  makeRoom(TIME_ROOM);
  putByte(QUOTE);
  putDay(day);
  putByte(0x54);
  putClock(units, digits);
  if (isUtc) putByte(0x5a);
  putByte(QUOTE);
}

/** Writes a time since 1970. */
export function putTimestamp(units: i64, digits: u32, isUtc: bool): void {
  const perDay = 86_400 * powerOf10(digits);
  const day = floorDivided(units, perDay);
  putDayAndTime(day, units - day * perDay, digits, isUtc);
}

/** The Julian day of 1970-01-01. */
const EPOCH_JULIAN: i64 = 2_440_588;
const NANOSECONDS_PER_DAY: u64 = 86_400_000_000_000;

/** Writes a time of the old type: nanoseconds in a day, and its Julian day. */
export function putInt96(at: usize): void {
  const nanoseconds = load<u64>(at);
  const day = <i64>load<i32>(at + 8) - EPOCH_JULIAN + <i64>(nanoseconds / NANOSECONDS_PER_DAY);
  putDayAndTime(day, <i64>(nanoseconds % NANOSECONDS_PER_DAY), 9, false);
}
