// Creates detectors, whose keys may be made from records.

import { checkOptions, type OptionNames } from '../base/check.js';
import { defined } from '../base/defined.js';
import { tell } from '../base/diagnostics.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { runInTurns } from '../base/steps.js';
import { type ClockOptions, givenClock } from '../detectors/clock.js';
import { Detector } from '../detectors/detector.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { givenModule, type ModuleOptions, moduleOptionNames } from '../kernel/given.js';
import { type KeyScheme, type KeySchemeOptions, keySchemeOf, keySchemeOptionNames } from '../records/keyscheme.js';
import { askedOf, loadedPlanner, type PlannedOptions, type Planner, plannedOptionNames } from './auto.js';

/** The options of a detector, and how its keys are made, which its snapshots then record. */
export interface CreateOptions extends PlannedOptions, KeySchemeOptions, ModuleOptions, ClockOptions {}

/** The options of the detector of a stream, which sets the time. */
export type TimedOptions = Omit<CreateOptions, 'clock'>;

export const timedOptionNames: OptionNames<TimedOptions> = {
  ...plannedOptionNames,
  ...keySchemeOptionNames,
  ...moduleOptionNames,
  now: true,
};

export const createOptionNames: OptionNames<CreateOptions> = { ...timedOptionNames, clock: true };

/** The options of the detector, and how its keys are made. @throws FirstseenError E_PARAMETER or E_USAGE for invalid keys. */
export function keyedParts(asked: CreateOptions): { own: PlannedOptions; scheme: { keyScheme?: KeyScheme } } {
  const { keys, format, module: _module, clock: _clock, now: _now, ...own } = checkOptions(asked, createOptionNames);
  return { own, scheme: defined({ keyScheme: keySchemeOf({ keys, format }) }) };
}

/** The planner. @throws FirstseenError E_USAGE where it is in another file of a bundle, and nothing can be loaded later. */
async function loadPlanner(): Promise<Planner> {
  try {
    return loadedPlanner() ?? (await import('./autosettings.js')).plannedSettings;
  } catch (cause) {
    throw new FirstseenError('E_USAGE', `this environment does not load the planner: ${cause}`, {
      remedy: phrase`import plan too, so that the planner is loaded at once, or give ${optionName('algorithm')}`,
      cause,
    });
  }
}

/**
 * Plans if that is asked for, and lets the event loop run meanwhile. The planner is loaded only then.
 * @throws FirstseenError as `planSettings`, and E_PARAMETER or E_USAGE for invalid keys.
 */
export async function settingsWithKeys(options: CreateOptions): Promise<DetectorSettings> {
  const { own, scheme } = keyedParts(options);
  const asked = askedOf(own);
  if ('settings' in asked) return { ...asked.settings, ...scheme };
  const plannedSettings = await loadPlanner();
  return { ...(await runInTurns(plannedSettings(asked.planned))), ...scheme };
}

/**
 * Creates an empty detector; with the algorithm `auto`, the one that is planned from the other options.
 * @throws FirstseenError E_ALGORITHM, E_PARAMETER, E_MEMORY or E_BOUND when the request is impossible; the message says which
 * bound it breaks.
 */
export async function create(options: CreateOptions = {}): Promise<Detector> {
  const settings = await settingsWithKeys(options);
  const detector = await Detector.ofSettings(settings, { ...givenModule(options), ...givenClock(options) });
  tell('create', () => ({ detector }));
  return detector;
}
