// The settings of a detector whose keys are made from records.

import { checkOptions, type OptionNames } from '../check.js';
import { defined } from '../defined.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { type KeySchemeOptions, keySchemeOf, keySchemeOptionNames } from '../records/keyscheme.js';
import { type PlannedOptions, plannedOptionNames, planSettings } from './auto.js';

/** The options of a detector, and how its keys are made, which its snapshots then tell. */
export interface CreateOptions extends PlannedOptions, KeySchemeOptions {}

export const createOptionNames: OptionNames<CreateOptions> = { ...plannedOptionNames, ...keySchemeOptionNames };

/** @throws FirstseenError as `planSettings`, and E_PARAMETER or E_USAGE for invalid keys. */
export function settingsWithKeys(asked: CreateOptions): DetectorSettings {
  const { keys, format, ...options } = checkOptions(asked, createOptionNames);
  const keyScheme = keySchemeOf({ keys, format });
  return { ...planSettings(options), ...defined({ keyScheme }) };
}
