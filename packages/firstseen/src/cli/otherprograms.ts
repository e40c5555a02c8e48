// Flags and values of uniq, sort, cut, awk, jq and others that this command does not have, and what does the same here, or elsewhere.

import type { Command } from 'commander';
import { FirstseenError } from '../base/errors.js';

const fields =
  'for a field of lines, give --key with its number, such as --key 1, and --delimiter unless blanks separate the fields';
const key = 'for a field, give --key with its name or number, once for each field';
const delimiter = "for the character between fields, give --delimiter, such as --delimiter ';'";
const repeats = 'to write the repeats, give --emit duplicates';
const lists = 'to count the records and write none, give -o /dev/null --stats';
const inputs = 'inputs need no flag: name the files and folders, or read standard input';
const zeroes = 'for records that end with a zero byte, give --zero-terminated';
const quiet = 'without --stats only warnings and errors are told, on standard error; leave them out with 2> /dev/null';
const threads = 'for several threads, give --threads with their number';
const inPlace = 'to replace a file by its distinct records, give it as the input and as --output';
const caseless = 'to compare without regard to case, give --ignore-case';
const year =
  'for the year of times without one, give --time-until with their last year or day, such as --time-until 2015-03-29';
const characters = 'for characters of a line, give --key-chars with their numbers, such as --key-chars 1-20 or 21-';

const documentTexts =
  'the text of a document is a field: for one of lines, give --format fields, and --text-key with its number';

const parts =
  "a task reads a part of a file, which may begin anywhere, and every line is an element: take lines that are not records out before, such as with grep -v '^#'";

interface Hint {
  readonly text: string;
  /** The flag without which a command cannot take the hint. */
  readonly needs: string;
}

function hint(needs: string, ...texts: readonly string[]): Hint {
  return { needs, text: texts.join('; ') };
}

const hints: Readonly<Record<string, Hint>> = {
  0: hint('--zero-terminated', zeroes),
  c: hint('--count', 'to write with each record how often it occurs, give --count'),
  d: hint('--emit', 'to write one record of each key that repeats, give --emit repeated', repeats, delimiter),
  D: hint('--emit', repeats),
  f: hint('--key', fields),
  F: hint('--key', fields),
  H: hint('--no-header', 'the first row of csv and tsv is their header unless --no-header is given'),
  i: hint('--ignore-case', caseless, inPlace),
  j: hint('--threads', threads),
  n: hint('--emit', lists),
  q: hint('--stats', quiet),
  r: hint('--output', 'records stay in their order, and folders are read with all that is in them: leave it out'),
  R: hint('--output', 'folders are read with all that is in them: leave it out'),
  s: hint('--key-chars', characters, 'records stay in their order'),
  t: hint('--key', fields),
  u: hint(
    '--emit',
    'without it, each record is written once, as by sort -u; for records that never repeat, give --emit unique',
  ),
  v: hint('--emit', repeats),
  w: hint('--key-chars', characters),
  col: hint('--key', key),
  cols: hint('--key', key),
  column: hint('--key', key),
  columns: hint('--key', key),
  comment: hint('--input-order', parts),
  delim: hint('--delimiter', delimiter),
  'dry-run': hint('--stats', lists),
  duplicates: hint('--emit', repeats),
  field: hint('--key', key),
  fields: hint('--key', key),
  'field-separator': hint('--key', fields),
  file: hint('--output', inputs),
  header: hint('--no-header', 'the first row of csv and tsv is their header unless --no-header is given'),
  id: hint('--key', key),
  'in-place': hint('--output', inPlace),
  inplace: hint('--output', inPlace),
  input: hint('--output', inputs),
  jobs: hint('--threads', threads),
  'key-chars': hint('--text-key', documentTexts),
  'key-pattern': hint('--text-key', documentTexts),
  keys: hint('--key', key),
  null: hint('--zero-terminated', zeroes),
  parallel: hint('--threads', threads),
  quiet: hint('--stats', quiet),
  recursive: hint('--output', 'folders are read with all that is in them: leave it out'),
  repeated: hint('--emit', 'to write one record of each key that repeats, give --emit repeated', repeats),
  sep: hint('--delimiter', delimiter),
  separator: hint('--delimiter', delimiter),
  silent: hint('--stats', quiet),
  'skip-chars': hint('--key-chars', characters),
  'skip-lines': hint('--input-order', parts),
  'skip-fields': hint('--key', fields),
  'time-year': hint('--time-until', year),
  unique: hint(
    '--emit',
    'without it, each record is written once, as by sort -u; for records that never repeat, give --emit unique',
  ),
  workers: hint('--threads', threads),
  year: hint('--time-until', year),
};

/** Names of formats elsewhere, and what they are here. */
const formats: Readonly<Record<string, string>> = {
  jsonl: 'JSON objects, one on each line, are ndjson',
  jsonlines: 'JSON objects, one on each line, are ndjson',
  'json-lines': 'JSON objects, one on each line, are ndjson',
  text: 'each line is a record in the format lines; fields of a line are those of the format fields',
  txt: 'each line is a record in the format lines; fields of a line are those of the format fields',
  line: 'each line is a record in the format lines',
  log: 'each line is a record in the format lines, and blanks separate the fields of the format fields',
  clf: 'each line is a record in the format lines, and blanks separate the fields of the format fields',
  tab: 'fields between tabs are tsv',
  null: 'records that end with a zero byte are nul',
  wet: 'web archives of any kind are warc',
};

/** The error for a format of another name, or for one that is a number, as `-f1` of cut is read, with what to do. */
export function withFormatHint(error: unknown, text: string): unknown {
  if (!(error instanceof FirstseenError)) return error;
  if (/^\d/.test(text)) return error.orRemedy(fields);
  const name = text.toLowerCase();
  return Object.hasOwn(formats, name) ? error.orRemedy(formats[name] as string) : error;
}

/**
 * Returns the hint for an unknown flag that another program has: for `-d`, for `-t,` with its value, or for
 * `--field-separator`.
 */
export function hintFor(flag: string, { options }: Command): string | undefined {
  const name = /^-([a-zA-Z0-9])/.exec(flag)?.[1] ?? /^--([a-z-]+)/.exec(flag)?.[1];
  if (name === undefined || !Object.hasOwn(hints, name)) return undefined;
  const { needs, text } = hints[name] as Hint;
  return options.some(({ long }) => long === needs) ? text : undefined;
}
