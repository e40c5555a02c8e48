// What a run over records is asked to do, whatever its job, and what it does where nothing is said.

import type { PlannedOptions } from '../plan/auto.js';
import type { FormatName } from '../records/formats.js';
import type { RunStats } from './stats.js';

/** What the main output receives; `annotated` is for jobs that have more to say of a record than its verdict. */
export type Emission = 'distinct' | 'duplicates' | 'verdicts' | 'annotated';

export const missingKeyPolicies = ['distinct', 'drop', 'fail'] as const;
export type MissingKeyPolicy = (typeof missingKeyPolicies)[number];

export const errorPolicies = ['fail', 'pass', 'drop'] as const;
export type ErrorPolicy = (typeof errorPolicies)[number];

/** Stands for standard input among the inputs, and for standard output where an output is named. */
export const STANDARD_STREAM = '-';

/** Options of a run that every job has. */
export interface SharedOptions {
  /** Paths, in order; `-` is standard input. */
  inputs: readonly string[];
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
  /** Whether csv and tsv begin with a header line; true when absent. */
  hasHeader?: boolean;
  /** `fail` when absent. */
  missingKey?: MissingKeyPolicy;
  /** `fail` when absent. */
  onError?: ErrorPolicy;
  /** Parse every record in full. */
  isStrict?: boolean;
  /** 16 MiB when absent. */
  maxRecordBytes?: number;
  /** A file with the secret of a keyed detector: 32 hexadecimal digits. */
  secretFile?: string;
  /** `distinct` when absent. */
  emit?: Emission;
  /** Standard output when absent. */
  output?: string;
  /** A second output that receives the records reported duplicate. */
  duplicatesTo?: string;
  /** Compress the outputs with gzip; a name that ends in .gz is compressed in any case. */
  isCompressed?: boolean;
  /** A file that keeps the detector, and how far the run has come. */
  state?: string;
  /** How often the state is saved; every 30 seconds when absent. */
  checkpointSeconds?: number;
  /** Leave an unfinished run in the state behind: keep its detector, start with these inputs. */
  isNewRun?: boolean;
  /** Ends the run after the batch at hand: the state is saved, the outputs are flushed. */
  signal?: AbortSignal;
  /**
   * Called once all is ready for the first record. Until then the run has nothing to end in order, and may not come to hear a
   * signal: planning takes seconds, and a named pipe opens when somebody reads it.
   */
  onReady?: () => void;
  /** The clock, from which the times of arrival come too, in milliseconds since 1970; that of the machine when absent. */
  now?: () => number;
  /** Called after every chunk. */
  onProgress?: (progress: RunProgress) => void;
}

/** Options of a run that drops exact repeats. Only the inputs are mandatory. */
export interface RunOptions extends SharedOptions {
  /** Guessed from the names of the inputs when absent. */
  format?: FormatName;
  /** Key paths (ndjson) or names or 1-based numbers of columns (csv, tsv), as given; the whole record when there are none. */
  keys?: readonly string[];
  /**
   * Only what is asked for: with a state file, what is absent is taken from it. `witness: true`, the default, asks for one
   * where it can be, which is in a new detector or in a state that has one; `false` leaves that of a state behind.
   */
  detector?: PlannedOptions;
  /** Called with the fingerprints of every batch, before they are observed; they have to be copied to be kept. */
  onElements?: (fingerprints: BigUint64Array) => void;
  /** Called with what a run has come to that fails once all was ready for the first record, before the error is thrown. */
  onFailure?: (stats: RunStats) => void;
}

/** The default of every option that has one. */
export const runDefaults = {
  keys: [] as readonly string[],
  detector: { witness: true } as PlannedOptions,
  /** Clocks differ, but by less. */
  maxLeadSeconds: 3600,
  hasHeader: true,
  missingKey: 'fail' as MissingKeyPolicy,
  onError: 'fail' as ErrorPolicy,
  isStrict: false,
  maxRecordBytes: 16 * 2 ** 20,
  emit: 'distinct' as Emission,
  isCompressed: false,
  checkpointSeconds: 30,
  isNewRun: false,
} as const;

type SharedDefaults = Omit<typeof runDefaults, 'keys' | 'detector'>;

/** Options of which none is absent that has a default. */
export type FilledOptions = Omit<SharedOptions, keyof SharedDefaults> & {
  [Name in keyof SharedDefaults]: Exclude<SharedOptions[Name], undefined>;
};

function sharedDefaults(): SharedDefaults {
  const { keys: _keys, detector: _detector, ...shared } = runDefaults;
  return shared;
}

function given<Values extends object>(values: Values): Partial<Values> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Values>;
}

/** The options with the defaults of those that are absent. */
export function fillDefaults<Options extends SharedOptions>(options: Options): Options & FilledOptions {
  return { ...sharedDefaults(), ...given(options) } as Options & FilledOptions;
}

export interface RunProgress {
  /** Bytes read from the inputs as they are stored, compressed if they are. */
  inputBytes: number;
  /** Size of all inputs, when every one is a file. */
  inputTotalBytes?: number;
  records: number;
  duplicates: number;
}
