// How the keys of a detector are made from records. A snapshot records this, so that a detector never gets keys that are made
// differently from those that it has seen.

import { type ErrorCode, FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import {
  checkEquality,
  type Equality,
  type EqualityOptions,
  equalityOf,
  equalityText,
  isEquality,
  isFieldList,
} from './equality.js';
import { fieldPlace } from './fieldplace.js';
import type { FormatName, recordFormats } from './formats.js';
import { formatKeyPath, parseKeyPath } from './keypath.js';
import { schemesAreLoaded } from './loadedschemes.js';
import { warcPlace } from './warc.js';

/** The formats whose rows say that programs make their keys. */
type ProgramFormat = {
  [Name in FormatName]: (typeof recordFormats)[Name]['hasProgramKeys'] extends true ? Name : never;
}[FormatName];

/** The formats whose records a program can have, in the order of messages: those with fields, and whole lines. */
export const keyFormats = ['ndjson', 'csv', 'tsv', 'fields', 'logfmt', 'warc', 'lines'] as const;
/** The format of the records from which keys are made. */
export type KeySchemeFormat = (typeof keyFormats)[number];
true satisfies [ProgramFormat, KeySchemeFormat] extends [KeySchemeFormat, ProgramFormat] ? true : never;

/** The elements are bands of the signatures of documents, or passages of texts, which no key of a program is. */
export const DOCUMENTS = 'documents';

/** The rules by which the keys of a detector are made from records. */
export interface KeyScheme {
  /** The format of the records, or `documents` for bands and passages of documents. */
  readonly format: KeySchemeFormat | typeof DOCUMENTS;
  /** Fields of ndjson, such as `user.id`, columns of csv and tsv, numbers of fields, names of logfmt, and fields of WARC records; none for whole lines. */
  readonly keys: readonly string[];
  /** The rules by which keys are equal that are not the same bytes; absent without rules. */
  readonly equality?: Equality;
}

export const documentScheme: KeyScheme = { format: DOCUMENTS, keys: [] };

/**
 * The options for the rules by which the keys of a detector are made from records. By default the program makes them.
 */
export interface KeySchemeOptions extends EqualityOptions {
  /** The fields whose values are the key, as in the command: `id` or `user.id`. `keyOf` makes the keys. */
  keys?: readonly string[] | undefined;
  /** The format of the records with these fields: `ndjson` by default, `csv`, `tsv`, `fields`, `logfmt` or `warc`, or `lines` for whole lines. */
  format?: KeySchemeFormat | undefined;
}

/** @throws FirstseenError of the code unless the keys are a list of names of fields; none mean the whole record. */
export function checkKeyList(keys: readonly string[], code: ErrorCode = 'E_PARAMETER'): void {
  if (isFieldList(keys)) return;
  throw invalidOption({ code, option: 'keys', given: keys, expected: 'a list of names of fields' });
}

/** @throws FirstseenError E_PARAMETER unless the keys are names of fields, at least one; E_USAGE for an invalid path. */
export function checkKeys(keys: readonly string[], format: KeySchemeFormat): void {
  if (!isFieldList(keys) || keys.length === 0) {
    throw invalidOption({ option: 'keys', given: keys, expected: 'a list of one or more names of fields' });
  }
  for (const key of keys) fieldPlace(format, key, 'keys');
}

/** The scheme that options name; undefined if they name none. @throws FirstseenError as `checkKeys`, and E_PARAMETER for a format. */
export function keySchemeOf({ keys, format, ...rules }: KeySchemeOptions): KeyScheme | undefined {
  const equality = equalityOf(rules);
  const scheme = plainSchemeOf({ keys, format }, equality);
  if (equality && scheme) checkEquality(equality, scheme.format as KeySchemeFormat, scheme.keys);
  return equality && scheme ? { ...scheme, equality } : scheme;
}

/** The scheme without its rules of equal keys. */
function plainSchemeOf({ keys, format }: KeySchemeOptions, equality: Equality | undefined): KeyScheme | undefined {
  if (equality?.keyExcept) return { format: format === 'lines' ? 'fields' : (format ?? 'ndjson'), keys: keys ?? [] };
  if (keys === undefined && format === undefined) {
    if (!equality) return undefined;
    const option = Object.keys(equality)[0] as keyof EqualityOptions;
    throw unfitOption(option, 'the program makes the keys', {
      code: 'E_PARAMETER',
      remedy: phrase`give ${optionName('keys')}, or ${optionName('format')} lines for whole lines, and make each key with keyOf`,
    });
  }
  if (format !== undefined && !keyFormats.includes(format)) {
    throw invalidOption({ option: 'format', given: format, expected: `one of ${keyFormats.join(', ')}` });
  }
  if (format === 'lines' && keys === undefined) return { format, keys: [] };
  const fieldFormat = format === 'lines' ? 'fields' : (format ?? 'ndjson');
  checkKeys(keys as readonly string[], fieldFormat);
  return { format: fieldFormat, keys: [...(keys as readonly string[])] };
}

/** The scheme in a form in which equal schemes are equal. Fields of csv and tsv are the same bytes. */
function normalized({ format, keys, equality }: KeyScheme): string {
  const rules = equality ? [equalityText(equality)] : [];
  if (format === 'ndjson')
    return JSON.stringify([format, ...keys.map((key) => formatKeyPath(parseKeyPath(key))), rules]);
  if (format === 'warc') return JSON.stringify([format, ...keys.map((key) => warcPlace(key, 'keys')), rules]);
  return JSON.stringify([format === 'tsv' ? 'csv' : format, ...keys, rules]);
}

function shown({ format, keys, equality }: KeyScheme): string {
  if (format === DOCUMENTS) return 'bands or passages of documents';
  const rules = equality ? `, ${equalityText(equality)}` : '';
  if (format === 'lines') return `whole lines${rules}`;
  return `${keys.length === 0 ? 'whole records' : `made from ${keys.join(', ')} of ${format} records`}${rules}`;
}

/**
 * Checks that keys are made as in a snapshot or a detector. One without a scheme does not say how, so that anything is possible.
 * @throws FirstseenError E_STATE_DIFFERS
 */
export function checkKeyScheme(
  savedScheme: KeyScheme | undefined,
  askedScheme: KeyScheme | undefined,
  holder: 'snapshot' | 'detector' = 'snapshot',
): void {
  if (savedScheme === undefined) return;
  // A line is a key as it is, so a program need not name it.
  const comparedScheme = askedScheme ?? { format: 'lines', keys: [] };
  if (normalized(savedScheme) === normalized(comparedScheme)) return;
  const remedies = {
    documents: 'load it with loadNear or loadPassages',
    lines: phrase`leave ${optionName('keys')} out`,
    fields: phrase`give ${optionName('keys')} ${JSON.stringify(savedScheme.keys)} and ${optionName('format')} ${savedScheme.format}${rulesAsked(savedScheme)}, and make each key with keyOf`,
  };
  const isWhole = savedScheme.format === DOCUMENTS || (savedScheme.format === 'lines' && !savedScheme.equality);
  const kind = isWhole ? (savedScheme.format as 'documents' | 'lines') : 'fields';
  const difference = askedScheme ? `not ${shown(askedScheme)}` : phrase`and no ${optionName('keys')} were given`;
  throw new FirstseenError(
    'E_STATE_DIFFERS',
    phrase`the keys of this ${holder} are ${shown(savedScheme)}, ${difference}`,
    {
      remedy: remedies[kind],
    },
  );
}

/** The options of the rules of a scheme, for a remedy. */
function rulesAsked({ equality = {} }: KeyScheme): string {
  return Object.entries(equality)
    .map(([name, value]) => `, ${name}: ${JSON.stringify(value)}`)
    .join('');
}

/** Tells if a value that was read has the form of a scheme. */
export function isKeyScheme(value: unknown): value is KeyScheme {
  const { format, keys, equality } = (value ?? {}) as Partial<KeyScheme>;
  if (equality !== undefined && !isEquality(equality)) return false;
  const isKnown = [...keyFormats, DOCUMENTS].includes(format as KeyScheme['format']);
  return isKnown && Array.isArray(keys) && keys.every((key) => typeof key === 'string');
}

schemesAreLoaded(keySchemeOf);
