// The flag of each option of the library, for the messages of its errors.

import { FirstseenError } from '../base/errors.js';
import { kafkaRows } from './kafka.js';
import { longFlag } from './longflag.js';
import type { OptionRow } from './row.js';
import { type OptionRows, optionRows } from './rows.js';
import { serveRows } from './serve.js';

const PARAMETER = 'parameters.';

/** The row of an option that has a flag. Rows of programs are in modules that may be loaded after this one. */
function rowOf(option: string): OptionRow | undefined {
  const rows: OptionRows = [...optionRows, ...serveRows, ...kafkaRows];
  return rows.find(({ name, aliases, flag }) => flag !== undefined && (name === option || aliases?.includes(option)));
}

/** A flag of a command without rows is its option in kebab-case. */
function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `--expect-distinct` for `distinctElements`, `--param K` for `parameters.K`; flags stay as they are. */
export function flagOfOption(option: string): string {
  if (option.startsWith('-')) return option;
  const [name, parameter] = option.startsWith(PARAMETER) ? ['parameters', option.slice(PARAMETER.length)] : [option];
  const row = rowOf(name);
  const flag = row === undefined ? `--${kebabCase(name)}` : longFlag(row);
  return parameter === undefined ? flag : `${flag} ${parameter}`;
}

/** Returns the text of an error for a line of a command, with the flags of options. */
export function problemText(error: unknown): string {
  if (error instanceof FirstseenError) return error.render(flagOfOption);
  return error instanceof Error ? error.message : String(error);
}
