// The options of inputs and their records.

import { comment, delimiter, escapeCharacter, hasHeader, keyChars, keyPattern, quote, skipLines } from './layout.js';
import { type OptionRow, rowsWith } from './row.js';

/** Makes a row of what makes keys equal. */
const keyRow = /* @__PURE__ */ rowsWith({ group: 'records', jobs: ['exact', 'map', 'reduce'], agrees: 'record' });

/** Makes a row of which records are valid. */
const recordRow = /* @__PURE__ */ rowsWith({ group: 'records', jobs: ['exact', 'near', 'passages', 'map'] });

/** Makes a row of which files are read. */
const inputRow = /* @__PURE__ */ rowsWith({ group: 'input', jobs: ['exact', 'near', 'passages'] });

/** Makes a row of inputs that range motifs have too. */
const listedRow = /* @__PURE__ */ rowsWith({ group: 'input', jobs: ['exact', 'near', 'passages', 'motifs'] });

/** Makes a row of the times of records. */
const timeRow = /* @__PURE__ */ rowsWith({ group: 'time', jobs: ['exact', 'near', 'map', 'reduce'], agrees: 'record' });

export const format = /* @__PURE__ */ keyRow({
  name: 'format',
  flag: '-f, --format <name>',
  kind: 'name',
  names: 'formats',
  help: 'format of the records, guessed from the file name by default',
});

export const isZeroTerminated = {
  name: 'isZeroTerminated',
  flag: '-z, --zero-terminated',
  group: 'records',
  isOfCommand: true,
  kind: 'presence',
  help: 'records end with a zero byte, not with a newline, as --format nul',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const keys = /* @__PURE__ */ keyRow({
  name: 'keys',
  aliases: ['columns', 'paths'],
  flag: '-k, --key <key>',
  kind: 'texts',
  default: [],
  shownDefault: 'the whole record, or the block of WARC',
  help: 'key of a record: a path in JSON, a column in CSV, a field of a line by number, a name in logfmt, a field of WARC; repeatable',
});

export const keyExcept = /* @__PURE__ */ keyRow({
  name: 'keyExcept',
  flag: '--key-except <key>',
  kind: 'texts',
  help: 'records are equal that differ in no other field than this; repeatable',
});

export const shard = /* @__PURE__ */ keyRow({
  name: 'shard',
  flag: '--shard <i/n>',
  kind: 'text',
  help: 'take only shard i of n, by a hash of the keys',
});

export const folderColumns = {
  name: 'folderColumns',
  flag: '--folder-columns <policy>',
  group: 'records',
  kind: 'word',
  words: ['key', 'none'],
  help: 'columns in names of folders, such as date=2026-01-01, belong to whole records and can be keys, or are nothing: {words}',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const emptyKey = /* @__PURE__ */ keyRow({
  name: 'emptyKey',
  flag: '--empty-key <policy>',
  kind: 'word',
  words: ['distinct', 'drop', 'fail', 'key'],
  default: 'distinct',
  help: 'what to do with a record whose key is empty',
});

export const nullKey = /* @__PURE__ */ keyRow({
  name: 'nullKey',
  flag: '--null-key <meaning>',
  kind: 'word',
  words: ['empty', 'missing', 'value'],
  default: 'empty',
  help: 'what a JSON null is as a key',
});

export const ignoresCase = /* @__PURE__ */ keyRow({
  name: 'ignoresCase',
  flag: '--ignore-case',
  kind: 'presence',
  default: false,
  help: 'keys are equal that differ in capital and small letters',
});

export const trims = /* @__PURE__ */ keyRow({
  name: 'trims',
  flag: '--trim',
  kind: 'presence',
  default: false,
  help: 'keys are equal that differ in white space around them',
});

/** The forms of Unicode. A bundle of `create` has them, and not the row. */
export const normalFormWords = ['nfc', 'nfkc'] as const;

export const normalize = /* @__PURE__ */ keyRow({
  name: 'normalize',
  flag: '--normalize <form>',
  kind: 'word',
  words: normalFormWords,
  help: 'keys are equal that have the same form in Unicode: {words}',
});

export const numbersByValue = /* @__PURE__ */ keyRow({
  name: 'numbersByValue',
  flag: '--numbers-by-value',
  kind: 'presence',
  default: false,
  help: 'keys are equal that are the same number, as 1, 1.0 and 1e0',
});

export const ignoresOrder = /* @__PURE__ */ keyRow({
  name: 'ignoresOrder',
  flag: '--ignore-order',
  kind: 'presence',
  default: false,
  help: 'JSON objects are equal that have the same members in another order',
});

export const timeKey = /* @__PURE__ */ timeRow({
  name: 'timeKey',
  flag: '--time-key <key>',
  kind: 'fields',
  shownDefault: 'time of arrival',
  help: 'time of a record, for a window that is a duration: a field as in --key; repeatable, if its date and its time of day are apart',
});

export const timeFormat = /* @__PURE__ */ timeRow({
  name: 'timeFormat',
  flag: '--time-format <format>',
  kind: 'text',
  names: 'timeFormats',
  shownDefault: 'auto',
  help: '{words}, or a pattern such as %d.%m.%Y %H:%M',
});

export const timeZone = /* @__PURE__ */ timeRow({
  name: 'timeZone',
  flag: '--time-zone <zone>',
  kind: 'text',
  shownDefault: 'UTC',
  help: 'zone of times that name none: an offset or a name',
});

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

export const missingKey = /* @__PURE__ */ recordRow({
  name: 'missingKey',
  flag: '--missing-key <policy>',
  kind: 'word',
  words: ['distinct', 'drop', 'fail'],
  default: 'fail',
  help: 'what to do with a record without the key',
});

export const onError = /* @__PURE__ */ recordRow({
  name: 'onError',
  flag: '--on-error <policy>',
  kind: 'word',
  words: ['fail', 'pass', 'drop'],
  default: 'fail',
  help: 'what to do with an invalid or over-long record',
});

export const maxRecordBytes = /* @__PURE__ */ recordRow({
  name: 'maxRecordBytes',
  flag: '--max-record <size>',
  kind: 'bytes',
  default: 16 * 2 ** 20,
  help: 'longest record allowed',
});

export const isStrict = /* @__PURE__ */ recordRow({
  name: 'isStrict',
  flag: '--strict',
  kind: 'presence',
  default: false,
  help: 'validate whole records, not only up to the key',
});

export const warcTypes = {
  name: 'warcTypes',
  flag: '--warc-type <type>',
  group: 'records',
  kind: 'texts',
  shownDefault: 'response, resource, conversion',
  help: 'compare WARC records of this type, or of all; others pass; repeatable',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const inputs = /* @__PURE__ */ listedRow({
  name: 'inputs',
  kind: 'texts',
  help: 'paths, in order; - is standard input',
});

export const filesFrom = /* @__PURE__ */ listedRow({
  name: 'filesFrom',
  flag: '--files0-from <file>',
  isOfCommand: true,
  kind: 'text',
  help: 'read the files that this file lists, each name followed by a zero byte; - is standard input',
});

export const include = /* @__PURE__ */ inputRow({
  name: 'include',
  flag: '--include <pattern>',
  kind: 'texts',
  default: [],
  shownDefault: 'all files',
  help: 'only these files in folders, such as *.jsonl.gz or */src/**/*.c; repeatable',
});

export const exclude = /* @__PURE__ */ inputRow({
  name: 'exclude',
  flag: '--exclude <pattern>',
  kind: 'texts',
  default: [],
  shownDefault: 'none',
  help: 'exclude these files in folders; repeatable',
});

export const order = /* @__PURE__ */ inputRow({
  name: 'order',
  flag: '--order <order>',
  kind: 'word',
  words: ['given', 'name', 'oldest', 'newest'],
  default: 'given',
  help: 'which input is read first, so that its records are kept: {words}',
});

export const isFollowing = /* @__PURE__ */ inputRow({
  name: 'isFollowing',
  flag: '--follow',
  kind: 'presence',
  default: false,
  help: 'read the last file on as it grows, also after log rotation, until a signal',
});

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
