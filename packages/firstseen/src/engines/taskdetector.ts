// The settings of the detector that map, combine and reduce tasks share, and of one of its partitions.

import { FirstseenError, optionName, type Phrase, phrase } from '../base/errors.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { PlannedOptions } from '../plan/auto.js';
import { planSettings } from '../plan/autosettings.js';
import type { InputFormatName } from '../records/formats.js';
import type { RunOptions } from '../run/runoptions.js';

/** @throws FirstseenError E_USAGE, which names the option. */
export function refuse(option: string, problem: string, remedy: Phrase | string): never {
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)}: ${problem}`, { option, remedy });
}

/** @throws FirstseenError E_USAGE for a format whose records the lines of elements cannot carry. */
export function checkLineFormat(format: InputFormatName): void {
  if (format === 'nul') refuse('format', 'the lines of elements end with newlines', 'write the records as lines');
  if (format === 'u64') refuse('format', 'binary records are not lines', 'write them as lines of decimal digits');
  if (format === 'json') {
    refuse('format', 'an array cannot be read in parts', "write each element on a line, for example with jq -c '.[]'");
  }
  if (format === 'warc') refuse('format', 'records of WARC are not lines', 'give them to the command firstseen');
}

/** @throws FirstseenError as `planSettings`. */
export function sharedSettings(detector: PlannedOptions): DetectorSettings {
  return planSettings({ ...detector, witness: false });
}

/** @throws FirstseenError E_USAGE for a window that is a duration if records have no times: tasks do not know when one arrived. */
export function checkTimes({ parameters }: DetectorSettings, timeKey: RunOptions['timeKey']): void {
  if (!parameters.isTimed || timeKey !== undefined) return;
  const problem = phrase`${optionName('window')} is a duration, but tasks do not know when a record arrived`;
  throw new FirstseenError('E_USAGE', problem, {
    option: 'window',
    remedy: phrase`give ${optionName('timeKey')}, or a number of elements`,
  });
}

/** The settings of one partition of a detector; the detector itself if it has only one. */
export function settingsOfPartition(settings: DetectorSettings, partition: number): DetectorSettings {
  const { partitions } = settings;
  return partitions ? { ...settings, partitions: { ...partitions, first: partition, held: 1 } } : settings;
}
