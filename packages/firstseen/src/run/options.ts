// What a run over files is asked to do, and what it tells of itself.

import type { ParameterValue } from '../detectors/contract.js';
import type { RateEstimate } from '../detectors/intervals.js';
import type { PlannedOptions } from '../plan/auto.js';
import type { FormatName } from '../records/formats.js';

/** What the main output receives; `annotated` is for jobs that have more to say of a record than its verdict. */
export type Emission = 'distinct' | 'duplicates' | 'verdicts' | 'annotated';
export type MissingKeyPolicy = 'distinct' | 'drop' | 'fail';
export type ErrorPolicy = 'fail' | 'pass' | 'drop';

/** Stands for standard input among the inputs, and for standard output where an output is named. */
export const STANDARD_STREAM = '-';

/** How far ahead of the clock a record's time may be where nothing else is said: clocks differ, but by less. */
export const DEFAULT_MAX_LEAD_SECONDS = 3600;

export interface RunOptions {
  /** Paths, in order; `-` is standard input. */
  inputs: readonly string[];
  /** Guessed from the names of the inputs when absent. */
  format?: FormatName;
  /** Key paths (ndjson) or names or 1-based numbers of columns (csv, tsv), as given; none for the whole record. */
  keys: readonly string[];
  /**
   * Where a record tells its time, named as a key is, for a window in time: seconds or milliseconds since 1970, or RFC 3339.
   * The time a record arrives when absent.
   */
  timeKey?: string;
  /**
   * How far ahead of the clock the time that a record tells may be; an hour when absent. One that is further ahead is
   * invalid: it would make all records after it late.
   */
  maxLeadSeconds?: number;
  /** Whether csv and tsv begin with a header line. */
  hasHeader: boolean;
  missingKey: MissingKeyPolicy;
  onError: ErrorPolicy;
  /** Parse every record in full. */
  isStrict: boolean;
  maxRecordBytes: number;
  /**
   * Only what was asked for: with a state file, what is absent is taken from it. `witness: true` asks for one where it can
   * be, which is in a new detector or in a state that has one; `false` leaves that of a state behind.
   */
  detector: PlannedOptions;
  /** A file with the secret of a keyed detector: 32 hexadecimal digits. */
  secretFile?: string;
  emit: Emission;
  /** Standard output when absent. */
  output?: string;
  /** A second output that receives the records reported duplicate. */
  duplicatesTo?: string;
  /** Compress the outputs with gzip; a name that ends in .gz is compressed in any case. */
  isCompressed: boolean;
  state?: string;
  checkpointSeconds: number;
  /** Leave an unfinished run in the state behind: keep its detector, start with these inputs. */
  isNewRun: boolean;
  /** Ends the run after the batch at hand: the state is saved, the outputs are flushed. */
  signal?: AbortSignal;
  /**
   * Called once all is ready for the first record. Until then the run has nothing to end in order, and may not come to hear a
   * signal: planning takes seconds, and a named pipe opens when somebody reads it.
   */
  onReady?: () => void;
  /** The clock, from which the times of arrival come too, in milliseconds since 1970; that of the machine when absent. */
  now?: () => number;
  /** Called with the fingerprints of every batch, before they are observed; they have to be copied to be kept. */
  onElements?: (fingerprints: BigUint64Array) => void;
  /** Called after every chunk. */
  onProgress?: (progress: RunProgress) => void;
  /** Called with what a run has come to that fails once all was ready for the first record, before the error is thrown. */
  onFailure?: (stats: RunStats) => void;
}

export interface RunProgress {
  /** Bytes read from the inputs as they are stored, compressed if they are. */
  inputBytes: number;
  /** Size of all inputs, when every one is a file. */
  inputTotalBytes?: number;
  records: number;
  duplicates: number;
}

/** False negatives among the duplicates of a range of gaps, both ends included. */
export interface GapRate extends RateEstimate {
  gap_from_elements: number;
  gap_to_elements: number;
  duplicates: number;
  false_negatives: number;
}

/** Error rates as the witness estimates them (docs/WITNESS.md), with 95 % confidence intervals. */
export interface WitnessRates {
  /** Share of all elements that it follows, and how many these are. */
  fraction: number;
  elements: number;
  false_positive_rate: RateEstimate;
  false_negative_rate: RateEstimate;
  by_gap: GapRate[];
  memory_bytes: number;
}

/** What `--stats=json` prints, under the same names. */
export interface RunStats {
  records: number;
  distinct: number;
  duplicates: number;
  /** Records passed through without a key, or in spite of an error, and records dropped. */
  passed: number;
  dropped: number;
  /** How many of them lacked a key, were invalid, were too long. */
  missing_key: number;
  invalid: number;
  too_long: number;
  /** Bytes of the records in and of the main output, before compression. */
  bytes_in: number;
  bytes_out: number;
  seconds: number;
  records_per_second: number;
  algorithm: string;
  layout: string;
  fingerprint: string;
  /** Whether the detector, and so the state file, holds a secret. */
  keyed: boolean;
  seed: string;
  parameters: Record<string, ParameterValue>;
  memory_bytes: number;
  /** Bytes of the detector's state: its cells and counters. */
  state_bytes: number;
  /** Counted over the whole memory when it is read. */
  load: number;
  /** Elements that the detector has observed over all runs. */
  observed: number;
  /** Null when there is none. */
  witness: WitnessRates | null;
  /** True when the run ended before the inputs did, by a signal or as the reader of an output had gone. */
  interrupted: boolean;
  /** The code of the error that the run failed with; null when it did not fail. */
  error: string | null;
  /** True when the run went on where an earlier one had stopped. */
  resumed: boolean;
}
