// The settings of a detector whose keys are made from records.

import { defined } from '../defined.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { type KeySchemeOptions, keySchemeOf } from '../records/keyscheme.js';
import { type PlannedOptions, planSettings } from './auto.js';

/** @throws FirstseenError as `planSettings`, and E_PARAMETER or E_USAGE for invalid keys. */
export function settingsWithKeys({ keys, format, ...options }: PlannedOptions & KeySchemeOptions): DetectorSettings {
  const keyScheme = keySchemeOf(defined({ keys, format }));
  return { ...planSettings(options), ...defined({ keyScheme }) };
}
