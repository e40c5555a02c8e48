// The formats of times, and the programs by which the kernel reads them (assembly/scan/timeformats.ts).

import { invalidOption } from '../base/errors.js';
import * as abi from '../kernel/abi.js';
import { type ZonePart, zoneParts } from './timezone.js';

/** Formats that have a name. Anything else is a pattern. */
export const timeFormatNames = [
  'auto',
  'iso',
  'seconds',
  'milliseconds',
  'microseconds',
  'nanoseconds',
  'clf',
] as const;
export type TimeFormatName = (typeof timeFormatNames)[number];

const unitsPerSecond: Readonly<Record<string, number>> = {
  seconds: 1,
  milliseconds: 1e3,
  microseconds: 1e6,
  nanoseconds: 1e9,
};

/** The Common Log Format of web servers. */
const CLF_PATTERN = '%d/%b/%Y:%H:%M:%S %z';

/** Conversions that combine others, as in strftime. */
const compounds: Readonly<Record<string, string>> = {
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  T: '%H:%M:%S',
  c: '%a %b %e %H:%M:%S %Y',
  n: ' ',
  t: ' ',
};

const operations: Readonly<Record<string, number>> = {
  A: abi.TAKE_WEEKDAY_NAME,
  B: abi.TAKE_MONTH_NAME,
  H: abi.TAKE_HOUR,
  I: abi.TAKE_HOUR_OF_HALF,
  L: abi.TAKE_FRACTION,
  M: abi.TAKE_MINUTE,
  S: abi.TAKE_SECOND,
  Y: abi.TAKE_YEAR,
  Z: abi.TAKE_UTC_NAME,
  a: abi.TAKE_WEEKDAY_NAME,
  b: abi.TAKE_MONTH_NAME,
  d: abi.TAKE_DAY,
  e: abi.TAKE_DAY,
  f: abi.TAKE_FRACTION,
  h: abi.TAKE_MONTH_NAME,
  j: abi.TAKE_DAY_OF_YEAR,
  k: abi.TAKE_HOUR,
  l: abi.TAKE_HOUR_OF_HALF,
  m: abi.TAKE_MONTH,
  p: abi.TAKE_HALF,
  s: abi.TAKE_EPOCH_SECONDS,
  y: abi.TAKE_SHORT_YEAR,
  z: abi.TAKE_OFFSET,
};

/** Settings of the kernel are limited, and no time is longer. */
const MAX_PATTERN_CHARACTERS = 200;

function refuse(format: string, expected: string): never {
  throw invalidOption({ code: 'E_USAGE', option: 'timeFormat', given: format, expected });
}

function literal(text: string): number[] {
  return [...new TextEncoder().encode(text)].map((byte) => abi.TAKE_BYTE | (byte << 16));
}

function patternOperations(pattern: string, format: string): number[] {
  const parts = pattern.match(/%[\s\S]|[ \t\n]+|[^% \t\n]+|%/g) ?? [];
  return parts.flatMap((part) => {
    if (part.trim() === '') return [abi.TAKE_BLANKS];
    if (!part.startsWith('%')) return literal(part);
    const letter = part.slice(1);
    if (letter === '%') return literal('%');
    const compound = compounds[letter];
    if (compound !== undefined) return patternOperations(compound, format);
    return [
      operations[letter] ?? refuse(format, `a pattern of the conversions %${Object.keys(operations).join(' %')}`),
    ];
  });
}

function has(taken: readonly number[], ...any: number[]): boolean {
  return any.some((operation) => taken.includes(operation));
}

/** Tells if the operations give the day of a year. A time needs one. */
function tellsDay(taken: readonly number[]): boolean {
  if (has(taken, abi.TAKE_EPOCH_SECONDS, abi.TAKE_DAY_OF_YEAR)) return true;
  return has(taken, abi.TAKE_MONTH, abi.TAKE_MONTH_NAME) && has(taken, abi.TAKE_DAY);
}

/** Tells if the operations give the year. Otherwise it is the one in which the time is the latest that is not ahead of the clock. */
function tellsYear(taken: readonly number[]): boolean {
  return has(taken, abi.TAKE_YEAR, abi.TAKE_SHORT_YEAR, abi.TAKE_EPOCH_SECONDS);
}

function compiledPattern(pattern: string): number[] {
  if (!pattern.includes('%') || pattern.length > MAX_PATTERN_CHARACTERS) {
    refuse(pattern, `one of ${timeFormatNames.join(', ')}, or a pattern such as %d/%b/%Y:%H:%M:%S`);
  }
  const taken = patternOperations(pattern, pattern);
  return tellsDay(taken) ? taken : refuse(pattern, 'a pattern with the month and the day, such as %Y-%m-%d');
}

/** @throws FirstseenError E_USAGE for a zone of times that name theirs. */
function checkZone(zone: string | undefined, format: string, taken: readonly number[]): void {
  const namesZone = has(taken, abi.TAKE_OFFSET, abi.TAKE_EPOCH_SECONDS);
  if (zone !== undefined && namesZone) refuseContext('timeZone', zone, format, 'name their zone');
}

/** Tells if times in a format have a year. @throws FirstseenError E_USAGE for another format */
export function hasYear(format: string): boolean {
  return (timeFormatNames as readonly string[]).includes(format) || tellsYear(compiledPattern(format));
}

/** The number of texts between blanks of a time in a format. */
export function wordCountOf(format: string): number {
  const pattern = format === 'clf' ? CLF_PATTERN : format;
  if ((timeFormatNames as readonly string[]).includes(pattern)) return 1;
  return 1 + compiledPattern(pattern.trim()).filter((operation) => operation === abi.TAKE_BLANKS).length;
}

/** The context of times: what their texts leave out. */
export interface TimeContext {
  /** The time zone of texts that name none, as `zoneParts` takes it; UTC by default. */
  zone?: string | undefined;
  /** The last day, month or year that texts without a year can be in; that of the clock by default. */
  until?: string | undefined;
}

/** 2106-02-07. The kernel has seconds of 32 bits. */
const MAX_SECONDS = 2 ** 32 - 1;

const DAY_SECONDS = 86_400;

/** The local second that follows a year, a month or a day, since 1970. @throws FirstseenError E_USAGE for anything else */
function localEnd(until: string): number {
  const texts = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(until)?.slice(1) ?? [];
  const [year = 0, month, day] = texts.filter((text) => text !== undefined).map(Number);
  const ofMonth = month === undefined ? Date.UTC(year + 1, 0, 1) : Date.UTC(year, month, 1);
  const seconds = (month === undefined || day === undefined ? ofMonth : Date.UTC(year, month - 1, day + 1)) / 1000;
  const isInRange = seconds > DAY_SECONDS && seconds < MAX_SECONDS - DAY_SECONDS;
  // A date that does not exist would be another one.
  if (isInRange && new Date((seconds - DAY_SECONDS) * 1000).toISOString().startsWith(until)) return seconds;
  const expected = 'a year, a month or a day since 1970, such as 2015, 2015-03 or 2015-03-29';
  throw invalidOption({ code: 'E_USAGE', option: 'timeUntil', given: until, expected });
}

/** The second before which texts without a year are, since 1970. */
function secondsUntil(until: string, zones: readonly ZonePart[]): number {
  const local = localEnd(until);
  const [first] = zones as [ZonePart];
  return local - (zones.findLast(({ fromLocalSeconds }) => fromLocalSeconds <= local) ?? first).offsetSeconds;
}

/** @throws FirstseenError E_USAGE for an option that has no effect on times of the format. */
function refuseContext(option: 'timeZone' | 'timeUntil', value: string, format: string, what: string): never {
  const expected = `left out for the time format ${format}, whose times ${what}`;
  throw invalidOption({ code: 'E_USAGE', option, given: value, expected });
}

/**
 * The program of a format, in words; undefined for `auto`.
 * @param format a name of `timeFormatNames`, or a pattern as in strftime
 * @throws FirstseenError E_USAGE for another format, zone or last day, or for one that has no effect.
 */
export function timeProgram(format: string, { zone, until }: TimeContext = {}): Uint32Array | undefined {
  const units = unitsPerSecond[format];
  const isNumber = format === 'auto' || units !== undefined;
  if (zone !== undefined && isNumber) refuseContext('timeZone', zone, format, 'name their zone or are in UTC');
  const operationCodes = isNumber || format === 'iso' ? [] : compiledPattern(format === 'clf' ? CLF_PATTERN : format);
  if (until !== undefined && hasYear(format)) refuseContext('timeUntil', until, format, 'have a year');
  if (format === 'auto') return undefined;
  if (units !== undefined) return Uint32Array.of(abi.TIME_NUMBER, units, 0);
  checkZone(zone, format, operationCodes);
  const zones = zoneParts(zone ?? '+00:00');
  const kind = format === 'iso' ? abi.TIME_ISO : abi.TIME_PATTERN;
  const zoneWords = zones.flatMap(({ fromLocalSeconds, offsetSeconds }) => [fromLocalSeconds, offsetSeconds]);
  const end = until === undefined ? 0 : secondsUntil(until, zones);
  return Uint32Array.from([kind, zones.length, operationCodes.length, end, ...zoneWords, ...operationCodes]);
}
