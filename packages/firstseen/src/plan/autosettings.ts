// The settings of a detector, with a plan if the algorithm is `auto` and something is known of the stream.

import { runAtOnce, type Steps } from '../base/steps.js';
import { DEFAULT_MEMORY_BYTES, type DetectorSettings, resolveSettings } from '../detectors/settings.js';
import { AUTO_MEMORY, askedOf, type PlannedOptions, type PlanRequest, plannerIsLoaded } from './auto.js';
import { advise, type PartitionedPlanOptions } from './partitions.js';
import type { FamilyAdvice } from './plan.js';

/** A hint may be wrong, so it never takes less memory than no hint would, unless that is asked for. */
function adviceWithin(memory: number | string | undefined, hints: PartitionedPlanOptions): Steps<FamilyAdvice> {
  if (memory === AUTO_MEMORY) return advise(hints);
  if (memory !== undefined) return advise({ ...hints, memory });
  return advise({ ...hints, leastMemoryBytes: DEFAULT_MEMORY_BYTES });
}

/** Plans, in steps. @throws FirstseenError E_BOUND when no algorithm meets the request. */
export function* plannedSettings({ hints, memory, others }: PlanRequest): Steps<DetectorSettings> {
  const { algorithm, layout, parameters, settings } = yield* adviceWithin(memory, hints);
  return resolveSettings({ ...others, algorithm, layout, parameters, memory: settings.memoryBytes });
}

plannerIsLoaded(plannedSettings);

/**
 * Resolves the options of a detector, with a plan if the algorithm is `auto`, in steps.
 * @throws FirstseenError as `resolveSettings`; E_BOUND when no algorithm meets the request.
 */
export function* settingsInSteps(options: PlannedOptions = {}): Steps<DetectorSettings> {
  const asked = askedOf(options);
  return 'settings' in asked ? asked.settings : yield* plannedSettings(asked.planned);
}

/** As `settingsInSteps`, at once. */
export function planSettings(options: PlannedOptions = {}): DetectorSettings {
  return runAtOnce(settingsInSteps(options));
}
