// Numbers, times and sizes as texts.

import type { WhenFull } from '../src/detectors/whenfull.js';
import type { PlannedMisses } from '../src/serve/http/watch/messages.js';

const LOCALE = 'en-US';
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Shown in place of a number that is not known. */
export const UNKNOWN = '–';

const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const dateAndTime = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const timeOfDay = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium', hour12: false });

export function count(value: number): string {
  return whole.format(value);
}

export function perSecond(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  return value < 10_000 ? whole.format(value) : short.format(value);
}

export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log2(value) / 10));
  return `${Number((value / 1024 ** power).toPrecision(3))} ${units[power]}`;
}

/** A share, such as a rate of errors. Small ones have an exponent. */
export function rate(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  if (value === 0) return '0';
  return value < 0.0001 ? value.toExponential(2) : `${Number((100 * value).toPrecision(3))} %`;
}

export function percent(value: number | null): string {
  return value === null ? UNKNOWN : `${(100 * value).toFixed(1)} %`;
}

export function milliseconds(value: number): string {
  return value < 1000 ? `${Number(value.toPrecision(3))} ms` : `${Number((value / 1000).toPrecision(3))} s`;
}

/** A time that has passed. */
export function age(seconds: number): string {
  if (seconds < MINUTE) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)} h ${Math.floor((seconds % HOUR) / MINUTE)} min`;
  return `${Math.floor(seconds / DAY)} d`;
}

/** A moment that is to come. */
export function date(milliseconds: number): string {
  const farthest = 8.64e15;
  return milliseconds < farthest ? dateAndTime.format(milliseconds) : 'a day too far to name';
}

export function clock(milliseconds: number): string {
  return timeOfDay.format(milliseconds);
}

const missesTexts: Readonly<Record<PlannedMisses, string>> = {
  never: '0, no repeat is missed',
  window: '0 within the window',
  stream: 'as the stream repeats itself',
};

/** How often repeats are missed, in words. */
export function missesText(misses: PlannedMisses): string {
  return missesTexts[misses];
}

const whenFullTexts: Readonly<Record<WhenFull, string>> = {
  refuses: 'new keys are refused',
  misreports: 'more and more new keys are called duplicates',
  shortens: 'the oldest keys leave the window before their time, so their repeats pass',
  forgets: 'the oldest keys make room, which is what it is made for',
};

/** The fate of new keys when a detector is full. */
export function whenFullText(whenFull: WhenFull): string {
  return whenFullTexts[whenFull];
}

/** A time in seconds. */
export function seconds(value: number): string {
  return value < 0.001 ? `${Number((value * 1e6).toPrecision(2))} µs` : milliseconds(value * 1000);
}
