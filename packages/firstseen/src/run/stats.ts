// What a run tells of itself when it has ended.

import type { ParameterValue } from '../detectors/contract.js';
import type { Detector } from '../detectors/detector.js';
import type { WitnessStats } from '../detectors/witness.js';
import type { RunCounts } from './counts.js';

/** The summary of a run. The command prints it as JSON under the same names in snake_case. */
export interface RunStats extends RunCounts {
  seconds: number;
  recordsPerSecond: number;
  algorithm: string;
  layout: string;
  fingerprint: string;
  /** Whether the detector, and so the state file, holds a secret. */
  keyed: boolean;
  seed: string;
  parameters: Record<string, ParameterValue>;
  memoryBytes: number;
  /** Bytes of the detector's state: its cells and counters. */
  stateBytes: number;
  /** Elements that the detector has observed over all runs. */
  observed: number;
  /** Error rates as the witness estimates them (docs/WITNESS.md), with 95 % confidence intervals; null when there is none. */
  witness: WitnessStats | null;
  /** Counted over the whole memory when it is read. */
  load: number;
  /** True when the run ended before the inputs did, by a signal or as the reader of an output had gone. */
  interrupted: boolean;
  /** The code of the error that the run failed with; null when it did not fail. */
  error: string | null;
  /** True when the run went on where an earlier one had stopped. */
  resumed: boolean;
}

/** What a summary says of the detector, but for its load. */
export function detectorStats(detector: Detector) {
  const stats = detector.statsWithoutLoad();
  return {
    algorithm: stats.algorithm,
    layout: stats.layout,
    fingerprint: stats.fingerprint,
    keyed: detector.settings.secret !== undefined,
    seed: String(stats.seed),
    parameters: stats.parameters,
    memoryBytes: stats.memoryBytes,
    stateBytes: detector.kernel.cellsBytes + detector.kernel.state.byteLength,
    observed: stats.observed,
    witness: stats.witness ?? null,
  };
}
