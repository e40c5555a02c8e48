// The options of inputs and their records.

import { comment, delimiter, escapeCharacter, hasHeader, keyChars, keyPattern, quote, skipLines } from './layout.js';
import type { OptionRow } from './row.js';

export const format = {
  name: 'format',
  flag: '-f, --format <name>',
  group: 'records',
  kind: 'name',
  names: 'formats',
  help: 'format of the records, guessed from the file name by default',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const isZeroTerminated = {
  name: 'isZeroTerminated',
  flag: '-z, --zero-terminated',
  group: 'records',
  isOfCommand: true,
  kind: 'presence',
  help: 'records end with a zero byte, not with a newline, as --format nul',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const keys = {
  name: 'keys',
  aliases: ['columns', 'paths'],
  flag: '-k, --key <key>',
  group: 'records',
  kind: 'texts',
  default: [],
  shownDefault: 'the whole record, or the block of WARC',
  help: 'key of a record: a path in JSON, a column in CSV, a field of a line by number, a name in logfmt, a field of WARC; repeatable',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const keyExcept = {
  name: 'keyExcept',
  flag: '--key-except <key>',
  group: 'records',
  kind: 'texts',
  help: 'records are equal that differ in no other field than this; repeatable',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const shard = {
  name: 'shard',
  flag: '--shard <i/n>',
  group: 'records',
  kind: 'text',
  help: 'take only shard i of n, by a hash of the keys',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const folderColumns = {
  name: 'folderColumns',
  flag: '--folder-columns <policy>',
  group: 'records',
  kind: 'word',
  words: ['key', 'none'],
  help: 'columns in names of folders, such as date=2026-01-01, belong to whole records and can be keys, or are nothing: {words}',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const emptyKey = {
  name: 'emptyKey',
  flag: '--empty-key <policy>',
  group: 'records',
  kind: 'word',
  words: ['distinct', 'drop', 'fail', 'key'],
  default: 'distinct',
  help: 'what to do with a record whose key is empty',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const nullKey = {
  name: 'nullKey',
  flag: '--null-key <meaning>',
  group: 'records',
  kind: 'word',
  words: ['empty', 'missing', 'value'],
  default: 'empty',
  help: 'what a JSON null is as a key',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const ignoresCase = {
  name: 'ignoresCase',
  flag: '--ignore-case',
  group: 'records',
  kind: 'presence',
  default: false,
  help: 'keys are equal that differ in capital and small letters',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const trims = {
  name: 'trims',
  flag: '--trim',
  group: 'records',
  kind: 'presence',
  default: false,
  help: 'keys are equal that differ in white space around them',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

/** The forms of Unicode. A bundle of `create` has them, and not the row. */
export const normalFormWords = ['nfc', 'nfkc'] as const;

export const normalize = {
  name: 'normalize',
  flag: '--normalize <form>',
  group: 'records',
  kind: 'word',
  words: normalFormWords,
  help: 'keys are equal that have the same form in Unicode: {words}',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const numbersByValue = {
  name: 'numbersByValue',
  flag: '--numbers-by-value',
  group: 'records',
  kind: 'presence',
  default: false,
  help: 'keys are equal that are the same number, as 1, 1.0 and 1e0',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const ignoresOrder = {
  name: 'ignoresOrder',
  flag: '--ignore-order',
  group: 'records',
  kind: 'presence',
  default: false,
  help: 'JSON objects are equal that have the same members in another order',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const timeKey = {
  name: 'timeKey',
  flag: '--time-key <key>',
  group: 'time',
  kind: 'fields',
  shownDefault: 'time of arrival',
  help: 'time of a record, for a window that is a duration: a field as in --key; repeatable, if its date and its time of day are apart',
  jobs: ['exact', 'near', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const timeFormat = {
  name: 'timeFormat',
  flag: '--time-format <format>',
  group: 'time',
  kind: 'text',
  names: 'timeFormats',
  shownDefault: 'auto',
  help: '{words}, or a pattern such as %d.%m.%Y %H:%M',
  jobs: ['exact', 'near', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const timeZone = {
  name: 'timeZone',
  flag: '--time-zone <zone>',
  group: 'time',
  kind: 'text',
  shownDefault: 'UTC',
  help: 'zone of times that name none: an offset or a name',
  jobs: ['exact', 'near', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const timeUntil = {
  name: 'timeUntil',
  flag: '--time-until <date>',
  group: 'time',
  kind: 'text',
  shownDefault: 'the clock',
  help: 'last day, month or year of times without a year, such as 2015 or 2015-03-29',
  jobs: ['exact', 'near', 'map'],
} as const satisfies OptionRow;

export const maxLead = {
  name: 'maxLead',
  flag: '--max-lead <duration>',
  group: 'time',
  kind: 'duration',
  // Clocks differ by less than an hour.
  default: '1h',
  help: 'how far the time of a record or of a saved window may be ahead of the clock',
  jobs: ['exact', 'near', 'map'],
} as const satisfies OptionRow;

export const now = {
  name: 'now',
  group: 'time',
  kind: 'function',
  help: 'the clock, in milliseconds since 1970; by default that of the machine',
  jobs: ['exact', 'near'],
} as const satisfies OptionRow;

export const missingKey = {
  name: 'missingKey',
  flag: '--missing-key <policy>',
  group: 'records',
  kind: 'word',
  words: ['distinct', 'drop', 'fail'],
  default: 'fail',
  help: 'what to do with a record without the key',
  jobs: ['exact', 'near', 'passages', 'map'],
} as const satisfies OptionRow;

export const onError = {
  name: 'onError',
  flag: '--on-error <policy>',
  group: 'records',
  kind: 'word',
  words: ['fail', 'pass', 'drop'],
  default: 'fail',
  help: 'what to do with an invalid or over-long record',
  jobs: ['exact', 'near', 'passages', 'map'],
} as const satisfies OptionRow;

export const maxRecordBytes = {
  name: 'maxRecordBytes',
  flag: '--max-record <size>',
  group: 'records',
  kind: 'bytes',
  default: 16 * 2 ** 20,
  help: 'longest record allowed',
  jobs: ['exact', 'near', 'passages', 'map'],
} as const satisfies OptionRow;

export const isStrict = {
  name: 'isStrict',
  flag: '--strict',
  group: 'records',
  kind: 'presence',
  default: false,
  help: 'validate whole records, not only up to the key',
  jobs: ['exact', 'near', 'passages', 'map'],
} as const satisfies OptionRow;

export const warcTypes = {
  name: 'warcTypes',
  flag: '--warc-type <type>',
  group: 'records',
  kind: 'texts',
  shownDefault: 'response, resource, conversion',
  help: 'compare WARC records of this type, or of all; others pass; repeatable',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const inputs = {
  name: 'inputs',
  group: 'input',
  kind: 'texts',
  help: 'paths, in order; - is standard input',
  jobs: ['exact', 'near', 'passages', 'motifs'],
} as const satisfies OptionRow;

export const filesFrom = {
  name: 'filesFrom',
  flag: '--files0-from <file>',
  group: 'input',
  isOfCommand: true,
  kind: 'text',
  help: 'read the files that this file lists, each name followed by a zero byte; - is standard input',
  jobs: ['exact', 'near', 'passages', 'motifs'],
} as const satisfies OptionRow;

export const include = {
  name: 'include',
  flag: '--include <pattern>',
  group: 'input',
  kind: 'texts',
  default: [],
  shownDefault: 'all files',
  help: 'only these files in folders, such as *.jsonl.gz or */src/**/*.c; repeatable',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const exclude = {
  name: 'exclude',
  flag: '--exclude <pattern>',
  group: 'input',
  kind: 'texts',
  default: [],
  shownDefault: 'none',
  help: 'exclude these files in folders; repeatable',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const order = {
  name: 'order',
  flag: '--order <order>',
  group: 'input',
  kind: 'word',
  words: ['given', 'name', 'oldest', 'newest'],
  default: 'given',
  help: 'which input is read first, so that its records are kept: {words}',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const isFollowing = {
  name: 'isFollowing',
  flag: '--follow',
  group: 'input',
  kind: 'presence',
  default: false,
  help: 'read the last file on as it grows, also after log rotation, until a signal',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

/** The options that say which keys are equal. */
export const equalityOptions = [keyExcept, ignoresCase, trims, normalize, numbersByValue, ignoresOrder] as const;

export const keyOptions = [
  ...[
    format,
    isZeroTerminated,
    keys,
    keyPattern,
    keyChars,
    ...equalityOptions,
    shard,
    emptyKey,
    nullKey,
    folderColumns,
  ],
] as const;

export const recordOptions = [
  inputs,
  include,
  exclude,
  order,
  timeKey,
  timeFormat,
  timeZone,
  timeUntil,
  maxLead,
  now,
  hasHeader,
  skipLines,
  comment,
  delimiter,
  quote,
  escapeCharacter,
  warcTypes,
  missingKey,
  onError,
  maxRecordBytes,
  isStrict,
  isFollowing,
] as const;
