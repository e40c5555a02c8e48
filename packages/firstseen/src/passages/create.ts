// Creates detectors of passages.

import { checkBoolean, checkObject, checkOptions, checkWord, type OptionNames } from '../base/check.js';
import { copied } from '../base/copied.js';
import { defined } from '../base/defined.js';
import { optionName, phrase } from '../base/errors.js';
import { runInTurns } from '../base/steps.js';
import { type ClockOptions, givenClock, withoutClock } from '../detectors/clock.js';
import { givenWholeModule, type ModuleOptions, withoutModule } from '../kernel/given.js';
import { defaultsOf } from '../options/defaults.js';
import { by, passageOptions } from '../options/passages.js';
import { type PlannedOptions, plannedOptionNames } from '../plan/auto.js';
import { settingsInSteps } from '../plan/autosettings.js';
import { type CuttingSettings, checkCutting, noEffect, type PassageUnit, withoutEffect } from './cutting.js';
import { PassageDetector } from './detector.js';

/** The options by which texts are cut, with the defaults of `firstseen passages`. */
export type CuttingOptions = {
  [Name in Exclude<keyof CuttingSettings, 'dolmaQuirks'>]?: CuttingSettings[Name] | undefined;
};

/**
 * The options by which texts are cut, as in `firstseen passages`, and those of the table, which is any detector. An
 * element of it is a passage or an n-gram.
 */
export interface CreatePassagesOptions
  extends CuttingOptions,
    Omit<PlannedOptions, 'witness'>,
    ModuleOptions,
    ClockOptions {}

const cuttingDefaults: CuttingSettings = { ...defaultsOf(passageOptions), dolmaQuirks: false };

const cuttingNames: OptionNames<CuttingOptions> = {
  by: true,
  separator: true,
  ngram: true,
  overlap: true,
  minLength: true,
  minWords: true,
  skipEmpty: true,
};

const { witness: _witness, ...tableNames } = plannedOptionNames;

/** @throws FirstseenError E_PARAMETER for an option that has no effect beside `by`. */
function checkUseful(given: CuttingOptions, unit: PassageUnit): void {
  const beside = phrase`${optionName('by')} ${unit}`;
  for (const option of withoutEffect(unit)) {
    if (given[option] === undefined) continue;
    throw noEffect({ code: 'E_PARAMETER', option, given: given[option], beside });
  }
}

/**
 * The settings with these options, whose defaults are the others.
 * @throws FirstseenError E_PARAMETER or E_USAGE when they are impossible, or an option has no effect beside `by`.
 */
export function settledCutting(given: CuttingOptions, others: CuttingSettings = cuttingDefaults): CuttingSettings {
  const settings: CuttingSettings = { ...others, ...defined(given) };
  checkWord('by', settings.by, by.words);
  checkBoolean('skipEmpty', settings.skipEmpty);
  checkUseful(given, settings.by);
  checkCutting(settings);
  return settings;
}

/**
 * Creates an empty detector of passages: parts of texts that were seen before (docs/PASSAGES.md).
 * @throws FirstseenError E_PARAMETER, E_ALGORITHM, E_MEMORY or E_BOUND when the request is impossible; the message says which
 * bound it breaks.
 */
export async function createPassages(options: CreatePassagesOptions = {}): Promise<PassageDetector> {
  const ownOptions = copied(checkObject(options));
  const host = { ...givenWholeModule(ownOptions), ...givenClock(ownOptions) };
  const { separator, ngram, overlap, minLength, minWords, skipEmpty, ...tableOptions } = checkOptions(
    withoutClock(withoutModule(ownOptions)),
    { ...cuttingNames, ...tableNames },
  );
  const { by: unit, ...table } = tableOptions;
  const settings = settledCutting({ by: unit, separator, ngram, overlap, minLength, minWords, skipEmpty });
  const tableSettings = await runInTurns(settingsInSteps({ ...table, witness: false }, 'every stream'));
  return PassageDetector.ofSettings(settings, tableSettings, host);
}
