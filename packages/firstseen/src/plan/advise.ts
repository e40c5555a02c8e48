// The choice of `auto`, for a detector of any number of partitions: the plan of one partition for its share of the stream, with numbers
// for the whole.

import { checkBytes } from '../base/check.js';
import type { Steps } from '../base/steps.js';
import { checkPartitionCount, windowOfPartition } from '../detectors/partitions.js';
import { type DetectorSettings, memoryBytesOfPartition, resolveSettings } from '../detectors/settings.js';
import { DEFAULT_MEMORY_BYTES } from '../options/detector.js';
import type { RatedAdvice } from './choice.js';
import type { AutoPromise } from './contract.js';
import { checkLeastMemory, type PartitionedPlanOptions, type PlanOptions, streamOf } from './goal.js';
import type { Moment } from './moments.js';
import { adviseUndivided } from './plan.js';
import type { StreamModel } from './stream.js';

/**
 * The stream of one partition of `count`. Its distinct elements are a binomial number of those of the stream: `deviations` is how
 * many standard deviations they are above the mean.
 */
export function partitionStream(stream: StreamModel, count: number, deviations = 0): StreamModel {
  const distinct = stream.distinctIn(stream.lengthElements) / count;
  const share = Math.max(1 / distinct, 1 + deviations / Math.sqrt(distinct)) / count;
  const { universeElements, novelty, ideal, knownElements } = stream;
  const part = (moments: readonly Moment[]) =>
    moments.map((moment) => ({ ...moment, elements: moment.elements.map((elements) => elements * share) }));
  return {
    description: stream.description,
    lengthElements: stream.lengthElements * share,
    fresh: (gap) => stream.fresh(gap / share),
    distinctIn: (span) => stream.distinctIn(span / share) * share,
    ...(universeElements === undefined ? {} : { universeElements: universeElements * share }),
    ...(novelty === undefined
      ? {}
      : {
          novelty: {
            shareAt: (position: number) => novelty.shareAt(position / share),
            before: (position: number) => novelty.before(position / share) * share,
          },
        }),
    ...(ideal === undefined ? {} : { ideal: { recency: part(ideal.recency), frequency: part(ideal.frequency) } }),
    ...(knownElements === undefined ? {} : { knownElements: knownElements * share }),
  };
}

/** The settings of one partition, as a detector without partitions has them. */
export function settingsOfPartition(settings: DetectorSettings): DetectorSettings {
  const { partitions, ...own } = settings;
  return { ...own, memoryBytes: memoryBytesOfPartition(settings) };
}

/** The options of the plan of one partition. */
export function optionsOfPartition(options: PlanOptions, count: number): PlanOptions {
  const {
    memory,
    minMemoryBytes: _l,
    windowElements,
    lengthElements,
    distinctElements,
    gapsElements,
    stream,
    ...partOptions
  } = options;
  const minMemoryBytes = checkLeastMemory(options);
  const hints = [windowElements, lengthElements, distinctElements, gapsElements, stream];
  const isBounded = hints.some((hint) => hint !== undefined);
  const memoryBytes = memory ?? (isBounded ? undefined : DEFAULT_MEMORY_BYTES);
  const window = windowElements === undefined ? undefined : windowOfPartition({ elements: windowElements }, count);
  return {
    ...partOptions,
    stream: partitionStream(streamOf(options), count),
    ...(memoryBytes === undefined ? {} : { memory: Math.floor(checkBytes('memory', memoryBytes) / count) }),
    ...(minMemoryBytes === undefined ? {} : { minMemoryBytes: Math.floor(minMemoryBytes / count) }),
    ...(window && 'elements' in window ? { windowElements: window.elements } : {}),
  };
}

/** The advice on one partition as advice on the detector. */
export function adviceOfAll<Advice extends RatedAdvice>(advice: Advice, count: number, memoryBytes: number): Advice {
  const { algorithm, layout, parameters } = advice;
  return {
    ...advice,
    settings: resolveSettings({ algorithm, layout, parameters, memory: memoryBytes, partitions: count }),
    stateBytes: advice.stateBytes * count,
  };
}

/** The bytes that were given, or those that suffice for one partition, for each. */
export function memoryOfAll({ memory }: PlanOptions, ownBytes: number, count: number): number {
  return memory === undefined ? ownBytes * count : checkBytes('memory', memory);
}

/** Finds the choice of `auto`. @throws FirstseenError E_BOUND when none of what it tries meets the request. */
export function* advise(
  { partitions = 1, ...options }: PartitionedPlanOptions,
  promise: AutoPromise,
): Steps<RatedAdvice> {
  const count = checkPartitionCount(partitions);
  if (count === 1) return yield* adviseUndivided(options, promise);
  const advice = yield* adviseUndivided(optionsOfPartition(options, count), promise);
  return adviceOfAll(advice, count, memoryOfAll(options, advice.settings.memoryBytes, count));
}
