// `auto`: the planner chooses the algorithm and its parameters from the other options. Detectors do not know `auto`; the options
// of a user are resolved here first.

import { checkCount, checkOptions, checkTargetFpr, type OptionNames } from '../base/check.js';
import { defined } from '../base/defined.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { Steps } from '../base/steps.js';
import { unfitOption } from '../base/unfitoption.js';
import type { DetectorFamily } from '../detectors/contract.js';
import type { Detector } from '../detectors/detector.js';
import type { OverloadPolicy } from '../detectors/ratewatch.js';
import {
  exactWindowFamily,
  familyNamed,
  familyNames,
  largestWindowFamily,
  windowFamily,
} from '../detectors/registry.js';
import type { DetectorOptions, DetectorSettings } from '../detectors/settings.js';
import { asksWindow, checkedParameters, checkWindow, resolveSettings } from '../detectors/settings.js';
import type { DetectorName } from '../kernel/abi.js';
import { DEFAULT_ALGORITHM, DEFAULT_TARGET_FPR, type detectorOptions, type witness } from '../options/detector.js';
import type { OwnNamesOf } from '../options/own.js';
import type { AutoPromise } from './contract.js';

/** The name of an algorithm, or `auto`: the planner's choice. */
export type AlgorithmName = 'auto' | DetectorName;

/** Asks for the algorithm to be chosen. */
export const AUTO = DEFAULT_ALGORITHM;

/** The default algorithm. */
export const defaultAlgorithm: AlgorithmName = AUTO;

/** The names that are accepted as an algorithm. */
export const algorithmNames: readonly AlgorithmName[] = [AUTO, ...familyNames];

/**
 * If nothing is known of the stream, `auto` takes the default family at the target, or at this rate if the target is higher: more would
 * cost more new elements than it finds repeats. A test compares its errors with those of the best that the planner finds.
 */
const MAX_FPR_OF_DEFAULT = 0.01;

/** As the memory: the least that suffices for what is known of the stream. */
export const AUTO_MEMORY = 'auto';

/** Options of a detector, and hints about its stream for the algorithm `auto`. */
export interface PlannedOptions extends Omit<DetectorOptions, 'algorithm'> {
  /**
   * Bytes of the detector's cells, as a number or as text such as `64MiB`, the default. With hints and the algorithm `auto`, the
   * default is 64MiB or more, as the hints require; `auto` is the least that they require, which may be less.
   */
  memory?: number | string | undefined;
  /**
   * A name of the registry, or `auto`, the default: the planner's choice. With a window of elements it is `apbf`, or `pocketwindow` if
   * `apbf` cannot keep it in the memory; with a window that is a duration it is `pocketwindow`, which passes what it has no room for, or
   * `exactwindow` for a smaller slack than that of `pocketwindow`.
   */
  algorithm?: AlgorithmName | undefined;
  /** Expected number of different elements. */
  distinctElements?: number | undefined;
  /** Expected number of elements, including repeats. */
  lengthElements?: number | undefined;
}

/** The rows of these options. */
type Row = (typeof detectorOptions)[number] | typeof witness;

/** Written out, because a bundle that takes the names from the rows has all texts of the command. The compiler compares both. */
export const plannedOptionNames: OptionNames<PlannedOptions> = {
  memory: true,
  algorithm: true,
  fpr: true,
  parameters: true,
  layout: true,
  seed: true,
  fingerprint: true,
  secret: true,
  gapsElements: true,
  window: true,
  windowSlack: true,
  partitions: true,
  refresh: true,
  distinctElements: true,
  lengthElements: true,
  witness: true,
} satisfies OptionNames<Record<OwnNamesOf<Row>, unknown>>;

export function isAuto({ algorithm = defaultAlgorithm }: PlannedOptions): boolean {
  return algorithm === AUTO;
}

function memoryWithoutHints(): FirstseenError {
  const hints = phrase`${optionName('distinctElements')}, ${optionName('lengthElements')} or ${optionName('gapsElements')}`;
  return new FirstseenError('E_PARAMETER', phrase`${optionName('memory')} ${AUTO_MEMORY} requires ${hints}`, {
    option: 'memory',
    given: AUTO_MEMORY,
    remedy: phrase`give what is known of the stream, or give ${optionName('memory')} as a size`,
  });
}

/** @throws FirstseenError E_PARAMETER when the memory is to be chosen, but the planner does not choose the detector. */
function checkMemoryIsGiven({ memory }: Pick<PlannedOptions, 'memory'>): void {
  if (memory !== AUTO_MEMORY) return;
  throw new FirstseenError(
    'E_PARAMETER',
    phrase`${optionName('memory')} ${AUTO_MEMORY} requires ${optionName('algorithm')} ${AUTO} without ${optionName('window')} or ${optionName('refresh')}`,
    { option: 'memory', given: AUTO_MEMORY, remedy: phrase`give ${optionName('memory')} as a size` },
  );
}

/** Tells if the window is a duration, in which any number of elements may come. */
function isWindowInTime({ window }: DetectorOptions): boolean {
  return window !== undefined && 'milliseconds' in checkWindow(window);
}

/**
 * The preferred family for a window. In a window of elements, the filters of `apbf` are faster, and the pockets of the other family keep
 * more. How many elements come in a duration is unknown, and filters that take more than they have room for report new elements as
 * duplicates. Pockets pass such elements, so no new one is lost.
 */
function preferredFamily(options: DetectorOptions): DetectorFamily {
  // Parameters that are given without an algorithm are those of the family for windows.
  return isWindowInTime(options) && options.parameters === undefined ? largestWindowFamily : windowFamily;
}

/**
 * The settings of an exact window in time, where pockets cannot have the slack or the layout that is asked for. Filters could have them, but
 * they lose new elements where more come than they have room for. An exact window refuses those.
 * @param ofPockets the error to report if an exact window cannot have them either
 */
function exactWindowSettings({ windowSlack: _slack, ...given }: DetectorOptions, ofPockets: Error): DetectorSettings {
  try {
    return resolveSettings({ ...given, algorithm: exactWindowFamily.name });
  } catch {
    throw ofPockets;
  }
}

/**
 * The settings of a detector with a window, of the preferred family, or of the other one where that cannot keep the window.
 * @throws FirstseenError as `resolveSettings`.
 */
export function windowSettings(request: PlannedOptions, preferred?: DetectorFamily): DetectorSettings {
  const { distinctElements: _distinct, lengthElements: _length, ...options } = request;
  const detectorOptions: DetectorOptions = { fpr: DEFAULT_TARGET_FPR, ...defined(options), algorithm: undefined };
  const first = preferred ?? preferredFamily(detectorOptions);
  try {
    return resolveSettings({ ...detectorOptions, algorithm: first.name });
  } catch (error) {
    if (!(error instanceof FirstseenError) || detectorOptions.parameters !== undefined) throw error;
    if (isWindowInTime(detectorOptions) && first !== windowFamily) return exactWindowSettings(detectorOptions, error);
    const isPockets = first === largestWindowFamily;
    try {
      return resolveSettings({ ...detectorOptions, algorithm: (isPockets ? windowFamily : largestWindowFamily).name });
    } catch (second) {
      // The pockets say the largest window that is possible, unless they cannot be had in the layout or with the slack asked for.
      const [ofPockets, ofFilters] = isPockets ? [error, second] : [second, error];
      const isLarger = ofPockets instanceof FirstseenError && ofPockets.option === 'window';
      throw isLarger && detectorOptions.windowSlack === undefined ? ofPockets : ofFilters;
    }
  }
}

/** Checks hints also where no plan uses them. @throws FirstseenError E_PARAMETER. */
function checkHints(hints: Pick<PlannedOptions, 'distinctElements' | 'lengthElements'>): void {
  for (const [option, value] of Object.entries(hints)) if (value !== undefined) checkCount(option, value);
}

/** The request for a detector: its settings, or what is to be planned for it. */
export type Asked = { settings: DetectorSettings } | { planned: PlanRequest };

/** The options of a detector that describe its plan. */
type Hints = Pick<
  PlannedOptions,
  'fpr' | 'layout' | 'gapsElements' | 'distinctElements' | 'lengthElements' | 'partitions'
>;

/** The request for a plan: the hints, the memory that was asked for, and the options that no plan chooses. */
export interface PlanRequest {
  hints: Hints;
  memory: number | string | undefined;
  others: DetectorOptions;
  promise: AutoPromise;
}

/** The functions that programs need only with hints, or with `onOverload`. */
export interface Planner {
  /** Makes the settings of a plan. */
  plannedSettings(request: PlanRequest): Steps<DetectorSettings>;
  /** Watches the rate of a detector. */
  watchRate(detector: Detector, asked: PlannedOptions, policy: OverloadPolicy): void;
}

let loaded: Planner | undefined;

/** Set by the planner when it is loaded. A service worker cannot load it later, so a planner that is already loaded is used. */
export function plannerIsLoaded(planner: Planner): void {
  loaded = planner;
}

/** The planner, if it is loaded. */
export function loadedPlanner(): Planner | undefined {
  return loaded;
}

/**
 * Returns the request that the options of a detector make. This part needs no planner, so that a program without hints
 * need not load it.
 * @throws FirstseenError as `resolveSettings`.
 */
export function askedOf(options: PlannedOptions = {}, promise: AutoPromise = 'every stream'): Asked {
  const { distinctElements, lengthElements, algorithm, ...unnamed } = defined(
    checkOptions(options, plannedOptionNames),
  );
  checkHints({ distinctElements, lengthElements });
  if (algorithm !== undefined && algorithm !== AUTO) {
    // Checked here, because detectors do not know `auto` and would not list it.
    const { name } = familyNamed(algorithm, algorithmNames);
    checkMemoryIsGiven(unnamed);
    return { settings: resolveSettings({ ...unnamed, algorithm: name }) };
  }
  if (asksWindow(unnamed)) {
    checkMemoryIsGiven(unnamed);
    return { settings: windowSettings(unnamed) };
  }
  const { parameters, memory, fpr, layout, gapsElements, partitions, ...otherOptions } = unnamed;
  if (Object.keys(checkedParameters(parameters)).length > 0) {
    const option = `parameters.${Object.keys(parameters ?? {})[0]}`;
    const algorithm = optionName('algorithm');
    const remedy = phrase`leave it out, or choose another ${algorithm}`;
    throw unfitOption(option, phrase`${algorithm} ${AUTO} chooses it`, { code: 'E_PARAMETER', remedy });
  }
  const bounds = [gapsElements, distinctElements, lengthElements];
  const isBounded = bounds.some((hint) => hint !== undefined);
  if (memory === AUTO_MEMORY && !isBounded) throw memoryWithoutHints();
  if (!isBounded && layout === undefined) {
    const rate = fpr === undefined ? undefined : Math.min(checkTargetFpr(fpr), MAX_FPR_OF_DEFAULT);
    return { settings: resolveSettings({ ...unnamed, ...defined({ fpr: rate }) }) };
  }
  const hints = defined({ fpr, layout, gapsElements, distinctElements, lengthElements, partitions });
  return { planned: { hints, memory, others: { ...otherOptions, ...defined({ partitions }) }, promise } };
}
