// The settings of the detector that map, combine and reduce tasks share, and of one of its partitions.

import type { DetectorSettings } from '../detectors/settings.js';
import { FirstseenError, optionName, phrase } from '../errors.js';
import { type PlannedOptions, planSettings } from '../plan/auto.js';

/** @throws FirstseenError E_USAGE for a window that is a duration; otherwise as `planSettings`. */
export function sharedSettings(detector: PlannedOptions): DetectorSettings {
  const settings = planSettings({ ...detector, witness: false });
  if (!settings.parameters.isTimed) return settings;
  throw new FirstseenError('E_USAGE', phrase`${optionName('window')} is a duration, but elements have no times here`, {
    option: 'window',
    remedy: 'give it as a number of elements',
  });
}

/** The settings of one partition of a detector; the detector itself if it has only one. */
export function settingsOfPartition(settings: DetectorSettings, partition: number): DetectorSettings {
  const { partitions } = settings;
  return partitions ? { ...settings, partitions: { ...partitions, first: partition, held: 1 } } : settings;
}
