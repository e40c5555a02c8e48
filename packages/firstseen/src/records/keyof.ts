// Makes the keys of records, as the command does (docs/decisions/046-key-schemes.md).

import { isBytes } from '../base/bytes.js';
import { checkAttached, checkOptions, type OptionNames } from '../base/check.js';
import { FirstseenError, invalidOption, optionName, phrase, shownName } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { byteString, bytesOf, encodeText, joinBytes } from '../base/utf8.js';
import { COMPOSITE_LENGTH_BYTES } from '../kernel/abi.js';
import { resolveColumn } from './columns.js';
import { checkEquality, type EqualityOptions, equalityOf } from './equality.js';
import { equalPart } from './equalpart.js';
import { recordFormats } from './formats.js';
import { checkOneObject, decodedValue, valueAt } from './jsontext.js';
import { EVERY_ITEM, hasEveryItem, type KeyPath, parseKeyPath } from './keypath.js';
import { checkKeys, type KeySchemeFormat, keyFormats } from './keyscheme.js';
import type { NullMeaning } from './nulls.js';
import {
  type EmptyKeyPolicy,
  type KeyPolicyOptions,
  keyPoliciesOf,
  keyPolicyNames,
  type MissingKeyPolicy,
  plainKeyRules,
} from './policies.js';
import { equalityOptionNames } from './schemes.js';

const QUOTE = 0x22;

/** A line is a key also if it is empty. */
const lineRules = { missingKey: 'fail', ...plainKeyRules } as const;

/**
 * A record of ndjson: an object, or the text of one object, without others. A row of csv or tsv: an object with its columns, or an array
 * of fields. The fields of a line: an array. Pairs of logfmt, and fields of a WARC record by the names of the keys: an object.
 */
export type KeyedRecord = object | string | Uint8Array;

/** The options of `keyOf`. All are optional. */
export interface KeyOfOptions extends KeyPolicyOptions, EqualityOptions {
  /**
   * `ndjson` by default, `csv`, `tsv`, `fields`, `logfmt` or `warc`, or `lines` without fields: the record is a line without its newline,
   * and rules make its key.
   */
  format?: KeySchemeFormat | undefined;
}

const keyOfOptionNames: OptionNames<KeyOfOptions> = { ...keyPolicyNames, ...equalityOptionNames, format: true };

/** The marks of a record without a usable key: it passes or is dropped, and no detector observes it. */
export const PASSED: unique symbol = Symbol('passed');
export const DROPPED: unique symbol = Symbol('dropped');
export type Unkeyed = typeof PASSED | typeof DROPPED;

/** No other symbol counts, because a program may return one as a key by mistake. */
export function isUnkeyed(key: unknown): key is Unkeyed {
  return key === PASSED || key === DROPPED;
}

/** A record without a usable key, as a policy has it. @throws FirstseenError E_KEY_MISSING if it refuses such records. */
function decided(
  option: 'missingKey' | 'emptyKey',
  policy: MissingKeyPolicy | EmptyKeyPolicy,
  problem: string,
): Unkeyed {
  if (policy !== 'fail') return policy === 'drop' ? DROPPED : PASSED;
  throw new FirstseenError('E_KEY_MISSING', problem, {
    remedy: phrase`correct the record or the key, or choose ${optionName(option)} distinct to pass such records, or drop`,
  });
}

function unusable(problem: string, remedy: string, cause?: unknown): FirstseenError {
  return new FirstseenError('E_KEY', problem, { remedy, ...(cause === undefined ? {} : { cause }) });
}

const boxes: ReadonlySet<string> = /* @__PURE__ */ new Set(['[object String]', '[object Number]', '[object Boolean]']);

/** Tells if JSON writes `{}` for an object that has more than that, such as a Map, a Promise or an object with private fields. */
function losesContent(value: object): boolean {
  if (Array.isArray(value) || ArrayBuffer.isView(value) || Object.keys(value).length > 0) return false;
  // In another realm, Object.prototype is another object.
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return !isPlain && !boxes.has(Object.prototype.toString.call(value));
}

/** A value of JSON as `JSON.stringify` asks for it. @throws FirstseenError E_KEY for an object that would be equal to all of its kind. */
function kept(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !losesContent(value)) return value;
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1);
  const problem = `the value of a key is an object of the type ${kind}, whose content cannot be written as JSON`;
  throw unusable(problem, 'choose a field with a simple value, or await it if it is a promise');
}

/** A value of an object as a JSON text contains it, but strings with their escapes decoded; undefined for what JSON leaves out. */
function tokenOf(value: unknown): string | undefined {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'bigint') return String(value);
  try {
    const token = JSON.stringify(value, typeof value === 'object' ? kept : undefined) as string | undefined;
    return token?.startsWith('"') ? `"${JSON.parse(token)}"` : token;
  } catch (cause) {
    if (cause instanceof FirstseenError) throw cause;
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

/** The values at a path to those of all items of an array; undefined if one of them is missing. */
function valuesOf(value: unknown, path: KeyPath): unknown[] | undefined {
  const at = path.indexOf(EVERY_ITEM);
  const last = (at === -1 ? path : path.slice(0, at)).reduce<unknown>(memberOf, value);
  if (at === -1) return tokenOf(last) === undefined ? undefined : [last];
  if (!Array.isArray(last)) return undefined;
  const values = last.map((item: unknown) => valuesOf(item ?? null, path.slice(at + 1)));
  return values.includes(undefined) ? undefined : values.flat(1);
}

function listOf(record: object, path: KeyPath): unknown[] | undefined {
  const values = valuesOf(record, path);
  return values?.length === 0 ? undefined : values;
}

function valueInObject(record: object, path: KeyPath): Uint8Array | undefined {
  const token = tokenOf(hasEveryItem(path) ? listOf(record, path) : path.reduce<unknown>(memberOf, record));
  return token === undefined ? undefined : encodeText(token);
}

function valueInText(text: string, path: KeyPath): Uint8Array | undefined {
  const token = valueAt(text, path);
  return token === undefined ? undefined : bytesOf(decodedValue(token));
}

/** The parts of a key; undefined for those that the record does not have. */
type Parts = (record: KeyedRecord) => (Uint8Array | undefined)[];

const jsonParts =
  (paths: readonly KeyPath[]): Parts =>
  (record) => {
    if (typeof record === 'object' && record !== null && !isBytes(record)) {
      return paths.map((path) => valueInObject(record, path));
    }
    const bytes = typeof record === 'string' ? encodeText(record) : record;
    if (!isBytes(bytes)) {
      throw unusable(`a record has the type ${typeof record}`, 'pass an object, or the text of one');
    }
    checkAttached(bytes, 'a record', 'E_RECORD');
    const text = byteString(bytes);
    checkOneObject(text);
    return paths.map((path) => valueInText(text, path));
  };

function columnPart(key: string, record: KeyedRecord): Uint8Array | undefined {
  if (typeof record !== 'object' || record === null || isBytes(record)) {
    throw unusable(
      `a row has the type ${typeof record}`,
      'pass an object or an array of its fields, as a parser returns it',
    );
  }
  const field = Array.isArray(record) ? record[resolveColumn(key, undefined)] : memberOf(record, key);
  if (field === undefined || field === null) return undefined;
  if (!isBytes(field)) {
    if (typeof field !== 'object' && typeof field !== 'function') return encodeText(String(field));
    throw unusable(`a field of a row has the type ${typeof field}`, 'pass the text of the field');
  }
  checkAttached(field, 'a field', 'E_RECORD');
  return field;
}

const columnParts =
  (keys: readonly string[]): Parts =>
  (record) =>
    keys.map((key) => columnPart(key, record));

/** The bytes of a line. */
function lineParts(record: KeyedRecord): Uint8Array[] {
  const bytes = typeof record === 'string' ? encodeText(record) : record;
  if (!isBytes(bytes)) throw unusable(`a line has the type ${typeof record}`, 'pass its text or its bytes');
  checkAttached(bytes, 'a record', 'E_RECORD');
  return [bytes];
}

function partsFor(keys: readonly string[], format: KeySchemeFormat): Parts {
  const kind = recordFormats[format].keys;
  if (kind === 'none') return lineParts;
  return kind === 'paths' ? jsonParts(keys.map(parseKeyPath)) : columnParts(keys);
}

/** @throws FirstseenError as `keyOf`, for invalid keys and another format */
function checkFields(keys: readonly string[], format: KeySchemeFormat): void {
  if (!Object.hasOwn(recordFormats, format) || !keyFormats.includes(format)) {
    throw invalidOption({ option: 'format', given: format, expected: `one of ${keyFormats.join(', ')}` });
  }
  if (format !== 'lines') checkKeys(keys, format);
}

function withoutText(given: readonly string[]): FirstseenError {
  const remedy = 'use dedupBytes or runFiles, which read records as they are written';
  return unfitOption('keyExcept', 'an object does not have its text', { code: 'E_PARAMETER', given, remedy });
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

/** Tells if a part of a key is a JSON null. A string has its quotes. */
function isNull(part: Uint8Array): boolean {
  return part.length === 4 && byteString(part) === 'null';
}

/** Tells if a part of a key is an empty string or, if that counts as one, a null. */
function isEmptyValue(part: Uint8Array, nullKey: NullMeaning): boolean {
  return (part.length === 2 && part[0] === QUOTE) || (nullKey === 'empty' && isNull(part));
}

/**
 * Returns a function that makes the keys of records from these fields. A key of several parts is empty if all parts
 * are: any other part still distinguishes records.
 * @throws FirstseenError as `keyOf`, for invalid keys and options
 */
export function keyMaker(
  keys: readonly string[],
  { format: askedFormat = 'ndjson', ...policies }: KeyOfOptions,
): (record: KeyedRecord) => Uint8Array | Unkeyed {
  const format = askedFormat === 'lines' && keys.length > 0 ? 'fields' : askedFormat;
  const equality = equalityOf(policies);
  if (equality?.keyExcept) throw withoutText(equality.keyExcept);
  checkFields(keys, format);
  checkEquality(equality, format, keys);
  const { missingKey, emptyKey, nullKey } = format === 'lines' ? lineRules : keyPoliciesOf(policies);
  const isJson = recordFormats[format].keys === 'paths';
  const partsOf = partsFor(keys, format);
  const isMissing = (part: Uint8Array | undefined) => !part || (isJson && nullKey === 'missing' && isNull(part));
  const isEmpty = (part: Uint8Array) => (isJson ? isEmptyValue(part, nullKey) : part.length === 0);
  return (record) => {
    const parts = partsOf(record);
    const missingIndex = parts.findIndex(isMissing);
    if (missingIndex !== -1)
      return decided(
        'missingKey',
        missingKey,
        `a record has no value for the key ${shownName(keys[missingIndex] as string)}`,
      );
    const keyParts = (parts as Uint8Array[]).map((part) => (equality ? equalPart(part, equality, isJson) : part));
    if (emptyKey !== 'key' && keyParts.every(isEmpty)) {
      return decided('emptyKey', emptyKey, `a record has an empty value for the key ${keys.join(', ')}`);
    }
    return keyParts.length === 1 ? (keyParts[0] as Uint8Array) : composite(keyParts);
  };
}

/**
 * The key of a record, as the command makes it from these fields, for a detector that was or will be used by both. Pass the text of a
 * record where it may have numbers such as 1.0 or 1e0, which are other keys than 1, or nested values: an object has lost how they were
 * written, and counts as `JSON.stringify` writes it.
 *
 * It is undefined for a record that the command does not observe, because its key is empty: an empty text, or a JSON null. Such
 * records are not known to be equal, so pass them on, or leave them out, but do not observe them. The policies `missingKey`, `emptyKey`
 * and `nullKey` are those of the command: with `distinct` and with `drop`, the key is undefined. A key may be longer than a detector
 * takes (1 MiB).
 * @param keys paths such as `user.id` for ndjson; names of columns for csv and tsv, or numbers from 1 for rows that are arrays; numbers
 * of fields; names of logfmt; fields of WARC records
 * @throws FirstseenError E_KEY_MISSING for a record without such a field, or with an empty one if `emptyKey` is `fail`; E_KEY and E_RECORD
 * for what is not a record; E_PARAMETER and E_USAGE for invalid keys or another format.
 */
export function keyOf(
  keys: readonly string[],
  record: KeyedRecord,
  options: KeyOfOptions = {},
): Uint8Array | undefined {
  const key = keyMaker(keys, checkOptions(options, keyOfOptionNames))(record);
  return isUnkeyed(key) ? undefined : key;
}
