// What a run takes by itself with the options of a plan, and the memory in which it does.

import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import type { Steps } from '../base/steps.js';
import { windowOfPartition } from '../detectors/partitions.js';
import { type DetectorSettings, resolveSettings } from '../detectors/settings.js';
import { DEFAULT_MEMORY_BYTES } from '../options/detector.js';
import { advise, settingsOfPartition } from './advise.js';
import { settingsInSteps } from './autosettings.js';
import { setParameters, type Taken } from './choice.js';
import type { PartitionedPlanOptions } from './goal.js';
import { familyPlans } from './registry.js';
import { MAX_SIZED_BYTES, MIN_SIZED_BYTES } from './size.js';

/** Finds what a task returns; undefined where the request is refused. */
function* unlessRefused<T>(task: Steps<T>): Steps<T | undefined> {
  try {
    return yield* task;
  } catch (error) {
    if (error instanceof FirstseenError) return undefined;
    throw error;
  }
}

/** The settings of a run with the same options; undefined where it takes nothing by itself. */
function* runSettingsIn(options: PartitionedPlanOptions, memory: number | string): Steps<DetectorSettings | undefined> {
  const { windowElements, windowMilliseconds, stream, minMemoryBytes: _least, ...others } = options;
  const window = windowMilliseconds === undefined ? windowElements : `${windowMilliseconds}ms`;
  if (window === undefined) {
    return stream === undefined ? yield* unlessRefused(settingsInSteps({ ...others, memory })) : undefined;
  }
  // A run with a window has no use for what is known of the stream.
  const { fpr, windowSlack, layout, partitions } = others;
  return yield* unlessRefused(settingsInSteps(defined({ fpr, windowSlack, layout, partitions, memory, window })));
}

/**
 * The settings of one partition, with a window of elements in place of one that is a duration.
 * @throws FirstseenError E_PARAMETER where the memory does not hold so many elements.
 */
function* settingsInElements(
  settings: DetectorSettings,
  windowElements: number | undefined,
  count: number,
): Steps<DetectorSettings> {
  yield;
  const part = settingsOfPartition(settings);
  if (windowElements === undefined || !settings.parameters.isTimed) return part;
  const { W: _elements, t: _time, ...parameters } = setParameters(part);
  const window = windowOfPartition({ elements: windowElements }, count);
  const { family, layout, memoryBytes } = part;
  return resolveSettings({
    ...{ algorithm: family.name, layout, parameters, memory: memoryBytes },
    ...('elements' in window ? { window: window.elements } : {}),
  });
}

/** Returns what a run takes in a memory; undefined where it takes nothing by itself, or cannot keep the window. */
export function* takenIn(options: PartitionedPlanOptions, memory: number | string): Steps<Taken | undefined> {
  const runSettings = yield* runSettingsIn(options, memory);
  const family = familyPlans.find(({ name }) => name === runSettings?.family.name);
  if (!runSettings || !family) return undefined;
  const { windowElements, partitions = 1 } = options;
  const settings = yield* unlessRefused(settingsInElements(runSettings, windowElements, partitions));
  const capacity = settings?.parameters.values.n;
  const isRefusing =
    windowElements !== undefined && typeof capacity === 'number' && capacity * partitions < windowElements;
  if (settings === undefined || isRefusing) return undefined;
  const candidate = { layout: runSettings.layout, parameters: setParameters(settings) };
  return { family, candidate, settings, runSettings };
}

/** The least power of two in which a run keeps the window. */
function* memoryForWindow(options: PartitionedPlanOptions): Steps<number | undefined> {
  const least = options.minMemoryBytes ?? MIN_SIZED_BYTES;
  for (let memory = least; memory <= MAX_SIZED_BYTES; memory *= 2) {
    if (yield* takenIn(options, memory)) return memory;
  }
  return undefined;
}

/** The memory that a run takes by itself with the same options; undefined where that is not known. */
export function* memoryTaken(options: PartitionedPlanOptions): Steps<number | undefined> {
  const { memory, windowElements, stream, windowMilliseconds: _time, windowSlack: _slack, ...hints } = options;
  if (memory !== undefined) return undefined;
  if (windowElements !== undefined) return yield* memoryForWindow(options);
  const { distinctElements, lengthElements, gapsElements } = hints;
  const isKnown = [distinctElements, lengthElements, gapsElements].some((hint) => hint !== undefined);
  if (stream !== undefined) return undefined;
  if (!isKnown) return DEFAULT_MEMORY_BYTES;
  return (yield* unlessRefused(advise(hints, 'every stream')))?.settings.memoryBytes;
}
