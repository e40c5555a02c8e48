// The plan of a detector of P partitions: the plan of one partition for its share of the stream, with numbers for the whole.

import { checkCount, checkOptions, type OptionNames } from '../base/check.js';
import { defined } from '../base/defined.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { Steps } from '../base/steps.js';
import { checkPartitionCount, elementsWithin } from '../detectors/partitions.js';
import { adviceOfAll, memoryOfAll, optionsOfPartition, partitionStream } from './advise.js';
import type { Taken } from './choice.js';
import { type PartitionedPlanOptions, streamOf } from './goal.js';
import { FINE, gridInSteps } from './grid.js';
import { type FamilyAdvice, type Plan, planUndivided } from './plan.js';
import { type Prediction, predictionInSteps } from './predict.js';
import { familyPlans } from './registry.js';
import type { StreamModel } from './stream.js';
import { memoryTaken, takenIn } from './taken.js';

export type { PartitionedPlanOptions } from './goal.js';

export const planOptionNames: OptionNames<PartitionedPlanOptions> = {
  partitions: true,
  memory: true,
  minMemoryBytes: true,
  fpr: true,
  layout: true,
  windowSlack: true,
  windowMilliseconds: true,
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
  const { byGap, overTime, capacityElements, lateDuplicateRate } = advice.prediction;
  const most = capacityElements === undefined ? undefined : count * elementsWithin(capacityElements);
  const distinct = stream.distinctIn(stream.lengthElements);
  return {
    fpr: mean(({ fpr }) => fpr),
    fnr: mean(({ fnr }) => fnr),
    ...(lateDuplicateRate === undefined ? {} : { lateDuplicateRate: mean((one) => one.lateDuplicateRate ?? 0) }),
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

/** The options of a plan with the memory that a run takes by itself, if it is not given and is known. */
export function* sizedOptions(asked: PartitionedPlanOptions): Steps<PartitionedPlanOptions> {
  const options = defined(checkOptions(asked, planOptionNames));
  checkDuration(options);
  return { ...options, ...defined({ memory: options.memory ?? (yield* memoryTaken(options)) }) };
}

/** @throws FirstseenError E_PARAMETER for a duration without the elements that come in it. */
function checkDuration({ windowMilliseconds, windowElements }: PartitionedPlanOptions): void {
  if (windowMilliseconds === undefined) return;
  checkCount('windowMilliseconds', windowMilliseconds);
  if (windowElements !== undefined) return;
  throw new FirstseenError(
    'E_PARAMETER',
    phrase`${optionName('windowMilliseconds')} requires ${optionName('windowElements')}`,
    {
      option: 'windowMilliseconds',
      given: windowMilliseconds,
      remedy: phrase`give ${optionName('windowElements')}, the elements that come in the window`,
    },
  );
}

/** The algorithm that a run takes by itself in the memory of a plan. */
export function* takenFor(options: PartitionedPlanOptions): Steps<Taken | undefined> {
  return options.memory === undefined ? undefined : yield* takenIn(options, options.memory);
}

/** As `plan`, in steps. */
export function* planInSteps(asked: PartitionedPlanOptions = {}): Steps<Plan> {
  const options = yield* sizedOptions(asked);
  return yield* planOfAll(options, yield* takenFor(options));
}

function* planOfAll({ partitions = 1, ...options }: PartitionedPlanOptions, runChoice: Taken | undefined): Steps<Plan> {
  const count = checkPartitionCount(partitions);
  if (count === 1) return yield* planUndivided(options, runChoice);
  const one = yield* planUndivided(optionsOfPartition(options, count), runChoice);
  const stream = streamOf(options);
  const memoryBytes = memoryOfAll(options, one.memoryBytes, count);
  const all: FamilyAdvice[] = [];
  for (const advice of one.families) {
    const isTaken = runChoice !== undefined && advice === one.recommended;
    const prediction = yield* predictionOfAll(
      isTaken ? { ...advice, settings: runChoice.settings } : advice,
      stream,
      count,
    );
    const whole = adviceOfAll(advice, count, memoryBytes);
    all.push({ ...whole, ...(isTaken ? { settings: runChoice.runSettings } : {}), prediction });
  }
  const ofAll = (advice: FamilyAdvice) => all[one.families.indexOf(advice)] as FamilyAdvice;
  return {
    ...one,
    memoryBytes,
    stream,
    ...(options.windowElements === undefined ? {} : { windowElements: options.windowElements }),
    families: all,
    recommended: ofAll(one.recommended),
    fewestErrors: ofAll(one.fewestErrors),
    maxRememberedElements: one.maxRememberedElements * count,
  };
}
