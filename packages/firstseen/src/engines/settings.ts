// The settings of the detector that map, combine and reduce tasks share, and of one of its partitions.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { PlannedOptions } from '../plan/auto.js';
import { planSettings } from '../plan/autosettings.js';

/** @throws FirstseenError as `planSettings`. */
export function sharedSettings(detector: PlannedOptions): DetectorSettings {
  return planSettings({ ...detector, witness: false });
}

/** @throws FirstseenError E_USAGE for a window that is a duration if records have no times: tasks do not know when one arrived. */
export function checkTimes({ parameters }: DetectorSettings, timeKey: string | undefined): void {
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
