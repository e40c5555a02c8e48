// The plan of a detector of P partitions: the plan of one partition for its share of the stream, with numbers for the whole.

import { checkBytes, checkOptions, type OptionNames } from '../base/check.js';
import { defined } from '../base/defined.js';
import { runAtOnce, runInTurns, type Steps } from '../base/steps.js';
import { checkPartitionCount, elementsWithin, windowOfPartition } from '../detectors/partitions.js';
import {
  DEFAULT_MEMORY_BYTES,
  type DetectorSettings,
  memoryBytesOfPartition,
  resolveSettings,
} from '../detectors/settings.js';
import { checkLeastMemory, type PlanOptions, streamOf } from './goal.js';
import { FINE, gridInSteps } from './grid.js';
import { withJson } from './json.js';
import type { Moment } from './moments.js';
import { adviseUndivided, type FamilyAdvice, type Plan, planUndivided } from './plan.js';
import { type Prediction, predictionInSteps } from './predict.js';
import { familyPlans } from './registry.js';
import type { StreamModel } from './stream.js';

/** What a plan is for: what is known of the stream, and what is asked of the detector. All are optional. */
export interface PartitionedPlanOptions extends PlanOptions {
  /** Partitions of the detector; 1 by default. */
  partitions?: number | undefined;
}

export const planOptionNames: OptionNames<PartitionedPlanOptions> = {
  partitions: true,
  memory: true,
  leastMemoryBytes: true,
  fpr: true,
  layout: true,
  windowSlack: true,
  lengthElements: true,
  distinctElements: true,
  windowElements: true,
  gapsElements: true,
  stream: true,
};

/**
 * Nodes and weights that integrate over a normal distribution: partitions with fewer and with more elements than the mean
 * (Gauss-Hermite quadrature with three nodes).
 */
const nodes = [
  { deviations: -Math.sqrt(3), weight: 1 / 6 },
  { deviations: 0, weight: 2 / 3 },
  { deviations: Math.sqrt(3), weight: 1 / 6 },
];

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
function optionsOfPartition(options: PlanOptions, count: number): PlanOptions {
  const {
    memory,
    leastMemoryBytes: _l,
    windowElements,
    lengthElements,
    distinctElements,
    gapsElements,
    stream,
    ...rest
  } = options;
  const leastMemoryBytes = checkLeastMemory(options);
  const hints = [windowElements, lengthElements, distinctElements, gapsElements, stream];
  const isBounded = hints.some((hint) => hint !== undefined);
  const memoryBytes = memory ?? (isBounded ? undefined : DEFAULT_MEMORY_BYTES);
  const window = windowElements === undefined ? undefined : windowOfPartition({ elements: windowElements }, count);
  return {
    ...rest,
    stream: partitionStream(streamOf(options), count),
    ...(memoryBytes === undefined ? {} : { memory: Math.floor(checkBytes('memory', memoryBytes) / count) }),
    ...(leastMemoryBytes === undefined ? {} : { leastMemoryBytes: Math.floor(leastMemoryBytes / count) }),
    ...(window && 'elements' in window ? { windowElements: window.elements } : {}),
  };
}

/** The mean of the predictions of smaller, mean and larger partitions, with positions and gaps of the whole stream. */
function* predictionOfAll(advice: FamilyAdvice, stream: StreamModel, count: number): Steps<Prediction> {
  const family = familyPlans.find(({ name }) => name === advice.algorithm);
  if (!family) throw new Error(`${advice.algorithm} has no plan`);
  const predictions: { weight: number; prediction: Prediction }[] = [];
  for (const { deviations, weight } of nodes) {
    const grid = yield* gridInSteps(partitionStream(stream, count, deviations), FINE);
    predictions.push({ weight, prediction: yield* predictionInSteps(family.course(advice.settings, grid), grid) });
  }
  const mean = (rate: (prediction: Prediction) => number) =>
    predictions.reduce((sum, { weight, prediction }) => sum + weight * rate(prediction), 0);
  const { byGap, overTime, capacityElements } = advice.prediction;
  const most = capacityElements === undefined ? undefined : count * elementsWithin(capacityElements);
  const distinct = stream.distinctIn(stream.lengthElements);
  return {
    fpr: mean(({ fpr }) => fpr),
    fnr: mean(({ fnr }) => fnr),
    load: mean(({ load }) => load),
    byGap: byGap.map((rate) => ({
      ...rate,
      fromElements: rate.fromElements * count,
      toElements: rate.toElements * count,
    })),
    overTime: overTime.map((rate) => ({ ...rate, positionElements: rate.positionElements * count })),
    ...(most === undefined ? {} : { capacityElements: most }),
    ...(most === undefined || most >= distinct ? {} : { refusesAfterElements: most }),
  };
}

/** The advice on one partition as advice on the detector. */
function adviceOfAll(advice: FamilyAdvice, count: number, memoryBytes: number): FamilyAdvice {
  const { algorithm, layout, parameters } = advice;
  return {
    ...advice,
    settings: resolveSettings({ algorithm, layout, parameters, memory: memoryBytes, partitions: count }),
    stateBytes: advice.stateBytes * count,
  };
}

/**
 * Recommends an algorithm and its parameters for a stream, and the number of partitions. A plan takes seconds, in which the event
 * loop runs every few milliseconds. As JSON, a plan has no functions and no resolved settings.
 * @throws FirstseenError E_BOUND when no structure, or no algorithm, can meet the request; the message names the bound.
 * E_PARAMETER or E_MEMORY for malformed options.
 */
export async function plan(asked: PartitionedPlanOptions = {}): Promise<Plan> {
  return withJson(await runInTurns(planInSteps(asked)));
}

/**
 * As `plan`, at once: nothing else in the thread runs for seconds.
 * @throws FirstseenError as `plan`.
 */
export function planSync(asked: PartitionedPlanOptions = {}): Plan {
  return withJson(runAtOnce(planInSteps(asked)));
}

/** As `plan`, in steps. */
export function* planInSteps(asked: PartitionedPlanOptions = {}): Steps<Plan> {
  const { partitions = 1, ...options } = defined(checkOptions(asked, planOptionNames));
  const count = checkPartitionCount(partitions);
  if (count === 1) return yield* planUndivided(options);
  const one = yield* planUndivided(optionsOfPartition(options, count));
  const stream = streamOf(options);
  const memoryBytes = memoryOfAll(options, one.memoryBytes, count);
  const all: FamilyAdvice[] = [];
  for (const advice of one.families) {
    const prediction = yield* predictionOfAll(advice, stream, count);
    all.push({ ...adviceOfAll(advice, count, memoryBytes), prediction });
  }
  return {
    ...one,
    memoryBytes,
    stream,
    ...(options.windowElements === undefined ? {} : { windowElements: options.windowElements }),
    families: all,
    recommended: all[one.families.indexOf(one.recommended)] as FamilyAdvice,
    mostRememberedElements: one.mostRememberedElements * count,
  };
}

/** The bytes that were given, or those that suffice for one partition, for each. */
function memoryOfAll({ memory }: PlanOptions, ownBytes: number, count: number): number {
  return memory === undefined ? ownBytes * count : checkBytes('memory', memory);
}

/** Only the recommendation of `plan`. */
export function* advise({ partitions = 1, ...options }: PartitionedPlanOptions = {}): Steps<FamilyAdvice> {
  const count = checkPartitionCount(partitions);
  if (count === 1) return yield* adviseUndivided(options);
  const advice = yield* adviseUndivided(optionsOfPartition(options, count));
  return adviceOfAll(advice, count, memoryOfAll(options, advice.settings.memoryBytes, count));
}
