// The plan of a detector of P partitions: the plan of one partition for its share of the stream, with numbers for the whole.

import { checkOptions, type OptionNames } from '../base/check.js';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import type { Steps } from '../base/steps.js';
import { checkPartitionCount, elementsWithin } from '../detectors/partitions.js';
import { type DetectorSettings, ownParameters } from '../detectors/settings.js';
import { adviceOfAll, memoryOfAll, optionsOfPartition, partitionStream, settingsOfPartition } from './advise.js';
import { settingsInSteps } from './autosettings.js';
import { type PartitionedPlanOptions, streamOf } from './goal.js';
import { FINE, gridInSteps } from './grid.js';
import { type FamilyAdvice, type Plan, planUndivided } from './plan.js';
import { type Prediction, predictionInSteps, ratesInSteps } from './predict.js';
import { familyPlans } from './registry.js';
import type { StreamModel } from './stream.js';

export type { PartitionedPlanOptions } from './goal.js';

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

/** The settings that `auto` takes; undefined where it takes nothing. */
function* settingsOfAuto(options: PartitionedPlanOptions, memory: number): Steps<DetectorSettings | undefined> {
  const { leastMemoryBytes: _least, stream: _stream, windowElements: window, ...others } = options;
  try {
    return yield* settingsInSteps({ ...others, memory, ...defined({ window }) });
  } catch (error) {
    if (error instanceof FirstseenError) return undefined;
    throw error;
  }
}

/** Finds the choice of `auto` for the stream of a plan. */
function* autoOf(options: PartitionedPlanOptions, memoryBytes: number): Steps<Pick<Plan, 'auto'>> {
  const settings = options.stream === undefined ? yield* settingsOfAuto(options, memoryBytes) : undefined;
  const family = familyPlans.find(({ name }) => name === settings?.family.name);
  if (!settings || !family) return {};
  const stream = streamOf(options);
  const count = settings.partitions?.count ?? 1;
  const grid = yield* gridInSteps(count === 1 ? stream : partitionStream(stream, count), FINE);
  const { fpr, fnr } = yield* ratesInSteps(family.course(settingsOfPartition(settings), grid), grid);
  const { layout } = settings;
  return { auto: { algorithm: family.name, layout, parameters: ownParameters(settings), fpr, fnr } };
}

/** As `plan`, in steps. */
export function* planInSteps(asked: PartitionedPlanOptions = {}): Steps<Plan> {
  const options = defined(checkOptions(asked, planOptionNames));
  const found = yield* planOfAll(options);
  return { ...found, ...(yield* autoOf(options, found.memoryBytes)) };
}

function* planOfAll({ partitions = 1, ...options }: PartitionedPlanOptions): Steps<Plan> {
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
