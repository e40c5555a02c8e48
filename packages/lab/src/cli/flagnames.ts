// The flag of each option of the laboratory, for the messages of its errors.

import { flagOfOption } from 'firstseen/internal';

/** Options whose flag the table of the main command does not have. */
const labFlags: Readonly<Record<string, string>> = {
  curvePoints: '--curve',
  'stream.kind': '--stream',
  'stream.lengthElements': '--length',
  'stream.seed': '--seed',
  'stream.settings.distinctShare': '--distinct',
};

const SETTING = 'stream.settings.';

/** `--length` for `stream.lengthElements`, `--set exponent` for `stream.settings.exponent`; else as in `firstseen`. */
export function flagOfLabOption(option: string): string {
  const flag = labFlags[option];
  if (flag !== undefined) return flag;
  return option.startsWith(SETTING) ? `--set ${option.slice(SETTING.length)}` : flagOfOption(option);
}
