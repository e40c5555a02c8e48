// What the page and its worker say to each other.

import type { AlgorithmName, RateEstimate } from 'firstseen';

export type StreamName = 'uniform' | 'skewed' | 'bursts' | 'file';

/** The structures that have the same memory. */
export const contenders = ['detector', 'bloom', 'cache'] as const;
export type Contender = (typeof contenders)[number];

/** Everything that decides the numbers of a trial, but the lines of a file. */
export interface TrialSettings {
  stream: StreamName;
  /** Different keys of a uniform or a skewed stream; of bursts, the keys whose bursts go on at the same time. */
  keys: number;
  memoryBytes: number;
  algorithm: AlgorithmName;
  /** The target rate of false positives. */
  fpr: number;
  seed: number;
  /** Records after which the trial ends; undefined if it goes on. */
  records?: number | undefined;
}

export interface ErrorCounts {
  falsePositives: number;
  falseNegatives: number;
}

/** The rates of the detector that its witness estimates. */
export interface WitnessRates {
  falsePositiveRate: RateEstimate;
  falseNegativeRate: RateEstimate;
  /** Keys that it follows, and their share of all keys. */
  keys: number;
  share: number;
}

/** The records and errors of a trial so far. */
export interface Progress {
  records: number;
  /** Records whose key had not come before, by the exact set. */
  distinct: number;
  /** Bytes of the exact set. */
  exactBytes: number;
  errors: Readonly<Record<Contender, ErrorCounts>>;
  witness: WitnessRates;
}

/** A rate of false positives, with the least rate of false negatives that any structure of the same size can have with it. */
export interface LimitPoint {
  fpr: number;
  fnr: number;
}

/** The structures of a trial, in words. */
export interface TrialDescription {
  algorithm: string;
  parameters: string;
  bloomHashes: number;
  cacheEntries: number;
}

/** Why a trial ended. */
export type Ending = 'records' | 'file' | 'exact set';

export interface OfferedFamily {
  name: string;
  title: string;
}

export type Request =
  | { kind: 'start'; trial: number; settings: TrialSettings; file?: File | undefined }
  | { kind: 'run'; isRunning: boolean }
  | { kind: 'pace'; recordsPerSecond: number };

export type Report =
  | { kind: 'ready'; families: readonly OfferedFamily[]; automatic: string }
  | { kind: 'started'; trial: number; description: TrialDescription }
  | { kind: 'progress'; trial: number; progress: Progress }
  | { kind: 'limit'; trial: number; limit: readonly LimitPoint[] }
  | { kind: 'ended'; trial: number; ending: Ending }
  | { kind: 'problem'; trial: number; message: string };
