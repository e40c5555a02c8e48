// The settings of a detector, with a plan if the algorithm is `auto` and something is known of the stream.

import { runAtOnce, type Steps } from '../base/steps.js';
import { type DetectorOptions, type DetectorSettings, resolveSettings } from '../detectors/settings.js';
import { DEFAULT_MEMORY_BYTES } from '../options/detector.js';
import { advise } from './advise.js';
import { AUTO_MEMORY, askedOf, type PlannedOptions, type Planner, type PlanRequest, plannerIsLoaded } from './auto.js';
import type { AutoPromise } from './contract.js';
import type { PartitionedPlanOptions } from './goal.js';
import { watchRate } from './watched.js';

/** The options that a plan chooses. */
type Chosen = Pick<DetectorOptions, 'algorithm' | 'layout' | 'parameters' | 'memory'>;

/** Plans that are kept, by request; the oldest leaves first. Requests with more values, such as many gaps, are not kept. */
const MAX_KEPT = 64;
const MAX_VALUES = 64;
const chosenByRequest = new Map<string, Chosen>();

/** A hint may be wrong, so it never takes less memory than no hint would, unless that is asked for. */
function optionsWithin(memory: number | string | undefined, hints: PartitionedPlanOptions): PartitionedPlanOptions {
  if (memory === AUTO_MEMORY) return hints;
  return memory === undefined ? { ...hints, minMemoryBytes: DEFAULT_MEMORY_BYTES } : { ...hints, memory };
}

/** A request as text; undefined if it has other values than numbers and words, which the planner refuses. */
function textOf(options: PartitionedPlanOptions, promise: AutoPromise): string | undefined {
  // As JSON, numbers that are not finite are all null.
  const isPlain = (value: unknown) => Number.isFinite(value) || typeof value === 'string';
  const values = Object.values(options).flat();
  return values.length <= MAX_VALUES && values.every(isPlain) ? JSON.stringify([options, promise]) : undefined;
}

function* chosenFor(options: PartitionedPlanOptions, promise: AutoPromise): Steps<Chosen> {
  const request = textOf(options, promise);
  const before = request === undefined ? undefined : chosenByRequest.get(request);
  if (before) return before;
  const { algorithm, layout, parameters, settings } = yield* advise(options, promise);
  const choice = { algorithm, layout, parameters, memory: settings.memoryBytes };
  if (request === undefined) return choice;
  chosenByRequest.set(request, choice);
  const [oldest] = chosenByRequest.keys();
  if (chosenByRequest.size > MAX_KEPT && oldest !== undefined) chosenByRequest.delete(oldest);
  return choice;
}

/** Plans, in steps. @throws FirstseenError E_BOUND when no algorithm meets the request. */
export function* plannedSettings({ hints, memory, others, promise }: PlanRequest): Steps<DetectorSettings> {
  return resolveSettings({ ...others, ...(yield* chosenFor(optionsWithin(memory, hints), promise)) });
}

export const planner: Planner = { plannedSettings, watchRate };

plannerIsLoaded(planner);

/**
 * Resolves the options of a detector, with a plan if the algorithm is `auto`, in steps.
 * @throws FirstseenError as `resolveSettings`; E_BOUND when no algorithm meets the request.
 */
export function* settingsInSteps(options: PlannedOptions = {}, promise?: AutoPromise): Steps<DetectorSettings> {
  const asked = askedOf(options, promise);
  return 'settings' in asked ? asked.settings : yield* plannedSettings(asked.planned);
}

/** As `settingsInSteps`, at once. */
export function planSettings(options: PlannedOptions = {}, promise?: AutoPromise): DetectorSettings {
  return runAtOnce(settingsInSteps(options, promise));
}
