// `auto`: the algorithm and its parameters follow from what is asked of the detector. Detectors know nothing of it; whoever
// makes one for a user resolves the user's options here first.

import { familyNamed, familyNames } from '../detectors/registry.js';
import type { DetectorOptions, DetectorSettings } from '../detectors/settings.js';
import { resolveSettings } from '../detectors/settings.js';
import { FirstseenError } from '../errors.js';
import { advise, DEFAULT_TARGET_FPR } from './plan.js';

/** Asks for the algorithm to be chosen. */
export const AUTO = 'auto';

/** What is used when no algorithm is named. */
export const defaultAlgorithm: string = AUTO;

/** Names that may be given as an algorithm. */
export const algorithmNames: readonly string[] = [AUTO, ...familyNames];

/**
 * Where nothing is known of the stream and the target is at most this, the plan is always the default family with what it makes
 * of the target: a test asks the planner, which takes a second to find out.
 */
const MOST_FPR_OF_DEFAULT = 1e-4;

/** Options of a detector, and what is known of its stream, for the algorithm `auto`. */
export interface PlannedOptions extends DetectorOptions {
  /** A name of the registry, or `auto`, the default: the algorithm that the planner finds, `apbf` when a window is asked for. */
  algorithm?: string;
  /** Different elements expected. */
  distinctElements?: number;
  /** Elements expected, repeats included. */
  lengthElements?: number;
}

export function isAuto({ algorithm = defaultAlgorithm }: PlannedOptions): boolean {
  return algorithm === AUTO;
}

/**
 * The settings of the detector that is asked for, planned where its algorithm is `auto`.
 * @throws FirstseenError as `resolveSettings` does; E_BOUND when what is asked of `auto` is impossible.
 */
export function planSettings(options: PlannedOptions = {}): DetectorSettings {
  const { distinctElements, lengthElements, ...asked } = options;
  if (!isAuto(options)) {
    // Refused here, as detectors know nothing of `auto` and would leave it out of the names.
    familyNamed(options.algorithm as string, algorithmNames);
    return resolveSettings(asked);
  }
  const { algorithm: _auto, ...unnamed } = asked;
  // Only one family keeps a window for sure, and it is implied.
  if (asked.window !== undefined || asked.refresh !== undefined) {
    return resolveSettings({ fpr: DEFAULT_TARGET_FPR, ...unnamed });
  }
  const { parameters, memory, fpr, layout, gapsElements, ...rest } = unnamed;
  if (parameters !== undefined && Object.keys(parameters).length > 0) {
    throw new FirstseenError(
      'E_PARAMETER',
      `parameter ${Object.keys(parameters)[0]} was given, but the algorithm is ${AUTO}, which chooses them; name an algorithm or leave it out`,
    );
  }
  const hints = [layout, gapsElements, distinctElements, lengthElements];
  const isUnknown = hints.every((hint) => hint === undefined);
  if (isUnknown && (fpr === undefined || fpr <= MOST_FPR_OF_DEFAULT)) return resolveSettings(unnamed);
  const known = { memory, fpr, layout, gapsElements, distinctElements, lengthElements };
  const advice = advise(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)));
  return resolveSettings({
    ...rest,
    algorithm: advice.algorithm,
    layout: advice.layout,
    parameters: advice.parameters,
    memory: advice.settings.memoryBytes,
  });
}
