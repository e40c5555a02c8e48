// The library. It uses no `node:` module: it runs in Node, browsers, Deno and Bun.

import { checkOptions } from './check.js';
import { Detector } from './detectors/detector.js';
import { NearDetector } from './near/detector.js';
import { RangeMotifs } from './near/motifs.js';
import type { MotifOptions } from './near/motifsettings.js';
import type { NearOptions } from './near/settings.js';
import { type CreateOptions, settingsWithKeys } from './plan/keys.js';
import { type LoadOptions, mostBytesOf } from './state/snapshots.js';
import { readSnapshot, type SnapshotStream } from './state/streams.js';

export {
  type Claim,
  type ClaimAnswer,
  type ClaimStats,
  type Claims,
  type ClaimsOptions,
  type CommitOutcome,
  createClaims,
} from './detectors/claims.js';
export type {
  Family,
  FamilyParameter,
  Guarantee,
  LayoutName,
  ParameterValue,
  Window,
} from './detectors/contract.js';
export type { Detector, Verdict } from './detectors/detector.js';
export type { DetectorStats } from './detectors/detectorstats.js';
export type { RateEstimate } from './detectors/intervals.js';
export type { Key } from './detectors/key.js';
export { families } from './detectors/registry.js';
export type { DetectorOptions, DetectorSettings } from './detectors/settings.js';
export type { GapEstimate, WitnessStats } from './detectors/witness.js';
export { type ErrorCode, errorCodes, FirstseenError } from './errors.js';
export { type FingerprintName, fingerprintKinds } from './fingerprint/fingerprint.js';
export type { NearAnswer, NearDetector, NearStats } from './near/detector.js';
export { loadNear } from './near/load.js';
export {
  agreement,
  falseNegativeBound,
  falsePositiveBound,
  generalFalsePositiveBound,
  type MotifDistances,
  noiseOpeningBound,
} from './near/motifbounds.js';
export { type MotifErrors, MotifTally, type SetErrors } from './near/motiferrors.js';
export type { MotifAnswers, MotifStats, RangeMotifs } from './near/motifs.js';
export type { MotifOpening, MotifOptions, MotifSettings } from './near/motifsettings.js';
export { lshFamilies } from './near/registry.js';
export type { NearOptions, NearSettings } from './near/settings.js';
export type { AlgorithmName, PlannedOptions } from './plan/auto.js';
export type { StreamHints } from './plan/goal.js';
export type { CreateOptions } from './plan/keys.js';
export type { Limit } from './plan/limit.js';
export { planMeasured } from './plan/measured.js';
export { type PartitionedPlanOptions as PlanOptions, plan } from './plan/partitions.js';
export type { FamilyAdvice, MeasuredOn, Plan } from './plan/plan.js';
export type { Prediction, RateAtPosition, RateByGap } from './plan/predict.js';
export { GapSample, type GapSampleOptions, type SampledStream, streamOfSample } from './plan/sample.js';
export type { StreamModel } from './plan/stream.js';
export { planText } from './plan/text.js';
export { type KeyedRecord, type KeyOfOptions, keyOf } from './records/keyof.js';
export type { KeyScheme, KeySchemeFormat, KeySchemeOptions } from './records/keyscheme.js';
export { merge, repartition, split } from './state/partitions.js';
export { type LoadOptions, load, type Savable, save } from './state/snapshots.js';
export { loadFrom, type SnapshotStream, saveTo, snapshotChunks } from './state/streams.js';
export { type DedupOptions, dedup, dedupStream, type KeyedDedupOptions } from './streams/stream.js';

/**
 * Creates an empty detector; with the algorithm `auto`, the one that is planned from the other options.
 * @throws FirstseenError E_ALGORITHM, E_PARAMETER, E_MEMORY or E_BOUND when the request is impossible; the message says which
 * bound it breaks.
 */
export async function create(options: CreateOptions = {}): Promise<Detector> {
  return Detector.ofSettings(settingsWithKeys(options));
}

/**
 * Creates an empty detector of near-duplicate documents (docs/NEAR.md).
 * @throws FirstseenError E_PARAMETER, E_ALGORITHM, E_MEMORY or E_BOUND when the request is impossible; the message says which
 * bound it breaks.
 */
export async function createNear(options: NearOptions = {}): Promise<NearDetector> {
  return NearDetector.create(options);
}

/**
 * Creates sets of records of one length that differ in few bits. No set is open yet (docs/MOTIFS.md).
 * @throws FirstseenError E_PARAMETER naming what is outside its range; E_MEMORY when the arrays are larger than what WebAssembly
 * can address or the machine grants.
 */
export async function createMotifs(options: MotifOptions): Promise<RangeMotifs> {
  return RangeMotifs.create(options);
}

/**
 * The range motifs of a snapshot, in memory or from a stream, which `save` or `saveTo` wrote.
 * @throws FirstseenError E_SNAPSHOT when it is not a complete, intact snapshot of range motifs; E_MEMORY when their arrays take more
 * than `maxMemory`.
 */
export async function loadMotifs(
  snapshot: Uint8Array | SnapshotStream,
  options: Pick<LoadOptions, 'maxMemory'> = {},
): Promise<RangeMotifs> {
  const mostBytes = mostBytesOf(checkOptions(options, { maxMemory: true }).maxMemory);
  return readSnapshot(snapshot, (source) => RangeMotifs.read(source, mostBytes));
}
