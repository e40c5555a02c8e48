// Values of Parquet as JSON. Every digit is kept: 64-bit integers, decimals and times are exact. A value has the same text whatever type
// its column has: a time in milliseconds that of the same time in nanoseconds, and the integer 1 that of the double 1, which columns of
// integers with nulls often are.

import type { SchemaElement } from 'hyparquet';
import { textOfBytes } from '../system/bytetext.js';
import { type Field, hasWrappedElement, isText } from './schema.js';

/** Writes a value as JSON. */
type Write = (value: unknown) => string;

const unitDigits = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const;

type Unit = keyof typeof unitDigits;

/** Text as JSON, for values that the reader decodes. A byte that is not UTF-8 is an escape, `\udc80` to `\udcff`. */
export function textFromBytes(bytes: Uint8Array | undefined): string | undefined {
  return bytes && JSON.stringify(textOfBytes(bytes));
}

const bytesOf = (value: unknown) => value as Uint8Array;

function base64(value: unknown): string {
  const { buffer, byteOffset, length } = bytesOf(value);
  return `"${Buffer.from(buffer, byteOffset, length).toString('base64')}"`;
}

function uuid(value: unknown): string {
  const hex = Buffer.from(bytesOf(value)).toString('hex');
  return `"${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}"`;
}

/** JSON has no number for these, so they are text, as in the JSON of Protocol Buffers. */
function notANumber(value: number): string {
  return `"${value}"`;
}

/** Whole numbers up to this are exact as doubles. */
const MAX_EXACT = 2 ** 53;

function double(number: number): string {
  if (!Number.isFinite(number)) return notANumber(number);
  // -0 equals 0.
  if (number === 0) return '0';
  const text = String(number);
  if (/[.e]/.test(text)) return text;
  return Math.abs(number) <= MAX_EXACT ? text : `${text}.0`;
}

/** Numbers of 32 bits that are smaller have fewer than six digits. */
const MIN_NORMAL_FLOAT = 2 ** -126;

/** The fewest digits that are read back as the same number of 32 bits. */
function float(number: number): string {
  if (!Number.isFinite(number) || number === 0) return double(number);
  for (let digits = Math.abs(number) < MIN_NORMAL_FLOAT ? 1 : 6; digits < 9; digits++) {
    const rounded = Number(number.toPrecision(digits));
    if (Math.fround(rounded) === number) return double(rounded);
  }
  return double(Number(number.toPrecision(9)));
}

function half(value: unknown): string {
  const [low = 0, high = 0] = bytesOf(value);
  const exponent = (high >> 2) & 0x1f;
  const fraction = ((high & 3) << 8) | low;
  const sign = high >> 7 ? -1 : 1;
  if (exponent === 0x1f) return notANumber(fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY);
  return double(sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024)));
}

/** The unscaled number of a decimal: an integer, or bytes with the highest first. */
function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as number | bigint);
  if (value.length === 0) return 0n;
  return BigInt.asIntN(value.length * 8, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}

function decimal(scale: number): Write {
  return (value) => {
    const number = unscaled(value);
    if (scale <= 0) return String(number);
    const digits = String(number < 0n ? -number : number).padStart(scale + 1, '0');
    return `${number < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  };
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}

/** Days of 400 years, after which the calendar repeats, and days from 0000-03-01 to 1970-01-01. */
const ERA_DAYS = 146_097;
const EPOCH_DAYS = 719_468;

/**
 * The date of a day since 1970-01-01 in the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms",
 * `civil_from_days`). Years after 9999 and before 0 have a sign and six digits or more, as in ISO 8601.
 */
function dateOf(epochDay: number): string {
  const era = Math.floor((epochDay + EPOCH_DAYS) / ERA_DAYS);
  const day = epochDay + EPOCH_DAYS - era * ERA_DAYS;
  const yearOfEra = Math.floor(
    (day - Math.floor(day / 1460) + Math.floor(day / 36_524) - Math.floor(day / (ERA_DAYS - 1))) / 365,
  );
  const dayOfYear = day - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  // March is month 0, so that a leap day is the last day of a year.
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0);
  const isPlain = year >= 0 && year <= 9999;
  const shownYear = isPlain ? padded(year, 4) : `${year < 0 ? '-' : '+'}${padded(Math.abs(year), 6)}`;
  return `${shownYear}-${padded(month < 10 ? month + 3 : month - 9, 2)}-${padded(dayOfMonth, 2)}`;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

/** A time of day. */
function timeOf(units: number, digits: number): string {
  const perSecond = 10 ** digits;
  const seconds = Math.floor(units / perSecond);
  const minutes = Math.floor(seconds / 60);
  const clock = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`;
  const fraction = padded(units - seconds * perSecond, digits);
  // A time in nanoseconds has the text of the same time in milliseconds.
  return `${clock}.${fraction.replace(/(?<=^\d{3,})(?:000)+$/, '')}`;
}

function timestamp(unit: Unit, isUtc: boolean): Write {
  const digits = unitDigits[unit];
  const perDay = 86_400n * 10n ** BigInt(digits);
  const zone = isUtc ? 'Z' : '';
  let lastDay = Number.NaN;
  let lastDate = '';
  return (value) => {
    let day = Number((value as bigint) / perDay);
    let inDay = Number((value as bigint) % perDay);
    if (inDay < 0) {
      day -= 1;
      inDay += Number(perDay);
    }
    // Neighbours in a column often have the same date.
    if (day !== lastDay) [lastDay, lastDate] = [day, dateOf(day)];
    return `"${lastDate}T${timeOf(inDay, digits)}${zone}"`;
  };
}

function time(unit: Unit, isUtc: boolean): Write {
  const digits = unitDigits[unit];
  const zone = isUtc ? 'Z' : '';
  return (value) => `"${timeOf(Number(value), digits)}${zone}"`;
}

const asItIs: Write = (value) => String(value);

/** Values of the types that were annotated before logical types existed. */
const writesOfConverted: Readonly<Record<string, (element: SchemaElement) => Write>> = {
  DECIMAL: ({ scale = 0 }) => decimal(scale),
  DATE: () => (value) => `"${dateOf(value as number)}"`,
  TIME_MILLIS: (_) => time('MILLIS', false),
  TIME_MICROS: (_) => time('MICROS', false),
  TIMESTAMP_MILLIS: (_) => timestamp('MILLIS', true),
  TIMESTAMP_MICROS: (_) => timestamp('MICROS', true),
  UINT_8: () => (value) => String((value as number) & 0xff),
  UINT_16: () => (value) => String((value as number) & 0xffff),
  UINT_32: () => (value) => String((value as number) >>> 0),
  UINT_64: () => (value) => String(BigInt.asUintN(64, value as bigint)),
};

const writesOfStored: Readonly<Record<string, Write>> = {
  BOOLEAN: asItIs,
  INT32: asItIs,
  INT64: asItIs,
  // The reader gives the old type of timestamps as nanoseconds since 1970.
  INT96: timestamp('NANOS', false),
  FLOAT: (value) => float(value as number),
  DOUBLE: (value) => double(value as number),
  BYTE_ARRAY: base64,
  FIXED_LEN_BYTE_ARRAY: base64,
};

function writeOfLogical({ logical_type: logical, type }: SchemaElement): Write | undefined {
  if (logical?.type === 'TIMESTAMP') return timestamp(logical.unit, logical.isAdjustedToUTC);
  if (logical?.type === 'TIME') return time(logical.unit, logical.isAdjustedToUTC);
  if (logical?.type === 'DECIMAL') return decimal(logical.scale);
  if (logical?.type === 'UUID') return uuid;
  if (logical?.type === 'FLOAT16') return (value) => half(value);
  if (logical?.type === 'DATE') return writesOfConverted.DATE?.({ name: '' });
  if (logical?.type !== 'INTEGER' || logical.isSigned) return undefined;
  return writesOfConverted[type === 'INT64' ? 'UINT_64' : `UINT_${logical.bitWidth}`]?.({ name: '' });
}

/** Returns the function that writes a stored value that is not null. */
function writeOfValue(element: SchemaElement): Write {
  // The reader has made JSON of it.
  if (isText(element)) return asItIs;
  const converted = writesOfConverted[element.converted_type ?? ''];
  const stored = writesOfStored[element.type ?? ''];
  return writeOfLogical(element) ?? converted?.(element) ?? (stored as Write);
}

function orNull(write: Write): Write {
  return (value) => (value === null || value === undefined ? 'null' : write(value));
}

function listOf(write: Write): Write {
  return (value) => `[${Array.from(value as ArrayLike<unknown>, write).join(',')}]`;
}

type Members = Readonly<Record<string, unknown>>;

function structOf(fields: readonly Field[]): Write {
  const members = fields.map((field) => {
    return { name: field.name, write: writeOf(field), start: memberStart(field.name) };
  });
  return (value) => `{${members.map(({ name, write, start }) => start + write((value as Members)[name])).join(',')}}`;
}

/** An object; its names are the keys as text. */
function mapOf({ children }: Field): Write {
  const [entries] = children as [Field];
  const [key, value] = entries.children as [Field, Field];
  const writeKey = writeOf(key);
  const writeValue = writeOf(value);
  const nameOf = (text: string) => (text.startsWith('"') ? text : JSON.stringify(text));
  const entry = (item: Members) => `${nameOf(writeKey(item[key.name]))}:${writeValue(item[value.name])}`;
  return (map) => `{${Array.from((map as Members)[entries.name] as ArrayLike<Members>, entry).join(',')}}`;
}

/** A list of one of the layouts that the reader gives as an array, or of the older ones that it gives as a struct. */
function elementsOf(field: Field): Write {
  const [child] = field.children as [Field];
  if (hasWrappedElement(field)) return listOf(writeOf(child.children[0] as Field));
  if (child.kind === 'value') return listOf(orNull(writeOfValue(child.element)));
  const write = listOf(orNull(structOf(child.children)));
  return (value) => write((value as Members)[child.name]);
}

function writeOfOne(field: Field): Write {
  if (field.kind === 'value') return writeOfValue(field.element);
  if (field.kind === 'list') return elementsOf(field);
  return field.kind === 'map' ? mapOf(field) : structOf(field.children);
}

/** Returns the function that writes a value of a field, as the reader gives it with the reading schema. */
function writeOf(field: Field): Write {
  const write = orNull(writeOfOne(field));
  return field.element.repetition_type === 'REPEATED' ? orNull(listOf(write)) : write;
}

function memberStart(name: string): string {
  return `${JSON.stringify(name)}:`;
}

/** Writes rows `from` to `to` of columns as lines of JSON. */
export function rowWriter(
  fields: readonly Field[],
): (columns: readonly ArrayLike<unknown>[], from: number, to: number) => string {
  const writes = fields.map((field) => writeOf(field));
  const starts = fields.map(({ name }, i) => `${i === 0 ? '{' : ','}${memberStart(name)}`);
  return (columns, from, to) => {
    let lines = '';
    for (let row = from; row < to; row++) {
      for (let i = 0; i < writes.length; i++) lines += starts[i] + (writes[i] as Write)(columns[i]?.[row]);
      lines += writes.length === 0 ? '{}\n' : '}\n';
    }
    return lines;
  };
}
