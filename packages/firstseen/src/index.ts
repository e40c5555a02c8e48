// The library. It uses no `node:` module: it runs in Node, browsers, Deno and Bun. What few programs need has an entry of its own:
// near.ts, motifs.ts, plan.ts, partitions.ts and errors.ts.

export type { BytesSource } from './base/bytes.js';
export type { ClosedDescription } from './base/description.js';
export { type ErrorCode, FirstseenError } from './base/errors.js';
export type { Answer } from './claims/answer.js';
export type { AnswerStats } from './claims/answers.js';
export type { DeliveryContext } from './claims/attempt.js';
export type { Claim, ClaimAnswer, CommitOutcome } from './claims/claim.js';
export type { Claims } from './claims/claims.js';
export type { ClaimContext, ClaimStats } from './claims/context.js';
export type { HeldClaim } from './claims/held.js';
export { createClaims } from './claims/open.js';
export type { ClaimsOptions } from './claims/options.js';
export type { WaitContext } from './claims/wait.js';
export type { ClockName, ClockOptions } from './detectors/clock.js';
export type {
  FamilyParameter,
  Guarantee,
  LayoutName,
  ParameterValue,
  Window,
} from './detectors/contract.js';
export type { Detector, Verdict } from './detectors/detector.js';
export type { DetectorDescription, DetectorStats, StatsWithoutLoad } from './detectors/detectorstats.js';
export type { RateEstimate } from './detectors/intervals.js';
export type { Key } from './detectors/key.js';
export type { Overload, OverloadPolicy } from './detectors/ratewatch.js';
export type { DetectorOptions, DetectorSettings } from './detectors/settings.js';
export type { GapEstimate, WitnessStats } from './detectors/witness.js';
export type { FingerprintName } from './fingerprint/fingerprint.js';
export type { ExceptionCounts, RecordCounts, RunCounts } from './framing/counts.js';
export type { ModuleOptions } from './kernel/given.js';
export type { AlgorithmName, PlannedOptions } from './plan/auto.js';
export { createSync } from './plan/createsync.js';
export type { StreamHints } from './plan/goal.js';
export { type CreateOptions, create, type OverloadOptions, type TimedOptions } from './plan/keys.js';
export type { PoolOptions, WhenFull } from './pool/options.js';
export { createPool, type DetectorPool } from './pool/pool.js';
export type { PoolDescription, PoolStats } from './pool/poolstats.js';
export type { Equality, EqualityOptions, NormalForm } from './records/equality.js';
export { type KeyedRecord, type KeyOfOptions, keyOf } from './records/keyof.js';
export type { KeyScheme, KeySchemeFormat, KeySchemeOptions } from './records/keyscheme.js';
export type { EmptyKeyPolicy, KeyPolicyOptions, MissingKeyPolicy } from './records/policies.js';
export { type LoadOptions, load } from './snapshot/load.js';
export type { SnapshotInput, SnapshotStream } from './snapshot/readstream.js';
export { type Savable, save } from './snapshot/snapshots.js';
export { snapshotChunks } from './snapshot/streams.js';
export { type DedupBytesOptions, dedupBytes } from './streams/bytes.js';
export {
  type DedupOptions,
  type DedupStreamOptions,
  dedup,
  dedupStream,
  type KeyedDedupOptions,
  type KeyedDedupStreamOptions,
} from './streams/stream.js';
