// The entry `firstseen/plan`: which family, parameters and memory a stream needs.

import { planMeasured } from './plan/measured.js';
import type { PartitionedPlanOptions } from './plan/partitions.js';
import type { Plan } from './plan/plan.js';

export { type Family, families } from './detectors/descriptions.js';
export type { FingerprintName } from './fingerprint/fingerprint.js';
export { fingerprintKinds } from './fingerprint/kinds.js';
export type { PlanLimits } from './plan/limit.js';
export type { Limit } from './plan/moments.js';
export type { PartitionedPlanOptions as PlanOptions } from './plan/partitions.js';
export type { FamilyAdvice, MeasuredOn, Plan } from './plan/plan.js';
export type { Prediction, RateAtPosition, RateByGap, RateRange, RatesBySeed } from './plan/predict.js';
export { GapSample, type GapSampleOptions, type SampledStream, streamOfSample } from './plan/sample.js';
export type { StreamModel } from './plan/stream.js';
export { planText } from './plan/text.js';

/**
 * Recommends an algorithm and its parameters for a stream. A plan takes seconds, in which the event loop runs every few milliseconds. As
 * JSON, a plan has no functions and no resolved settings. For a `stream` of a `GapSample` the rates are measured: the candidates run over
 * the elements that the sample followed. Otherwise, and for partitions or a stream that is longer than the sample, they are computed.
 * @throws FirstseenError E_BOUND when no structure, or no algorithm, can meet the request; the message names the bound.
 * E_PARAMETER or E_MEMORY for malformed options.
 */
export async function plan(options: PartitionedPlanOptions = {}): Promise<Plan> {
  return planMeasured(options);
}
