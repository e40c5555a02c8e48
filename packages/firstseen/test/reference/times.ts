// The formats of times in their simplest form: a pattern becomes a regular expression, and Date and Intl do the rest.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MAX_MILLISECONDS = 1e14;

const groups: Readonly<Record<string, string>> = {
  Y: '(?<year>\\d{4})',
  y: '(?<short>\\d{2})',
  m: ' ?(?<month>\\d{1,2})',
  b: `(?<name>(?:${MONTHS.join('|')})[a-z]*)`,
  d: ' ?(?<day>\\d{1,2})',
  j: '(?<yearday>\\d{1,3})',
  a: '[a-z]{3,}',
  H: ' ?(?<hour>\\d{1,2})',
  I: ' ?(?<twelve>\\d{1,2})',
  p: '(?<half>[ap])m',
  M: '(?<minute>\\d{1,2})',
  S: '(?<second>\\d{1,2})',
  f: '(?<fraction>\\d+)',
  z: '(?<zone>z|[+-]\\d{2}(?::?\\d{2})?)',
  Z: '(?<utc>utc|gmt|z)',
  s: '(?<epoch>\\d{1,18})',
};

function expressionOf(pattern: string): RegExp {
  const source = pattern.replace(/%.|[ \t]+|[^%]/g, (part) => {
    if (part.startsWith('%')) return groups[part.slice(1)] ?? '%';
    return part.trim() === '' ? '[ \\t]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${source}$`, 'i');
}

/** The offset of a zone at an instant, both in seconds. */
function offsetAt(zone: string, seconds: number): number {
  const local = new Date(seconds * 1000).toLocaleString('sv-SE', { timeZone: zone });
  return Date.parse(`${local.replace(' ', 'T')}Z`) / 1000 - seconds;
}

/** The first instant of a local time; in a gap, what the offset before the gap gives. */
function instantOf(zone: string, local: number): number {
  const before = offsetAt(zone, local - 86400);
  const after = offsetAt(zone, local + 86400);
  const found = [before, after].find((offset) => offsetAt(zone, local - offset) === offset);
  return local - (found ?? before);
}

function zoneSeconds(zone: string): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (sign === undefined) return 0;
  return Number(hours) > 23 || Number(minutes) > 59
    ? Number.NaN
    : (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

/** The year in a text; undefined if it has none. */
function yearOf({ year, short }: Record<string, string | undefined>): number | undefined {
  if (year !== undefined) return Number(year);
  return short === undefined ? undefined : (Number(short) < 69 ? 2000 : 1900) + Number(short);
}

function dateSeconds(found: Record<string, string | undefined>, year: number): number {
  const name = found.name?.slice(0, 3).toLowerCase();
  const month = name === undefined ? Number(found.month ?? 1) : MONTHS.indexOf(name) + 1;
  const day = Number(found.day ?? 1);
  const twelve = Number(found.twelve ?? 12);
  if (twelve < 1 || twelve > 12) return Number.NaN;
  const whole = found.hour === undefined ? twelve : Number(found.hour);
  const hour =
    found.half === undefined
      ? found.hour === undefined && found.twelve === undefined
        ? 0
        : whole
      : (whole % 12) + (found.half.toLowerCase() === 'p' ? 12 : 0);
  const [minute, second] = [Number(found.minute ?? 0), Number(found.second ?? 0)];
  if (Number(found.hour ?? 0) > 23 || hour > 23 || minute > 59 || second > 60) return Number.NaN;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return Number.NaN;
  if (found.yearday !== undefined) {
    const yearday = Number(found.yearday);
    date.setUTCFullYear(year, 0, yearday);
    if (yearday < 1 || date.getUTCFullYear() !== year) return Number.NaN;
  }
  return date.getTime() / 1000 + hour * 3600 + minute * 60 + second;
}

/** The context of a text: its zone, the latest valid time, and the last day of times without a year. */
export interface ReferenceContext {
  zone?: string;
  latest?: number;
  until?: string | undefined;
}

const DAY_MILLISECONDS = 86_400_000;

/** The latest time that a text without a year can be. */
function mostOf({ zone = 'UTC', latest = MAX_MILLISECONDS, until }: ReferenceContext): number {
  if (until === undefined) return latest + DAY_MILLISECONDS;
  const [year, month, day] = until.split('-').map(Number) as [number, number?, number?];
  const next =
    day !== undefined
      ? Date.UTC(year, (month as number) - 1, day + 1)
      : month === undefined
        ? Date.UTC(year + 1, 0, 1)
        : Date.UTC(year, month, 1);
  return Math.min(latest, instantOf(zone, next / 1000) * 1000 - 1);
}

/** Milliseconds since 1970 of a text in a pattern; undefined if it is not a time. */
export function referenceTime(text: string, pattern: string, context: ReferenceContext = {}): number | undefined {
  const { zone = 'UTC' } = context;
  const found = expressionOf(pattern).exec(text)?.groups as Record<string, string | undefined> | undefined;
  if (found === undefined) return undefined;
  const milliseconds = Number((found.fraction ?? '').padEnd(3, '0').slice(0, 3));
  const own = found.zone ?? found.utc;
  const timeIn = (year: number) => {
    const local = dateSeconds(found, year);
    return (own === undefined ? instantOf(zone, local) : local - zoneSeconds(own)) * 1000 + milliseconds;
  };
  const isTime = (time: number) => time >= 0 && time < MAX_MILLISECONDS;
  if (found.epoch !== undefined) return [Number(found.epoch) * 1000 + milliseconds].find(isTime);
  const year = yearOf(found);
  if (year !== undefined) return [timeIn(year)].find(isTime);
  const most = mostOf(context);
  const last = new Date(most).getUTCFullYear() + 1;
  const times = [last, last - 1, last - 2, last - 3].map(timeIn);
  return times.find((time) => time <= most && time > most - 367 * DAY_MILLISECONDS && isTime(time));
}
