// Flags and values of uniq, sort, cut, awk, jq and others that this command does not have, and what does the same here, or elsewhere.

import type { Command } from 'commander';
import { FirstseenError } from '../base/errors.js';

const fields =
  'for a field of lines, give --key with its number, such as --key 1, and --delimiter unless blanks separate the fields';
const key = 'for a field, give --key with its name or number, once for each field';
const delimiter = "for the character between fields, give --delimiter, such as --delimiter ';'";
const repeats = 'to write the repeats, give --emit duplicates';
const repeated = 'to write one record of each key that repeats, give --emit repeated';
const once =
  'without it, each record is written once, as by sort -u; for records that never repeat, give --emit unique';
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
  /** The flags of other programs, without their hyphens. */
  readonly names: readonly string[];
  readonly text: string;
  /** The flag without which a command cannot take the hint. */
  readonly needs: string;
}

function hint(names: readonly string[], needs: string, ...texts: readonly string[]): Hint {
  return { names, needs, text: texts.join('; ') };
}

const hints: readonly Hint[] = [
  hint(['0', 'null'], '--zero-terminated', zeroes),
  hint(['c'], '--count', 'to write with each record how often it occurs, give --count'),
  hint(['d'], '--emit', repeated, repeats, delimiter),
  hint(['repeated'], '--emit', repeated, repeats),
  hint(['D', 'v', 'duplicates'], '--emit', repeats),
  hint(['f', 'F', 't', 'field-separator', 'skip-fields'], '--key', fields),
  hint(['H', 'header'], '--no-header', 'the first row of csv and tsv is their header unless --no-header is given'),
  hint(['i'], '--ignore-case', caseless, inPlace),
  hint(['in-place', 'inplace'], '--output', inPlace),
  hint(['j', 'jobs', 'parallel', 'workers'], '--threads', threads),
  hint(['n'], '--emit', lists),
  hint(['dry-run'], '--stats', lists),
  hint(['q', 'quiet', 'silent'], '--stats', quiet),
  hint(['r'], '--output', 'records stay in their order, and folders are read with all that is in them: leave it out'),
  hint(['R', 'recursive'], '--output', 'folders are read with all that is in them: leave it out'),
  hint(['s'], '--key-chars', characters, 'records stay in their order'),
  hint(['w', 'skip-chars'], '--key-chars', characters),
  hint(['u', 'unique'], '--emit', once),
  hint(['col', 'cols', 'column', 'columns', 'field', 'fields', 'id', 'keys'], '--key', key),
  hint(['comment', 'skip-lines'], '--input-order', parts),
  hint(['delim', 'sep', 'separator'], '--delimiter', delimiter),
  hint(['file', 'input'], '--output', inputs),
  hint(['key-chars', 'key-pattern'], '--text-key', documentTexts),
  hint(['time-year', 'year'], '--time-until', year),
];

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
  const advice = hints.find(({ names }) => name !== undefined && names.includes(name));
  return advice && options.some(({ long }) => long === advice.needs) ? advice.text : undefined;
}
