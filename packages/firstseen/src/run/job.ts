// The contract of a job: what a run does with the keys of its records. A run knows its job only through this contract. The jobs
// are rows of src/jobs/jobs.ts.

import type { JobNote } from '../checkpoint/jobnote.js';
import type { Detector } from '../detectors/detector.js';
import type { Overload } from '../detectors/ratewatch.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { Observation, Observer } from '../framing/batch.js';
import type { Emission } from '../io/policies.js';
import type { RecordBatch, RecordWriter } from '../io/sink.js';
import type { InputNote } from '../io/source.js';
import type { PlannedOptions } from '../plan/auto.js';
import type { Dialect } from '../records/dialect.js';
import type { FormatName } from '../records/formats.js';
import type { JoinedTexts } from '../records/texts.js';
import type { Crew } from '../threads/crew.js';
import type { SharedDetector } from '../threads/detector.js';
import type { ThreadBatch } from '../threads/owners.js';
import type { Call, ResultOf } from '../threads/tasks.js';
import type { RunStats } from './stats.js';
import type { ThreadsPay } from './threads.js';

/** The form in which the scanner writes each key into the kernel: its fingerprint, or its start and end. */
export type KeyForm = 'fingerprints' | 'spans';

/** A verdict in the words of an annotation. */
export type AnnotationVerdict = 'distinct' | 'duplicate' | 'passed';

/**
 * The report of a job about a record. The record has one verdict in the kernel, which counts it and decides whether it
 * is passed on. A job that has verdicts on several parts of a record reports each of them here, and may write the
 * record without some of its parts (`RecordWriter`). `keyed` is the index of the record among the keyed records of its
 * batch; undefined for a record that was passed on without a key.
 */
export interface Annotation {
  /** The names of the columns of an annotation. */
  columns(field: string): string[];
  /** The values of these columns. */
  values(verdict: AnnotationVerdict, keyed: number | undefined): string[];
  /** Returns the text before a line; the values, each with a tab after it, by default. */
  before?(verdict: AnnotationVerdict, keyed: number | undefined): string;
  /** The annotation of a JSON object. */
  json(verdict: AnnotationVerdict, keyed: number | undefined): unknown;
}

/** The first of two readings of the inputs. */
export interface FirstReading {
  /** The folder for copies of inputs that cannot be read again. */
  readonly folder: string;
  /** Takes the first `count` keys in the kernel. Their verdicts are not used. */
  observe(count: number): Observation;
  /** Called between the readings. Resolves to false if it was aborted. */
  finish(signal: AbortSignal | undefined): Promise<boolean>;
  /** Called after the second reading. @throws FirstseenError E_INPUT when it had fewer keys than the first. */
  checkWhole(): void;
  /** Frees what the job holds, after the second reading or a failure. */
  close(): void;
}

/** The threads that observe keys. */
export interface ObservingThreads {
  crew: Crew;
  shared: SharedDetector;
  /** Must be called once, as soon as the threads have their tasks: gives them more. */
  meanwhile(): Promise<void>;
}

/** The records that a run writes, as it reads them: an input can name its dialect. */
export interface WrittenRecords {
  format: FormatName;
  /** The dialect of csv; that of RFC 4180 by default. */
  dialect?: Dialect | undefined;
}

/** The part of a summary that belongs to the job. */
export type JobStats = Pick<RunStats, 'load' | 'spill'>;

/** The kind of a detector's elements: keys, the bands of documents, or passages of their texts. */
export type ElementName = 'element' | 'band' | 'passage';

/** The notes of the records of a run, for a report. */
export interface RecordReview {
  /** Called before the records of an input. */
  beginInput(name: string): void;
  /** Called with each batch that has verdicts, in jobs that do not note their records as they observe them. */
  take?(batch: RecordBatch): void;
}

/** A running job, with its detector. */
export interface JobRun extends Observer {
  /** The name of its elements; `element` by default. */
  readonly elementName?: ElementName;
  /** Present in jobs that read the inputs twice. All other members are about the second reading. */
  readonly firstReading?: FirstReading;
  /** Prepares the seats of threads, once. */
  prepareThreads?(crew: Crew): Promise<void>;
  /** Calls at a seat for the first `count` keys of its batch, as soon as they are scanned. None by default. */
  callsAhead?(seat: number, count: ResultOf): Call[];
  /**
   * Like `observe`, for the keys of batches in the memories of threads, one batch after the other. After a failure no further batch
   * has an observation. Absent in jobs that cannot use threads.
   */
  observeOnThreads?(batches: readonly ThreadBatch[], threads: ObservingThreads): Promise<Observation[]>;
  /** The annotation of a record, in jobs that report more than the verdict. */
  readonly annotation?: Annotation;
  /** Makes what writes the main output, in jobs that do not write records as they are. */
  writer?(records: WrittenRecords): RecordWriter;
  /** Makes what writes names of documents beside the records, in jobs that find them. */
  idsWriter?(): RecordWriter;
  /** The taker of notes for a report, if there is to be one. */
  readonly review?: RecordReview | undefined;
  /** The overload of the detector, if there is one and the job watches for it. Called at the end of the run. */
  overload?(): Overload | undefined;
  /** Returns the note that the state keeps for the job in addition to the detector. Absent for none. */
  note?(): JobNote;
  /** Returns the statistics of the job for the summary, instead of or in addition to those of the detector. */
  stats?(): JobStats;
}

/** The values on which the regions of a job depend in addition to its settings. */
export interface JobRegionsRequest {
  /** The address at which they start. */
  offset: number;
  /** The number of threads of the run. */
  threads: number;
  /** Bytes of the longest record. */
  maxRecordBytes: number;
}

/** A job with its settings resolved. */
export interface ResolvedJob {
  /** The options of the detector, which must agree with the state. */
  detector: PlannedOptions;
  /** The settings of its detector if there is no state. */
  settings(): DetectorSettings;
  /** The end of the job's own regions in the kernel's memory. Absent if it has none. */
  regionsEnd?(request: JobRegionsRequest): number;
  /** The keys that are texts and become one (`ScanSettings.texts`), in jobs that compare texts. */
  texts?: JoinedTexts | undefined;
  /** The field whose value ranks records, written like a key, in jobs that rank them (`ScanSettings.rank`). */
  rank?: string | undefined;
  /** True if it can observe keys on several threads (`JobRun.observeOnThreads`); false by default. */
  canUseThreads?: boolean;
  /** From what on several threads pay; that of a detector by default. */
  threadsPay?: ThreadsPay;
  begin(detector: Detector, inputs: readonly InputNote[]): JobRun;
}

/** The values on which a job's settings depend in addition to its options. */
export interface JobContext {
  /** The note of the job in the state, if there is one. */
  note: JobNote | undefined;
  /** The secret in the secret file, if there is one. */
  secret: PlannedOptions['secret'];
  /** The options of the detector that were given to earlier runs with the state; empty without a state. */
  askedBefore: PlannedOptions;
}

export interface Job<Asked> {
  readonly name: string;
  readonly takes: KeyForm;
  /** True if repeats have equal keys, so that a hash of the keys divides a stream. */
  readonly comparesKeys: boolean;
  readonly emissions: readonly Emission[];
  /** @throws FirstseenError when the options contradict each other, or E_STATE_DIFFERS when they contradict the state. */
  resolve(asked: Asked, context: JobContext): ResolvedJob;
}
