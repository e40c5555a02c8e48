// Flags of uniq, sort, cut and awk that this command does not have, and what does the same here, or elsewhere.

import { FirstseenError } from '../base/errors.js';

const fields =
  'for a field of lines, give --key with its number, such as --key 1, and --delimiter unless blanks separate the fields';
const repeats = 'to write the repeats, give --emit duplicates';
const spilling = '--algorithm exact --spill FOLDER';

const hints: Readonly<Record<string, string>> = {
  c: `to write with each record how often it occurs, give ${spilling} --count`,
  d: `to write one record of each key that repeats, give ${spilling} --emit repeated; ${repeats}`,
  D: repeats,
  f: fields,
  F: fields,
  i: 'to compare without regard to case, give --ignore-case',
  s: fields,
  t: fields,
  u: `without it, each record is written once, as by sort -u; for records that never repeat, give ${spilling} --emit unique`,
  w: fields,
  'field-separator': fields,
};

/** The error for a format that is a number, as `-f1` of cut is read, with what to do for a field. */
export function withFieldHint(error: unknown, text: string): unknown {
  return error instanceof FirstseenError && /^\d/.test(text) ? error.orRemedy(fields) : error;
}

/** What to do in place of an unknown flag, if another program has it: of `-d`, of `-t,` with its value, or of `--field-separator`. */
export function hintFor(flag: string): string | undefined {
  const name = /^-([a-zA-Z])/.exec(flag)?.[1] ?? /^--([a-z-]+)/.exec(flag)?.[1];
  return name === undefined || !Object.hasOwn(hints, name) ? undefined : hints[name];
}
