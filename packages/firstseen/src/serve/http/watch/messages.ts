// What the page is told each second. The page imports these types, so this file imports nothing that a browser does not have.

import type { WhenFull } from '../../../detectors/whenfull.js';
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
  /** The part of the capacity that is in use; null for an algorithm whose load settles by itself. */
  fullness: number | null;
  /** The treatment of new keys once it is full; null with `fullness`. */
  whenFull: WhenFull | null;
  /** Distinct elements that came, as a share of those that it was planned for; null if nothing was planned. */
  planned: number | null;
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
  'planned',
  'pending',
] as const;
export type Sorting = (typeof sortings)[number];

/** A rate that a witness measured. */
export interface MeasuredRate {
  /** Null while nothing is known. */
  estimate: number | null;
  low: number;
  high: number;
  /** True if it is certainly worse than planned, or than is usual. */
  isAlarming: boolean;
}

/** The rates of a witness. */
export interface MeasuredRates {
  falsePositiveRate: MeasuredRate;
  falseNegativeRate: MeasuredRate;
  /** The share of the keys that it follows. */
  fraction: number;
}

/** The frequency with which repeats are missed: never, never within the window, or as the stream decides. */
export type PlannedMisses = 'never' | 'window' | 'stream';

/** The rates of errors that a detector was made for. */
export interface PlannedRates {
  /** Null if none was asked for, and the rate grows with what comes. */
  falsePositiveRate: number | null;
  falseNegatives: PlannedMisses;
}

/** A parameter of a detector. */
export interface ShownParameter {
  letter: string;
  value: number | string;
  /** The description of the parameter. */
  description: string;
}

/** One detector in detail. */
export interface DetailedDetector extends ListedDetector {
  layout: 'classic' | 'blocked';
  fingerprint: string;
  isKeyed: boolean;
  parameters: readonly ShownParameter[];
  /** The rule by which the algorithm treats an element. */
  rule: string;
  /** Undefined without a witness. */
  witness?: MeasuredRates | undefined;
  plan: PlannedRates;
  /** Distinct elements that came, and those that it was planned for; null if nothing was planned. */
  distinct: number;
  plannedElements: number | null;
  /** The time at which it is full at the rate of the last minutes, in milliseconds of the wall clock; null if it is not filling now, forgets
   * then, or was full already and the oldest keys leave early. */
  fullAt: number | null;
  /** Parts of its window that left early, and keys that were not stored; null if its algorithm has no such loss. */
  shortened: number | null;
  unstored: number | null;
  /** True if any of these is of the last minutes. */
  isLosing: boolean;
  /** Keys that it refused, by the reason. */
  refused: readonly (readonly [reason: string, keys: number])[];
  /** The window as it was asked for. */
  window: string | null;
  claims?: { pending: number; committed: number; aborted: number; expired: number; late: number } | undefined;
}

/** Something that somebody should look at. */
export type AttentionItem =
  /** The log cannot be written, or gets no more space. */
  | { kind: 'log'; problem: string }
  /** Changes have waited for new snapshots for a while. */
  | { kind: 'waiting'; seconds: number }
  /** The detectors take nearly all the memory that they may. */
  | { kind: 'memory'; share: number }
  /** Many commands are answered with an error. */
  | { kind: 'errors'; errors: number; commands: number }
  /** A detector is full, or will be soon. */
  | { kind: 'full'; detector: string; share: number; whenFull: WhenFull; fullAt: number | null }
  /** A detector forgets, though less has come than it was planned for. */
  | { kind: 'forgets'; detector: string; planned: number }
  /** The witness measured more errors than were planned, or than is usual. */
  | { kind: 'falsePositives'; detector: string; low: number; plan: PlannedRates }
  | { kind: 'falseNegatives'; detector: string; low: number; plan: PlannedRates }
  /** Keys were refused in the last minutes. */
  | { kind: 'refused'; detector: string; keys: number; reasons: readonly string[] }
  /** The time of a window is ahead of the clock of the server's machine. */
  | { kind: 'ahead'; detector: string; untilMilliseconds: number }
  /** Parts of a window in time left it early in the last minutes. */
  | { kind: 'shortened'; detector: string; parts: number }
  /** Keys passed and were not stored in the last minutes; of all that were observed. */
  | { kind: 'unstored'; detector: string; keys: number; observed: number }
  /** Claims were committed after their leases in the last minutes. */
  | { kind: 'late'; detector: string; late: number };

export type AttentionKind = AttentionItem['kind'];

/** The items that should be looked at, the most urgent first. */
export interface Attention {
  items: readonly (AttentionItem & { isAlarming: boolean })[];
  /** The number of further items. */
  more: number;
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
  /** Commands of Redis, and those of them that were answered with an error, in the last second. */
  commandsPerSecond: number;
  errorsPerSecond: number;
  /** Keys that detectors refused in the last second. */
  refusalsPerSecond: number;
  /** Seconds within which half and 99 % of the commands of the last minute were answered; null beyond the longest that is told apart. */
  commandSeconds: { half: number | null; most: number | null } | null;
  /** Null if the detectors are only in memory. */
  log: {
    durability: string;
    bytes: number;
    /** The duration of the last sync. */
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
  /** Null until all detectors were looked at. */
  attention: Attention | null;
  list: {
    /** The column by which the rows are sorted. */
    sorting: Sorting;
    isDescending: boolean;
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
