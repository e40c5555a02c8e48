// Dates of the Gregorian calendar as seconds since 1970.

export const DAY_SECONDS: i64 = 86400;

/**
 * The result of `secondsSince1970` for an invalid date. Other negative results are valid: they are times before 1970,
 * which a time zone can move past 1970.
 */
export const NO_DATE: i64 = i64.MIN_VALUE;

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

export function daysInYear(year: i32): i32 {
  return 337 + daysInMonth(year, 2);
}

/** Seconds since 1970 of a date and a time of day, without a time zone. */
export function secondsSince1970(year: i32, month: i32, day: i32, hour: i32, minute: i32, second: i32): i64 {
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return NO_DATE;
  // A leap second is the first of the next minute.
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return NO_DATE;
  return <i64>daysSince1970(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second;
}
