// Creates detectors, whose keys may be made from records.

import { checkOptions, checkWord, type OptionNames } from '../base/check.js';
import { copied } from '../base/copied.js';
import { defined } from '../base/defined.js';
import { tell } from '../base/diagnostics.js';
import { FirstseenError, invalidOption } from '../base/errors.js';
import { runInTurns } from '../base/steps.js';
import { type ClockOptions, givenClock } from '../detectors/clock.js';
import { Detector } from '../detectors/detector.js';
import type { OverloadPolicy } from '../detectors/ratewatch.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { givenModule, type ModuleOptions, moduleOptionNames } from '../kernel/given.js';
import { overloadWords } from '../options/detector.js';
import type { KeyScheme, KeySchemeOptions, keySchemeOf } from '../records/keyscheme.js';
import { loadedSchemes } from '../records/loadedschemes.js';
import { keySchemeOptionNames, separateRules } from '../records/schemes.js';
import { askedOf, loadedPlanner, type PlannedOptions, type Planner, plannedOptionNames } from './auto.js';
import type { AutoPromise } from './contract.js';

/** The options for a detector of a program whose rate is no longer kept. */
export interface OverloadOptions {
  /**
   * The action once the rate of false positives over the stream so far exceeds the target, as predicted or as the
   * witness measures it. `warn`: publish `firstseen:overload`, and tell it in `stats`. `fail`: refuse further elements
   * with E_OVERLOAD too. With either, the algorithm `auto` may rely on the hints, and take a family whose rate grows
   * with what it takes. Without this option, the rate is not watched, and `auto` takes only what keeps it on every
   * stream. The target is `fpr`, or 1e-6 for the algorithm `auto`. A snapshot does not keep this option: give it to
   * `load` too.
   */
  onOverload?: OverloadPolicy | undefined;
}

/** The options of a detector, and how its keys are made, which its snapshots then record. */
export interface CreateOptions extends PlannedOptions, KeySchemeOptions, ModuleOptions, ClockOptions, OverloadOptions {}

/** The options of the detector of a stream, which sets the time. */
export type TimedOptions = Omit<CreateOptions, 'clock'>;

export const timedOptionNames: OptionNames<TimedOptions> = {
  ...plannedOptionNames,
  ...keySchemeOptionNames,
  ...moduleOptionNames,
  now: true,
  onOverload: true,
};

export const createOptionNames: OptionNames<CreateOptions> = { ...timedOptionNames, clock: true };

/** The options of a detector, what `auto` has to promise, and how keys are made. */
interface KeyedParts {
  own: PlannedOptions;
  promise: AutoPromise;
  keys: KeySchemeOptions;
}

/** The parts of options. @throws FirstseenError E_PARAMETER for what is not an option. */
export function keyedParts(asked: CreateOptions): KeyedParts {
  const { module: _module, clock: _clock, now: _now, ...others } = checkOptions(asked, createOptionNames);
  const { onOverload: policy, ...rest } = others;
  const [rules, { keys: names, format, ...own }] = separateRules(rest);
  if (policy !== undefined) checkWord('onOverload', policy, overloadWords);
  const promise = policy === undefined ? 'every stream' : 'expected stream';
  return { own, promise, keys: { keys: names, format, ...rules } };
}

/** @throws FirstseenError E_PARAMETER for `onOverload`, where the rate cannot be watched. */
export function refuseOverload(options: unknown, where: string): void {
  // What the other options are is checked elsewhere.
  const policy = (options as OverloadOptions | null | undefined)?.onOverload;
  if (policy === undefined) return;
  throw invalidOption({ option: 'onOverload', given: policy, expected: `left out ${where}` });
}

/**
 * Returns code that a bundle may load later.
 * @param name what a program imports that needs the same at once
 * @throws FirstseenError E_USAGE where it is in another file, and nothing can be loaded later.
 */
async function later<Loaded>(name: string, loaded: Loaded | undefined, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return loaded ?? (await load());
  } catch (cause) {
    throw new FirstseenError('E_USAGE', `cannot load what ${name} needs: ${cause}`, {
      remedy: `import ${name} too`,
      cause,
    });
  }
}

function loadPlanner(): Promise<Planner> {
  return later('plan', loadedPlanner(), async () => (await import('./autosettings.js')).planner);
}

/** The function that makes schemes. */
type SchemeMaker = typeof keySchemeOf;

function loadSchemes(): Promise<SchemeMaker> {
  return later(
    'keyOf',
    loadedSchemes<SchemeMaker>(),
    async () => (await import('../records/keyscheme.js')).keySchemeOf,
  );
}

/** Returns the scheme by which keys are made. @throws FirstseenError E_PARAMETER or E_USAGE for invalid keys */
async function schemeOf(keys: KeySchemeOptions): Promise<{ keyScheme?: KeyScheme }> {
  const isAsked = Object.values(keys).some((value) => value !== undefined);
  return isAsked ? defined({ keyScheme: (await loadSchemes())(keys) }) : {};
}

/** Watches the rate of a detector, if that is asked for. @throws FirstseenError E_PARAMETER when it has no target. */
export async function watchedAsAsked(
  detector: Detector,
  { onOverload: policy, ...options }: PlannedOptions & OverloadOptions,
): Promise<Detector> {
  if (policy === undefined) return detector;
  checkWord('onOverload', policy, overloadWords);
  const { watchRate } = await loadPlanner();
  watchRate(detector, options, policy);
  return detector;
}

/** Tells if the settings need a plan, which may take seconds. @throws FirstseenError as `settingsWithKeys` */
export function isPlanned(options: CreateOptions): boolean {
  const { own, promise } = keyedParts(options);
  return 'planned' in askedOf(own, promise);
}

/**
 * Plans if that is asked for, and lets the event loop run meanwhile. The planner is loaded only then.
 * @throws FirstseenError as `planSettings`, and E_PARAMETER or E_USAGE for invalid keys.
 */
export async function settingsWithKeys(options: CreateOptions): Promise<DetectorSettings> {
  const { own, promise, keys } = keyedParts(options);
  const scheme = await schemeOf(keys);
  const asked = askedOf(own, promise);
  if ('settings' in asked) return { ...asked.settings, ...scheme };
  const { plannedSettings } = await loadPlanner();
  return { ...(await runInTurns(plannedSettings(asked.planned))), ...scheme };
}

/**
 * Creates an empty detector; with the algorithm `auto`, the one that is planned from the other options.
 * @throws FirstseenError E_ALGORITHM, E_PARAMETER, E_MEMORY or E_BOUND when the request is impossible; the message says which
 * bound it breaks.
 * @example
 * ```js
 * import { create } from 'firstseen';
 *
 * const detector = await create({ memory: '1MiB' });
 * console.log(detector.observe('a')); // distinct
 * console.log(detector.observe('a')); // duplicate
 * ```
 */
export async function create(options: CreateOptions = {}): Promise<Detector> {
  const given = copied(options);
  const settings = await settingsWithKeys(given);
  const made = await Detector.ofSettings(settings, { ...givenModule(given), ...givenClock(given) });
  const detector = await watchedAsAsked(made, given);
  tell('create', () => ({ detector }));
  return detector;
}
