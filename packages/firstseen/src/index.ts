// The library. It uses no `node:` module: it runs in Node, browsers, Deno and Bun.

import type { BytesSource } from './base/bytes.js';
import { checkOptions } from './base/check.js';
import { tell } from './base/diagnostics.js';
import { runInTurns } from './base/steps.js';
import { type ClockOptions, givenClock, withoutClock } from './detectors/clock.js';
import { Detector } from './detectors/detector.js';
import { homeAtOnce } from './detectors/home.js';
import { kernelAtHand } from './kernel/compile.js';
import { givenModule, type ModuleOptions, withoutModule } from './kernel/given.js';
import { NearDetector } from './near/detector.js';
import { type MotifLoadOptions, motifLoadOptionNames } from './near/load.js';
import { RangeMotifs } from './near/motifs.js';
import { type MotifOptions, resolveMotifSettings } from './near/motifsettings.js';
import { type NearOptions, nearInSteps } from './near/settings.js';
import { planner, planSettings } from './plan/autosettings.js';
import { type CreateOptions, keyedParts } from './plan/keys.js';
import { mostBytesOf } from './snapshot/load.js';
import { readSnapshot, type SnapshotStream } from './snapshot/streams.js';

export type { BytesSource } from './base/bytes.js';
export type { ClosedDescription } from './base/description.js';
export { type ErrorCode, errorCodes, FirstseenError } from './base/errors.js';
export type { DeliveryContext } from './claims/attempt.js';
export {
  type Claim,
  type ClaimAnswer,
  type ClaimStats,
  type Claims,
  type ClaimsOptions,
  type CommitOutcome,
  createClaims,
} from './claims/claims.js';
export type { ClockName, ClockOptions } from './detectors/clock.js';
export type {
  FamilyParameter,
  Guarantee,
  LayoutName,
  ParameterValue,
  Window,
} from './detectors/contract.js';
export { type Family, families } from './detectors/descriptions.js';
export type { Detector, Verdict } from './detectors/detector.js';
export type { DetectorDescription, DetectorStats } from './detectors/detectorstats.js';
export type { RateEstimate } from './detectors/intervals.js';
export type { Key } from './detectors/key.js';
export type { Overload, OverloadPolicy } from './detectors/ratewatch.js';
export type { DetectorOptions, DetectorSettings } from './detectors/settings.js';
export type { GapEstimate, WitnessStats } from './detectors/witness.js';
export { type FingerprintName, fingerprintKinds } from './fingerprint/fingerprint.js';
export type { ExceptionCounts, RecordCounts, RunCounts } from './framing/counts.js';
export type { ModuleOptions } from './kernel/given.js';
export type { NearAnswer, NearDetector } from './near/detector.js';
export { loadNear, type MotifLoadOptions, type NearLoadOptions } from './near/load.js';
export {
  agreement,
  falseNegativeBound,
  falsePositiveBound,
  generalFalsePositiveBound,
  type MotifDistances,
  noiseOpeningBound,
} from './near/motifbounds.js';
export { type MotifErrors, MotifTally, type SetErrors } from './near/motiferrors.js';
export type { MotifAnswers, MotifDescription, MotifStats, RangeMotifs } from './near/motifs.js';
export type { MotifOpening, MotifOptions, MotifSettings } from './near/motifsettings.js';
export type { NearDescription, NearStats } from './near/nearstats.js';
export { lshFamilies } from './near/registry.js';
export type { NearOptions, NearSettings } from './near/settings.js';
export type { AlgorithmName, PlannedOptions } from './plan/auto.js';
export type { StreamHints } from './plan/goal.js';
export { type CreateOptions, create, type OverloadOptions, type TimedOptions } from './plan/keys.js';
export type { PlanLimits } from './plan/limit.js';
export { planMeasured } from './plan/measured.js';
export type { Limit } from './plan/moments.js';
export { type PartitionedPlanOptions as PlanOptions, plan, planSync } from './plan/partitions.js';
export type { AutoChoice, FamilyAdvice, MeasuredOn, Plan } from './plan/plan.js';
export type { Prediction, RateAtPosition, RateByGap, RateRange, RatesBySeed } from './plan/predict.js';
export { GapSample, type GapSampleOptions, type SampledStream, streamOfSample } from './plan/sample.js';
export type { StreamModel } from './plan/stream.js';
export { planText } from './plan/text.js';
export {
  createPool,
  type DetectorPool,
  type PoolDescription,
  type PoolOptions,
  type PoolStats,
  type WhenFull,
} from './pool/pool.js';
export { type KeyedRecord, type KeyOfOptions, keyOf } from './records/keyof.js';
export type { KeyScheme, KeySchemeFormat, KeySchemeOptions } from './records/keyscheme.js';
export type { EmptyKeyPolicy, KeyPolicyOptions, MissingKeyPolicy } from './records/policies.js';
export { type LoadOptions, load } from './snapshot/load.js';
export { merge, repartition, split } from './snapshot/partitions.js';
export { type Savable, save } from './snapshot/snapshots.js';
export { loadFrom, type SnapshotStream, saveTo, snapshotChunks } from './snapshot/streams.js';
export { type DedupBytesOptions, dedupBytes } from './streams/bytes.js';
export {
  type DedupOptions,
  type DedupStreamOptions,
  dedup,
  dedupStream,
  type KeyedDedupOptions,
  type KeyedDedupStreamOptions,
} from './streams/stream.js';

/**
 * As `create`, at once: with `module`, after the first `create`, and in Node from version 20.16 on. A plan is made at once, which may
 * take seconds.
 * @throws FirstseenError as `create`; E_COMPILE where the kernel is not compiled yet and can only be compiled asynchronously.
 */
export function createSync(options: CreateOptions = {}): Detector {
  const { own, promise, scheme } = keyedParts(options);
  const settings = { ...planSettings(own, promise), ...scheme };
  const { module = kernelAtHand() } = givenModule(options);
  const detector = Detector.inHome(settings, homeAtOnce(settings, module), givenClock(options));
  if (options.onOverload !== undefined) planner.watchRate(detector, own, options.onOverload);
  tell('create', () => ({ detector }));
  return detector;
}

/**
 * Creates an empty detector of near-duplicate documents (docs/NEAR.md).
 * @throws FirstseenError E_PARAMETER, E_ALGORITHM, E_MEMORY or E_BOUND when the request is impossible; the message says which
 * bound it breaks.
 */
export async function createNear(options: NearOptions & ModuleOptions & ClockOptions = {}): Promise<NearDetector> {
  const settings = await runInTurns(nearInSteps(withoutClock(withoutModule(options))));
  return NearDetector.ofSettings(settings, { ...givenModule(options), ...givenClock(options) });
}

/**
 * Creates sets of records of one length that differ in few bits. No set is open yet (docs/MOTIFS.md).
 * @throws FirstseenError E_PARAMETER naming what is outside its range; E_MEMORY when the arrays are larger than what WebAssembly
 * can address or the machine grants.
 */
export async function createMotifs(options: MotifOptions & ModuleOptions): Promise<RangeMotifs> {
  const settings = resolveMotifSettings(withoutModule(options));
  return RangeMotifs.ofSettings(settings, givenModule(options));
}

/**
 * The range motifs of a snapshot, in memory or from a stream, which `save` or `saveTo` wrote.
 * @throws FirstseenError E_SNAPSHOT when it is not a complete, intact snapshot of range motifs; E_MEMORY when their arrays take more
 * than `maxMemory`.
 */
export async function loadMotifs(
  snapshot: BytesSource | SnapshotStream,
  options: MotifLoadOptions = {},
): Promise<RangeMotifs> {
  const mostBytes = mostBytesOf(checkOptions(options, motifLoadOptionNames).maxMemory);
  const kernel = givenModule(options);
  return readSnapshot(snapshot, (source) => RangeMotifs.read(source, mostBytes, kernel));
}
