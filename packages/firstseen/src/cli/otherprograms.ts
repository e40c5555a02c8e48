// Flags of uniq, sort, cut and awk that this command does not have, and what does the same here, or elsewhere.

import { FirstseenError } from '../base/errors.js';

const fields =
  'fields are keys of csv and tsv: give --format csv or tsv, --no-header, and --key with the number of a column';
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
};

/** The error for a format that is a number, as `-f1` of cut is read, with what to do for a field. */
export function withFieldHint(error: unknown, text: string): unknown {
  return error instanceof FirstseenError && /^\d/.test(text) ? error.orRemedy(fields) : error;
}

/** What to do in place of an unknown flag, if another program has it: of `-d`, or of `-t,` with its value. */
export function hintFor(flag: string): string | undefined {
  const letter = /^-([a-zA-Z])/.exec(flag)?.[1];
  return letter === undefined ? undefined : hints[letter];
}
