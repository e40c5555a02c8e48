// The long flag of an option, and the names that follow from it.

import type { OptionRow } from './row.js';

/** The long flag, such as `--key` for `-k, --key <key>`. */
export function longFlag({ flag = '' }: Pick<OptionRow, 'flag'>): string {
  return /--[a-z0-9-]+/.exec(flag)?.[0] ?? '';
}

/** The name of an option without dashes, such as `log-limit`: in a file, and as a word of a command. */
export function entryOf(row: Pick<OptionRow, 'flag'>): string {
  return longFlag(row).slice('--'.length);
}
