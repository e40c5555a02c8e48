// The library. It uses no `node:` module: it runs in Node, browsers, Deno and Bun.

import { Detector } from './detectors/detector.js';
import type { DetectorOptions } from './detectors/settings.js';

export { type DedupOptions, dedup, dedupStream } from './dedup/stream.js';
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
export type { Detector, DetectorStats, Key, Verdict } from './detectors/detector.js';
export type { RateEstimate } from './detectors/intervals.js';
export { families } from './detectors/registry.js';
export type { DetectorOptions, DetectorSettings } from './detectors/settings.js';
export type { GapEstimate, WitnessStats } from './detectors/witness.js';
export { type ErrorCode, errorCodes, FirstseenError } from './errors.js';
export { type FingerprintName, fingerprintKinds } from './fingerprint/fingerprint.js';
export { load, save } from './state/codec.js';

/**
 * An empty detector.
 * @throws FirstseenError E_ALGORITHM, E_PARAMETER or E_MEMORY when the request is impossible; the message says which
 * bound it breaks.
 */
export function create(options: DetectorOptions = {}): Promise<Detector> {
  return Detector.create(options);
}
