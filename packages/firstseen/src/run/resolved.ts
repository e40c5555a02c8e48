// A run with everything settled: one record for each part of it. A part gets its own record and no other.

import type { AskedNote } from '../checkpoint/asked.js';
import type { UnrecognizedFiles } from '../checkpoint/matches.js';
import type { KeyNote, RunNote } from '../checkpoint/note.js';
import type { InputStart } from '../checkpoint/progress.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { Timing } from '../framing/batch.js';
import type { RunCounts } from '../framing/counts.js';
import type { InputOrder, PartialPolicy } from '../io/policies.js';
import type { FolderNames, OutputNote } from '../io/sink.js';
import type { Source } from '../io/source.js';
import type { LineKeys } from '../records/linekeys.js';
import type { EmptyKeyPolicy } from '../records/policies.js';
import type { ScanSettings } from '../records/settings.js';
import type { FolderKeys } from './foldercolumns.js';
import type { ResolvedJob } from './job.js';
import type { Regions } from './regions.js';
import type { OutputOptions, RecordOptions, ReportOptions, TimeOptions } from './settled.js';
import type { Shard } from './shard.js';

/** The job and the settings by which keys are observed. */
export interface ResolvedDetector {
  readonly job: ResolvedJob;
  readonly settings: DetectorSettings;
}

/** The settings by which records are found and scanned. */
export interface ResolvedRecords
  extends Pick<
    RecordOptions,
    'maxRecordBytes' | 'missingKey' | 'onError' | 'hasHeader' | 'skipLines' | 'comment' | 'isStrict'
  > {
  readonly key: KeyNote;
  readonly emptyKey: EmptyKeyPolicy;
  /** The field whose value ranks records, if the job ranks them. */
  readonly rank: string | undefined;
  readonly scan: ScanSettings;
  /** True if nobody said what the records are. */
  readonly isFormatGuessed: boolean;
  /** Returns the salt that the folders of an input, by its path, add to its keys; undefined for nothing. */
  readonly saltOf: FolderKeys['saltOf'] | undefined;
  /** The finder of keys in lines that are not fields. */
  readonly lineKeys: LineKeys | undefined;
  /** The shard of the stream that the run takes; undefined for all records. */
  readonly shard: Shard | undefined;
}

/** The time of a window. */
export interface ResolvedClock extends Pick<TimeOptions, 'now' | 'isClockReset'> {
  readonly maxLeadMilliseconds: number;
  readonly timing: Timing;
}

/** The findings of a run about its inputs that a person should know. */
export interface InputFindings {
  /** The names of inputs that have become other files since they were read, where no file has all that was read. */
  readonly replaced: readonly string[];
  /** The names of inputs that are other files than those that were read, and begin with the same few bytes. */
  readonly undecided: readonly string[];
  /** Logs that were rotated, and files that may belong to them, which are not read. */
  readonly unrecognized: readonly UnrecognizedFiles[];
  /** The names of inputs with an incomplete record that was read as a whole. The rest of the record is read now. */
  readonly torn: readonly string[];
}

/** The inputs that are read, and the positions from which they are read. */
export interface ResolvedInputs {
  readonly sources: readonly Source[];
  /** The progress in each input before this run. */
  readonly starts: readonly (InputStart | undefined)[];
  readonly partial: PartialPolicy;
  /** The order of the sources, unless it is the one in which they were given. */
  readonly order: InputOrder | undefined;
  readonly isFollowing: boolean;
  /** True if the run to continue is finished, and has nothing new to read. */
  readonly isDone: boolean;
  readonly findings: InputFindings;
}

/** The outputs that are written. */
export interface ResolvedOutputs extends Pick<OutputOptions, 'emit' | 'annotate' | 'keepsLineEnd'> {
  readonly notes: readonly OutputNote[];
  /** From what the names of the files in an output folder follow. */
  readonly names: FolderNames;
  /** True if the outputs may hold more than the state says, which this run writes again. */
  readonly isBegun: boolean;
  /** True if the run writes what an earlier process wrote after the state was saved. */
  readonly isRepeated: boolean;
}

/** The notes that the state has from earlier runs, and those that it gets from this one. */
export interface ResolvedState {
  /** The run to continue; undefined for a new run. */
  readonly resumes: RunNote | undefined;
  /** The options of the detector that were given to this run and to those before it. */
  readonly asked: AskedNote;
  /** The counts of all earlier runs with the state. */
  readonly totals: RunCounts;
  readonly finishedRuns: readonly RunNote[];
  /** Time between two saves. */
  readonly periodMilliseconds: number;
}

/** The threads, and the memory after the detector. */
export interface ResolvedMemory {
  /** The number of threads, with that of the caller. */
  readonly threads: number;
  /** True if a warning tells that one thread observes all elements: several were asked for, and they could make a difference. */
  readonly tellsOneThread: boolean;
  readonly regions: Regions;
  /** Bytes after the detector: the regions of the job and of the run. */
  readonly regionBytes: number;
}

/** A run with everything settled. */
export interface ResolvedRun {
  readonly detector: ResolvedDetector;
  readonly records: ResolvedRecords;
  readonly clock: ResolvedClock;
  readonly inputs: ResolvedInputs;
  readonly outputs: ResolvedOutputs;
  readonly state: ResolvedState;
  readonly memory: ResolvedMemory;
  readonly report: ReportOptions;
}
