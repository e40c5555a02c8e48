// Keys of lines that a run is asked for which are not fields: what a pattern finds, or ranges of characters.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { unfitOption } from '../../base/unfitoption.js';
import type { InputFormatName } from '../../records/formats.js';
import { type LineKeys, lineKeysOf } from '../../records/linekeys.js';
import type { RunOptions } from '../../run/runoptions.js';
import { parseKeep } from '../spill/keep.js';

/** The options beside which such keys have no meaning. */
function conflictOf(options: RunOptions, option: 'keyPattern' | 'keyChars'): string | undefined {
  const isGiven = {
    keyChars: option === 'keyPattern' && options.keyChars !== undefined,
    keys: (options.keys ?? []).length > 0,
    keyExcept: options.keyExcept !== undefined,
    timeKey: options.timeKey !== undefined,
    delimiter: options.delimiter !== undefined,
    keep: options.keep !== undefined && parseKeep(options.keep).field !== undefined,
  };
  return Object.entries(isGiven).find(([, is]) => is)?.[0];
}

/**
 * Returns the finder of the keys that the options of a run ask for; undefined if they are fields or whole records.
 * @throws FirstseenError E_USAGE for an invalid pattern or range, for options that name fields, and for formats other
 * than lines
 */
export async function lineKeysFor(options: RunOptions, format: InputFormatName): Promise<LineKeys | undefined> {
  const lineKeys = await lineKeysOf(options);
  if (!lineKeys) return undefined;
  const option = options.keyPattern === undefined ? 'keyChars' : 'keyPattern';
  const conflict = conflictOf(options, option);
  if (conflict !== undefined) {
    const problem = phrase`${optionName(option)} was given together with ${optionName(conflict)}`;
    throw new FirstseenError('E_USAGE', problem, { option, remedy: 'leave one of them out' });
  }
  if (format === 'lines' || format === 'fields') return lineKeys;
  throw unfitOption(option, `the format is ${format}`, {
    remedy: phrase`give ${optionName('format')} lines to read lines, or name the key with ${optionName('keys')}`,
  });
}
