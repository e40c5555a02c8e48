// The folder of a run that spills: the one that was named, or the system's folder for temporary files if an option requires such a run.

import { tmpdir } from 'node:os';
import { optionName, type Phrase, phrase } from '../../base/errors.js';
import type { Emission } from '../../io/policies.js';
import { type RunOptions, runDefaults } from '../../run/runoptions.js';
import type { Choice } from './request.js';

/** The number of times that a key must occur for one of its records to be emitted, by emission. */
export const choices: { readonly [Name in Emission]?: Choice } = {
  unique: { least: 1, most: 1 },
  repeated: { least: 2, most: Number.POSITIVE_INFINITY },
};

/** The options that decide where, and whether, a run spills. */
export type SpillingOptions = Pick<RunOptions, 'spill' | 'emit' | 'keep' | 'count'>;

export interface SpillFolder {
  path: string;
  /** The option because of which the run spills, with its value if that matters. */
  because: Phrase;
}

/** The option for which the whole input has to be read before a record is written. */
function requiringOption({ emit, keep, count }: SpillingOptions): Phrase | undefined {
  if (emit !== undefined && emit in choices) return phrase`${optionName('emit')} ${emit}`;
  if (keep !== undefined && keep !== runDefaults.keep) return phrase`${optionName('keep')} ${keep}`;
  return count ? phrase`${optionName('count')}` : undefined;
}

/** The folder of a run that spills; undefined for a run in memory. */
export function spillFolderOf(options: SpillingOptions): SpillFolder | undefined {
  if (options.spill !== undefined) return { path: options.spill, because: phrase`${optionName('spill')}` };
  const because = requiringOption(options);
  return because && { path: tmpdir(), because };
}
