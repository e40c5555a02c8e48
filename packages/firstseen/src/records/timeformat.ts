// The formats of times, and the programs by which the kernel reads them (assembly/scan/timeformats.ts).

import { invalidOption } from '../base/errors.js';
import * as abi from '../kernel/abi.js';
import { zoneParts } from './timezone.js';

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
const MOST_PATTERN_CHARACTERS = 200;

function refuse(given: string, expected: string): never {
  throw invalidOption({ code: 'E_USAGE', option: 'timeFormat', given, expected });
}

function literal(text: string): number[] {
  return [...new TextEncoder().encode(text)].map((byte) => abi.TAKE_BYTE | (byte << 16));
}

function patternOperations(pattern: string, given: string): number[] {
  const parts = pattern.match(/%[\s\S]|[ \t\n]+|[^% \t\n]+|%/g) ?? [];
  return parts.flatMap((part) => {
    if (part.trim() === '') return [abi.TAKE_BLANKS];
    if (!part.startsWith('%')) return literal(part);
    const letter = part.slice(1);
    if (letter === '%') return literal('%');
    const compound = compounds[letter];
    if (compound !== undefined) return patternOperations(compound, given);
    return [operations[letter] ?? refuse(given, `a pattern of the conversions %${Object.keys(operations).join(' %')}`)];
  });
}

/** Whether the operations give the day. A time needs one. */
function tellsDay(taken: readonly number[]): boolean {
  const has = (...any: number[]) => any.some((operation) => taken.includes(operation));
  if (has(abi.TAKE_EPOCH_SECONDS)) return true;
  const hasDay = has(abi.TAKE_MONTH, abi.TAKE_MONTH_NAME) && has(abi.TAKE_DAY);
  return has(abi.TAKE_YEAR, abi.TAKE_SHORT_YEAR) && (hasDay || has(abi.TAKE_DAY_OF_YEAR));
}

function compiledPattern(pattern: string): number[] {
  if (!pattern.includes('%') || pattern.length > MOST_PATTERN_CHARACTERS) {
    refuse(pattern, `one of ${timeFormatNames.join(', ')}, or a pattern such as %d/%b/%Y:%H:%M:%S`);
  }
  const taken = patternOperations(pattern, pattern);
  return tellsDay(taken) ? taken : refuse(pattern, 'a pattern with the year, the month and the day, such as %Y-%m-%d');
}

/** @throws FirstseenError E_USAGE for a zone of times that name theirs. */
function checkZone(zone: string | undefined, format: string, taken: readonly number[]): void {
  const namesZone = [abi.TAKE_OFFSET, abi.TAKE_EPOCH_SECONDS].some((operation) => taken.includes(operation));
  if (zone === undefined || !namesZone) return;
  const expected = `left out for the time format ${format}, whose times name their zone`;
  throw invalidOption({ code: 'E_USAGE', option: 'timeZone', given: zone, expected });
}

/**
 * The program of a format, in words; undefined for `auto`.
 * @param format a name of `timeFormatNames`, or a pattern as in strftime
 * @param zone the time zone of texts that name none, as `zoneParts` takes it
 * @throws FirstseenError E_USAGE for another format or zone, or for a zone that has no effect.
 */
export function timeProgram(format: string, zone?: string): Uint32Array | undefined {
  const units = unitsPerSecond[format];
  if (zone !== undefined && (format === 'auto' || units !== undefined)) {
    const expected = `left out for the time format ${format}, whose times name their zone or are in UTC`;
    throw invalidOption({ code: 'E_USAGE', option: 'timeZone', given: zone, expected });
  }
  if (format === 'auto') return undefined;
  if (units !== undefined) return Uint32Array.of(abi.TIME_NUMBER, units, 0);
  const taken = format === 'iso' ? [] : compiledPattern(format === 'clf' ? CLF_PATTERN : format);
  checkZone(zone, format, taken);
  const zones = zoneParts(zone ?? '+00:00');
  const kind = format === 'iso' ? abi.TIME_ISO : abi.TIME_PATTERN;
  const zoneWords = zones.flatMap(({ fromLocalSeconds, offsetSeconds }) => [fromLocalSeconds, offsetSeconds]);
  return Uint32Array.from([kind, zones.length, taken.length, ...zoneWords, ...taken]);
}
