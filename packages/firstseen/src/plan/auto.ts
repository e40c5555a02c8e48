// `auto`: the planner chooses the algorithm and its parameters from the other options. Detectors do not know `auto`; the options
// of a user are resolved here first.

import { defined } from '../defined.js';
import { familyNamed, familyNames } from '../detectors/registry.js';
import type { DetectorOptions, DetectorSettings } from '../detectors/settings.js';
import { resolveSettings } from '../detectors/settings.js';
import { FirstseenError, optionName, phrase } from '../errors.js';
import { advise, DEFAULT_TARGET_FPR } from './plan.js';

/** Asks for the algorithm to be chosen. */
export const AUTO = 'auto';

/** The default algorithm. */
export const defaultAlgorithm: string = AUTO;

/** The names that are accepted as an algorithm. */
export const algorithmNames: readonly string[] = [AUTO, ...familyNames];

/**
 * If nothing is known of the stream and the target is at most this, the plan is always the default family at the target. A test
 * checks that against the planner, which takes a second to find it.
 */
const MOST_FPR_OF_DEFAULT = 1e-4;

/** Options of a detector, and hints about its stream for the algorithm `auto`. */
export interface PlannedOptions extends DetectorOptions {
  /** A name of the registry, or `auto`, the default: the planner's choice, or `apbf` with a window. */
  algorithm?: string;
  /** Expected number of different elements. */
  distinctElements?: number;
  /** Expected number of elements, including repeats. */
  lengthElements?: number;
}

export function isAuto({ algorithm = defaultAlgorithm }: PlannedOptions): boolean {
  return algorithm === AUTO;
}

/**
 * Resolves the options of a detector, with a plan if the algorithm is `auto`.
 * @throws FirstseenError as `resolveSettings`; E_BOUND when no algorithm meets the request.
 */
export function planSettings(options: PlannedOptions = {}): DetectorSettings {
  const { distinctElements, lengthElements, ...asked } = options;
  if (!isAuto(options)) {
    // Checked here, because detectors do not know `auto` and would not list it.
    familyNamed(options.algorithm as string, algorithmNames);
    return resolveSettings(asked);
  }
  const { algorithm: _auto, ...unnamed } = asked;
  // Only one family guarantees a window, and it is implied.
  if (asked.window !== undefined || asked.refresh !== undefined) {
    return resolveSettings({ fpr: DEFAULT_TARGET_FPR, ...unnamed });
  }
  const { parameters, memory, fpr, layout, gapsElements, ...rest } = unnamed;
  if (parameters !== undefined && Object.keys(parameters).length > 0) {
    const option = `parameters.${Object.keys(parameters)[0]}`;
    const algorithm = optionName('algorithm');
    throw new FirstseenError(
      'E_PARAMETER',
      phrase`${optionName(option)} was given, but ${algorithm} ${AUTO} chooses it`,
      {
        option,
        remedy: phrase`leave it out, or choose another ${algorithm}`,
      },
    );
  }
  const hints = [layout, gapsElements, distinctElements, lengthElements];
  const isUnknown = hints.every((hint) => hint === undefined);
  if (isUnknown && (fpr === undefined || fpr <= MOST_FPR_OF_DEFAULT)) return resolveSettings(unnamed);
  const advice = advise(defined({ memory, fpr, layout, gapsElements, distinctElements, lengthElements }));
  return resolveSettings({
    ...rest,
    algorithm: advice.algorithm,
    layout: advice.layout,
    parameters: advice.parameters,
    memory: advice.settings.memoryBytes,
  });
}
