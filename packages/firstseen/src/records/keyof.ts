// Makes the keys of records, as the command does (docs/decisions/046-key-schemes.md).

import { isBytes } from '../bytes.js';
import { checkOptions, type OptionNames } from '../check.js';
import { FirstseenError, invalidOption, shownName } from '../errors.js';
import { COMPOSITE_LENGTH_BYTES } from '../kernel/abi.js';
import { byteString, bytesOf, encodeText, joinBytes } from '../utf8.js';
import { resolveColumn } from './columns.js';
import { recordFormats } from './formats.js';
import { decodedValue, valueAt } from './jsontext.js';
import { type KeyPath, parseKeyPath } from './keypath.js';
import { checkKeys, type KeySchemeFormat } from './keyscheme.js';

/** A record of ndjson: an object, or its text. A row of csv or tsv: an object with its columns, or an array of fields. */
export type KeyedRecord = object | string | Uint8Array;

/** The options of `keyOf`. All are optional. */
export interface KeyOfOptions {
  /** `ndjson` by default, `csv` or `tsv`. */
  format?: Exclude<KeySchemeFormat, 'lines'> | undefined;
}

const keyOfOptionNames: OptionNames<KeyOfOptions> = { format: true };

function missing(key: string): FirstseenError {
  return new FirstseenError('E_KEY_MISSING', `a record has no value for the key ${shownName(key)}`, {
    remedy: 'correct the record or the key',
  });
}

function unusable(problem: string, remedy: string, cause?: unknown): FirstseenError {
  return new FirstseenError('E_KEY', problem, { remedy, ...(cause === undefined ? {} : { cause }) });
}

/** A value of an object as a JSON text contains it, but strings with their escapes decoded; undefined for what JSON leaves out. */
function tokenOf(value: unknown): string | undefined {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'bigint') return String(value);
  try {
    const token = JSON.stringify(value) as string | undefined;
    return token?.startsWith('"') ? `"${JSON.parse(token)}"` : token;
  } catch (cause) {
    throw unusable('the value of a key cannot be written as JSON', 'choose a field with a simple value', cause);
  }
}

/** The own member of an object, or the item of an array, as the text of the record would have it. */
function memberOf(value: unknown, segment: string | number): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof segment === 'string') {
    return Array.isArray(value) || !Object.hasOwn(value, segment)
      ? undefined
      : (value as Record<string, unknown>)[segment];
  }
  if (!Array.isArray(value) || segment >= value.length) return undefined;
  // JSON writes null for an item that it cannot write.
  return value[segment] ?? null;
}

function valueInObject(record: object, path: KeyPath): Uint8Array | undefined {
  const token = tokenOf(path.reduce<unknown>(memberOf, record));
  return token === undefined ? undefined : encodeText(token);
}

function valueInText(text: string, path: KeyPath): Uint8Array | undefined {
  const token = valueAt(text, path);
  return token === undefined ? undefined : bytesOf(decodedValue(token));
}

function jsonParts(keys: readonly string[], record: KeyedRecord): (Uint8Array | undefined)[] {
  const paths = keys.map(parseKeyPath);
  if (typeof record === 'object' && record !== null && !isBytes(record)) {
    return paths.map((path) => valueInObject(record, path));
  }
  const bytes = typeof record === 'string' ? encodeText(record) : record;
  if (!isBytes(bytes)) {
    throw unusable(`a record has the type ${typeof record}`, 'pass an object, or the text of one');
  }
  const text = byteString(bytes);
  return paths.map((path) => valueInText(text, path));
}

function columnPart(key: string, record: KeyedRecord): Uint8Array | undefined {
  if (typeof record !== 'object' || record === null || isBytes(record)) {
    throw unusable(`a row has the type ${typeof record}`, 'pass an object or an array, as a parser of CSV returns it');
  }
  const field = Array.isArray(record) ? record[resolveColumn(key, undefined)] : memberOf(record, key);
  if (field === undefined || field === null) return undefined;
  return isBytes(field) ? field : encodeText(String(field));
}

/** Parts one after the other, each after its length, so that ("ab", "c") and ("a", "bc") differ. */
function composite(parts: readonly Uint8Array[]): Uint8Array {
  const lengthOf = (part: Uint8Array) => {
    const length = new Uint8Array(COMPOSITE_LENGTH_BYTES);
    new DataView(length.buffer).setUint32(0, part.length, true);
    return length;
  };
  return joinBytes(parts.flatMap((part) => [lengthOf(part), part]));
}

/**
 * The key of a record, as the command makes it from these fields, for a detector that was or will be used by both:
 * `detector.observe(keyOf(['id'], record))`. Pass the text of a record where it may have numbers such as 1.0 or 1e0, which are other
 * keys than 1, or nested values: an object has lost how they were written, and counts as `JSON.stringify` writes it.
 * @param keys paths such as `user.id` for ndjson; names of columns for csv and tsv, or numbers from 1 for rows that are arrays
 * @throws FirstseenError E_KEY_MISSING for a record without such a field; E_KEY and E_RECORD for what is not a record; E_PARAMETER
 * and E_USAGE for invalid keys or another format.
 */
export function keyOf(keys: readonly string[], record: KeyedRecord, options: KeyOfOptions = {}): Uint8Array {
  const { format = 'ndjson' } = checkOptions(options, keyOfOptionNames);
  const kind = Object.hasOwn(recordFormats, format) ? recordFormats[format].keys : 'none';
  if ((kind as string) === 'none') {
    throw invalidOption({ option: 'format', given: format, expected: 'one of ndjson, csv, tsv' });
  }
  checkKeys(keys, format);
  const found = kind === 'paths' ? jsonParts(keys, record) : keys.map((key) => columnPart(key, record));
  const parts = found.map((part, i) => {
    if (part === undefined) throw missing(keys[i] as string);
    return part;
  });
  return parts.length === 1 ? (parts[0] as Uint8Array) : composite(parts);
}
