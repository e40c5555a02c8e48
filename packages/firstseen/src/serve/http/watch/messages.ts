// What the page is told each second. The page imports these types, so this file imports nothing that a browser does not have.

import type { PointsOfTime } from '../../history/points.js';

export type { Measure, PointsOfTime, SpanName } from '../../history/points.js';

/** A detector in the list. */
export interface ListedDetector {
  name: string;
  algorithm: string;
  memoryBytes: number;
  /** Records observed, and those of them that were reported duplicate. */
  observed: number;
  duplicates: number;
  /** Null before the first second. */
  recordsPerSecond: number | null;
  duplicatesPerSecond: number | null;
  /** Distinct elements as a share of those that it was made for; null if their number is not limited. */
  fullness: number | null;
  /** Claims that are held; null if the detector was not made for claims. */
  pending: number | null;
}

/** The names by which the list is sorted. */
export const sortings = [
  'name',
  'algorithm',
  'memory',
  'observed',
  'duplicates',
  'rate',
  'fullness',
  'pending',
] as const;
export type Sorting = (typeof sortings)[number];

/** A rate that a witness measured. */
export interface MeasuredRate {
  /** Null while nothing is known. */
  estimate: number | null;
  low: number;
  high: number;
}

/** How often repeats are missed: never, never within the window, or as the stream decides. */
export type PlannedMisses = 'never' | 'window' | 'stream';

/** The rates of errors that a detector was made for. */
export interface PlannedRates {
  /** Null if none was asked for, and the rate grows with what comes. */
  falsePositiveRate: number | null;
  falseNegatives: PlannedMisses;
}

/** One detector in detail. */
export interface DetailedDetector extends ListedDetector {
  layout: string;
  fingerprint: string;
  isKeyed: boolean;
  parameters: Readonly<Record<string, number | string>>;
  /** Undefined without a witness. */
  witness?: { falsePositiveRate: MeasuredRate; falseNegativeRate: MeasuredRate; fraction: number } | undefined;
  plan: PlannedRates;
  /** Distinct elements that it was made for. */
  capacity: number | null;
  /** When it is full at the rate of the last minutes, in milliseconds of the wall clock; null if it is not filling. */
  fullAt: number | null;
  /** The window as it was asked for. */
  window: string | null;
  claims?: { pending: number; committed: number; aborted: number; expired: number; late: number } | undefined;
}

/** The server as a whole. */
export interface WatchedServer {
  version: string;
  /** The port of the protocol of Redis. */
  port: number;
  startedAt: number;
  detectors: number;
  usedBytes: number;
  memoryBytes: number;
  clients: number;
  refusedConnections: number;
  commands: number;
  recordsPerSecond: number;
  duplicatesPerSecond: number;
  /** Null if the detectors are only in memory. */
  log: {
    durability: string;
    bytes: number;
    /** How long the last sync took. */
    syncSeconds: number | null;
    snapshotAt: number | null;
    /** Why nothing can be written now. */
    problem: string | null;
  } | null;
}

/** Points that a page gets: all of them, or those since the last message. */
export interface SentPoints extends PointsOfTime {
  isWhole: boolean;
}

export interface WatchMessage {
  /** The clock of the server, in milliseconds. */
  time: number;
  server: WatchedServer;
  list: {
    /** Detectors that the filter lets pass. */
    matched: number;
    offset: number;
    rows: ListedDetector[];
  };
  /** The detector that was asked for; null if there is none. */
  detector: DetailedDetector | null;
  /** Of all detectors together. */
  totals: SentPoints;
  /** Of the detector that was asked for. */
  history: SentPoints | null;
}

/** The reply of the planner. */
export interface PlannedDetector extends PlannedRates {
  /** The rates on the stream that is expected; null if nothing is known of it, or the window is a time. */
  predicted: { falsePositiveRate: number; falseNegativeRate: number; stream: string } | null;
  algorithm: string;
  layout: string;
  memoryBytes: number;
}
