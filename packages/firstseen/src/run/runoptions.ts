// The options of a run over records that all jobs share, and their defaults.

import type { OptionNames } from '../base/check.js';
import type { FirstseenError } from '../base/errors.js';
import type { OverloadPolicy } from '../detectors/ratewatch.js';
import type { Emission, InputOrder, PartialPolicy } from '../io/policies.js';
import { defaultsOf } from '../options/defaults.js';
import { witness } from '../options/detector.js';
import { type NamesWithDefault, optionNamesOf, sharedRowsOf } from '../options/names.js';
import type { folderColumns } from '../options/records.js';
import type { PlannedOptions } from '../plan/auto.js';
import type { EqualityOptions } from '../records/equality.js';
import type { InputFormatName } from '../records/formats.js';
import type { NullMeaning } from '../records/nulls.js';
import type { EmptyKeyPolicy, MissingKeyPolicy } from '../records/policies.js';
import type { RecordOptions } from '../records/recordoptions.js';
import type { TimeFormatName } from '../records/timeformat.js';
import type { RunReview } from '../review/facts.js';
import type { RunStats } from './stats.js';
import type { Threads } from './threads.js';

/**
 * The record of each key that is distinct: the first, the last, or the first with the greatest or least value of a
 * field.
 */
export type KeptRecord = 'first' | 'last' | `max:${string}` | `min:${string}`;

/** Options that all jobs share. */
export interface SharedOptions extends RecordOptions {
  /** Paths, in order; `-` is standard input. A folder is read as its files, ordered by name. */
  inputs: readonly string[];
  /**
   * Patterns of the files in folders that are read, matched to their path in the folder. By default, all are read but those whose names
   * begin with a dot or an underscore, as names of unfinished files and of marks do.
   */
  include?: readonly string[] | undefined;
  /** Patterns of the files in folders that are not read. */
  exclude?: readonly string[] | undefined;
  /**
   * In which order the inputs are read, so that what is equal in several of them is kept in the first: as `given`, the default; by `name`,
   * which is the path inside the folder that was given; the `oldest` or the `newest` first, by the time of modification in seconds, then
   * by name.
   */
  order?: InputOrder | undefined;
  /**
   * The field of the time of a record, written like a key, for a window that is a duration. The texts of several fields are joined by a blank each,
   * as for a date and a time of day. By default the time at which the record arrives.
   */
  timeKey?: string | readonly string[] | undefined;
  /**
   * The format of times: iso, seconds, milliseconds, microseconds, nanoseconds, clf, or a pattern as in strftime. `auto`, the
   * default: seconds or milliseconds since 1970, or RFC 3339; for several fields, it is iso. A pattern may leave out the year.
   */
  timeFormat?: TimeFormatName | (string & {}) | undefined;
  /** The zone of times that name none: an offset such as +02:00, or a name such as Europe/Berlin. UTC by default. */
  timeZone?: string | undefined;
  /**
   * The last day, month or year of times without a year, such as `2015-03-29`, `2015-03` or `2015`: the year of each is that in which it is the
   * latest that is neither after it nor further ahead of the clock than `maxLead`. By default, that is the latest which is not ahead by a day more.
   */
  timeUntil?: string | undefined;
  /**
   * The time by which the time of a record, or that of the window in a state, may be ahead of the clock; an hour by
   * default. A record further ahead is invalid, because it would make all later records late. A window further ahead
   * ends the run with E_CLOCK. A duration such as `1h`, or a number of milliseconds.
   */
  maxLead?: number | string | undefined;
  /** Set the time of a window that is too far ahead back to the clock, instead of E_CLOCK; false by default. */
  isClockReset?: boolean | undefined;
  /** `fail` by default. */
  missingKey?: MissingKeyPolicy | undefined;
  /** Take only the records of one shard of the stream, by the hash of their keys: `1/4` is the first of four. */
  shard?: string | undefined;
  /** A file with the secret of a keyed detector: 32 hexadecimal digits. */
  secretFile?: string | undefined;
  /**
   * The input comes from strangers: the detector has a secret, a random one if none is given, and a window that is a duration must be longer
   * than `maxLead` if records have their times. False by default.
   */
  isUntrusted?: boolean | undefined;
  /**
   * The content of the output; `distinct` by default. `unique` and `repeated` are the distinct records whose key occurs
   * once, or several times; with them, the run spills.
   */
  emit?: Emission | undefined;
  /**
   * With `emit: 'all'`, adds what was found out about each record: a member of this name in a JSON object, a column in csv and tsv,
   * and the verdict and a tab before a line.
   */
  annotate?: string | undefined;
  /** A path; `-`, the default, is standard output. */
  output?: string | undefined;
  /**
   * A folder that gets a file for each input, with the name and the compression of the input, instead of one output. If other lines
   * than records are written, the name gets their ending unless it has one. A file has a temporary name until it is complete.
   */
  outputFolder?: string | undefined;
  /** A second output for the records reported as duplicates. */
  duplicatesTo?: string | undefined;
  /** Of `runDocuments`: a file for the name of each dropped document and of the kept one that it is near, as `emit: 'ids'` writes them. */
  idsTo?: string | undefined;
  /** Compress all outputs with gzip. Outputs whose names end in .gz or .zst are always compressed. */
  isCompressed?: boolean | undefined;
  /**
   * Leave the last record of an output without a newline if it had none in its input. By default it gets one, so that nothing that is
   * appended to the output later becomes a part of it.
   */
  keepsLineEnd?: boolean | undefined;
  /** A file in which the detector and the position in the inputs are saved. */
  state?: string | undefined;
  /** Time between two saves of the state: a duration such as `30s`, the default, or a number of milliseconds. */
  checkpoint?: number | string | undefined;
  /** Abandon the unfinished run in the state: keep its detector, start with these inputs, and overwrite the outputs. */
  isNewRun?: boolean | undefined;
  /**
   * Only look records up in the detector of the state. Nothing is added to it, so a record is a duplicate if it was seen before this
   * run. The state is neither locked nor written, so any number of such runs can use it, also at the same time as a run that adds
   * to it.
   */
  isReadOnly?: boolean | undefined;
  /**
   * The policy for a last record that has no end yet, in a file that is not compressed: `wait` leaves it to a later
   * run, `record` takes it as a record. `wait` with a state, `record` without one by default.
   */
  partial?: PartialPolicy | undefined;
  /** Read the last input on as it grows, also after log rotation, until the signal; false by default. */
  isFollowing?: boolean | undefined;
  /**
   * The number of threads at most. `auto`, the default: as many as processors, up to four, for a detector and an input of 256 MiB or
   * more, a compressed file of 48 MiB, or 64 MiB of text in which near-duplicates are found, otherwise one. Answers and outputs do
   * not depend on it.
   */
  threads?: Threads | undefined;
  /** Ends the run after the current batch: the state is saved and the outputs are flushed. */
  signal?: AbortSignal | undefined;
  /**
   * Called when everything is ready for the first record. Before that, the run has nothing to end in order and may not react to
   * the signal: planning takes seconds, and opening a named pipe waits for a writer.
   * @param statsSoFar the summary of what the run has processed when it is called
   */
  onReady?: ((statsSoFar: () => RunStats) => void) | undefined;
  /** The clock, also for times of arrival, in milliseconds since 1970; by default that of the machine. */
  now?: (() => number) | undefined;
  /** Called with each warning. It has the code, message and remedy of an error, but the run goes on. */
  onWarning?: ((warning: FirstseenError) => void) | undefined;
  /** Called after every chunk. */
  onProgress?: ((progress: RunProgress) => void) | undefined;
  /**
   * Called when the run ends, also if it fails, with what it noted of its records: counts by input, the largest clusters, and pairs of a
   * kept and a dropped record. Without it, nothing is noted. The memory for it is bounded.
   */
  onReview?: ((review: RunReview) => void) | undefined;
}

/** Options of a run that drops exact repeats. Only the inputs are mandatory. */
export interface RunOptions extends Omit<SharedOptions, 'idsTo'>, EqualityOptions {
  /** Guessed from the names of the inputs by default. */
  format?: InputFormatName | undefined;
  /** Key paths (ndjson, parquet), or names or 1-based numbers of columns (csv, tsv); the whole record by default. */
  keys?: readonly string[] | undefined;
  /**
   * A pattern that finds the key of a line, in the syntax of RE2: its groups with names are the parts of the key, or else all groups, or else
   * all that it finds. It takes time that is proportional to the length of the line, whatever the pattern. For `lines` only.
   */
  keyPattern?: string | undefined;
  /** The characters of a line that are its key, such as `1-20`, `5` or `21-`; several are parts of the key. For `lines` only. */
  keyChars?: readonly string[] | undefined;
  /**
   * The policy for a record whose key is empty: an empty field, or an empty JSON string. `distinct` by default. A key
   * of several parts is empty if all of them are.
   */
  emptyKey?: EmptyKeyPolicy | undefined;
  /** The meaning of a JSON null as a key: `empty`, the default, `missing`, or a `value` like any other. */
  nullKey?: NullMeaning | undefined;
  /**
   * The meaning of columns in the names of folders, such as `date=2026-01-01`: with `key`, they belong to records that
   * are compared as a whole, and keys can name them; with `none`, they are nothing. Required where it makes a
   * difference. `key` requires `outputFolder`, where each file stays in its folder, or verdicts as the output.
   */
  folderColumns?: (typeof folderColumns.words)[number] | undefined;
  /**
   * With a state, options that are absent are taken from the state. `witness: true`, the default, asks for a witness where
   * possible: in a new detector, or in a state that has one. `false` drops the witness of the state.
   */
  detector?: PlannedOptions | undefined;
  /**
   * A folder on disk for what memory cannot hold. The run spills: it reads its inputs twice, and its answers are exact in any memory.
   * By default, a run that spills because of `emit`, `keep` or `count` takes the system's folder for temporary files.
   */
  spill?: string | undefined;
  /**
   * The record of each key that is distinct, and so written: the `first`, by default, the `last`, or with `max:FIELD`
   * or `min:FIELD` the first that has the greatest or least value of a field, which is written like a key. Numbers are
   * compared by value, other values by their bytes, and a number is less than a text. A record without the field is
   * kept only if no other has it. Records are written in the order of the inputs. With all but `first`, the run spills.
   */
  keep?: KeptRecord | undefined;
  /**
   * Write with each record how often its key occurs: before a line as `uniq -c` does, otherwise as the member or column
   * `firstseen_count`. Then the run spills; false by default.
   */
  count?: boolean | undefined;
  /**
   * The policy when the rate of false positives of the detector over the stream so far exceeds the target, as predicted
   * or as the witness measures it. `warn`, the default: call `onWarning` once and go on. `fail`: end the run with
   * E_OVERLOAD; the state is saved as of the last record within the target. The target is `detector.fpr`, or 1e-6 for
   * the algorithm `auto`. If it is given, `auto` may rely on the expectations, and take a family whose rate grows with
   * what it takes.
   */
  onOverload?: OverloadPolicy | undefined;
  /** Called with the fingerprints of every batch before they are observed. They must be copied to be kept. */
  onElements?: ((fingerprints: BigUint64Array) => void) | undefined;
  /** Called with the summary of a run that fails after `onReady`, before the error is thrown. */
  onFailure?: ((stats: RunStats) => void) | undefined;
}

/** The names of the options of `runFiles`. */
export const runOptionNames: OptionNames<RunOptions> = optionNamesOf('exact', 'detector');

/** The names of the options that have a default. */
type DefaultedName = NamesWithDefault<'exact'> | 'detector';

/** The default of every option that has one. */
export const runDefaults: { readonly [Name in DefaultedName]: Exclude<RunOptions[Name], undefined> } = {
  ...defaultsOf(sharedRowsOf('exact')),
  detector: defaultsOf([witness]),
};

/** The progress of a run. */
export interface RunProgress {
  /** Bytes read from the inputs as stored, before decompression. */
  inputBytes: number;
  /** Size of all inputs, if all are files. */
  inputTotalBytes?: number;
  /** Records so far. */
  records: number;
  /** Records that were reported duplicate so far. */
  duplicates: number;
}
