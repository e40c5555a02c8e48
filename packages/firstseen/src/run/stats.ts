// The summary of a run.

import { defined } from '../base/defined.js';
import type { LayoutName, ParameterValue, WindowBand } from '../detectors/contract.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import type { PartitionsStats } from '../detectors/partitions.js';
import type { Overload } from '../detectors/ratewatch.js';
import type { WitnessStats } from '../detectors/witness.js';
import type { FingerprintName } from '../fingerprint/fingerprint.js';
import type { RunCounts } from '../framing/counts.js';
import type { DetectorName } from '../kernel/abi.js';

/** The statistics of a run that spilled, for its summary. */
export interface SpillStats {
  /** The number of times that the inputs are read. */
  passes: number;
  partitions: number;
  /** Entries written: all keys but those that repeat one of the last. */
  entries: number;
  /** The spill folder, or that of the system for temporary files. */
  folder: string;
  /** Bytes written to the folder, spooled inputs included. */
  writtenBytes: number;
  /** The largest number of parts in which a partition was settled, because its distinct keys did not fit in memory at once. */
  parts: number;
}

/**
 * The summary of a run. The command prints it as JSON under the same names in snake_case. The counts are those of this run of the
 * program: a run that continues an earlier one counts only what it has done itself.
 */
export interface RunStats extends RunCounts {
  /** Bytes of unfinished records at the ends of inputs, which wait for a later run. */
  bytesWaiting: number;
  /** Time that the run took. */
  seconds: number;
  /** Records of each second of the run. */
  recordsPerSecond: number;
  /** Counts over all runs with the state, this one included; null without a state. */
  allRuns: RunCounts | null;
  /** The name of the algorithm. */
  algorithm: DetectorName;
  /** The arrangement of the cells in memory. */
  layout: LayoutName;
  /** The hash function from a key to 64 bits. */
  fingerprint: FingerprintName;
  /** True if the detector, and therefore the state file, holds a secret. */
  keyed: boolean;
  /** The seed of all randomness, as text. */
  seed: string;
  /** Parameters by the papers' letters, including derived ones. */
  parameters: Record<string, ParameterValue>;
  /** Bytes asked for. */
  memoryBytes: number;
  /** Bytes of the detector's state: its cells and counters. */
  stateBytes: number;
  /** Elements that the detector has observed over all runs. */
  observed: number;
  /** Error rates that the witness estimates (docs/WITNESS.md), with 95 % confidence intervals; null without a witness. */
  witness: WitnessStats | null;
  /** The ages between which an element may or may not be remembered; null without a window. */
  window: WindowBand | null;
  /** Elements that a window had no room for, over all runs: they passed, and their repeats may pass; absent for families that always store. */
  unstored?: number;
  /** Generations that left a window in time before their time, for want of room, over all runs: repeats of their elements may pass; absent for other detectors. */
  shortened?: number;
  /** By how much the detector exceeds its target rate of false positives, and since when; null if it does not, or has no target. */
  overload: Overload | null;
  /** Share of the memory in use. Reading it scans the whole memory. */
  load: number;
  /** The partitions and how evenly they are used; undefined without partitions. Reading it scans the whole memory. */
  readonly partitions?: PartitionsStats | undefined;
  /** The statistics of the spill folder; absent without one. */
  spill?: SpillStats;
  /** True if the run ended before its inputs did, because of a signal or because the reader of an output closed it. */
  interrupted: boolean;
  /** The code of the error that ended the run; null if it did not fail. */
  error: string | null;
  /** The number of threads that the run used. */
  threads: number;
  /** True if the run had nothing to do: an earlier one has finished, and its inputs have not changed since then. */
  idle: boolean;
  /** True if the run continued an earlier one. */
  resumed: boolean;
  /** The notices about this run, one sentence each; empty for most runs. */
  notices: readonly string[];
}

/** The part of a summary that describes the detector, without its load. */
export function detectorStats(detector: Detector) {
  const stats = detector.statsWithoutLoad();
  const kernel = kernelOf(detector);
  return {
    algorithm: stats.algorithm,
    layout: stats.layout,
    fingerprint: stats.fingerprint,
    keyed: detector.settings.secret !== undefined,
    seed: stats.seed,
    parameters: stats.parameters,
    memoryBytes: stats.memoryBytes,
    stateBytes: kernel.cellsBytes + kernel.registers.byteLength,
    observed: stats.observed,
    window: detector.settings.parameters.band ?? null,
    witness: stats.witness ?? null,
    ...defined({ unstored: stats.unstored, shortened: stats.shortened }),
  };
}
