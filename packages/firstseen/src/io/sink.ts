// The contract of a sink: where the records of a run go, up to which position they are safe, and how it is cut back to a position.
// The kinds of sink are rows of sinks.ts.

import { errorCodeOf, FirstseenError } from '../base/errors.js';
import { DISTINCT, DUPLICATE, WANTED_DISTINCT, WANTED_DUPLICATES, WANTED_PASSED } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { decisions, recordClasses } from '../records/classes.js';
import type { Crew } from '../threads/crew.js';
import type { Emission, WrittenFormat } from './policies.js';
import type { Source } from './source.js';
import { systemDetails, systemProblem } from './system/systemproblem.js';

/** The position at which a later run continues an output. Only its kind of sink reads it; the run treats it as opaque JSON. */
export type SinkPosition = Readonly<Record<string, unknown>>;

/**
 * Records with their verdicts, in the memory of a seat. The edges of record `i` are `kernel.recordStarts[i]` and
 * `kernel.recordEnds[i]`, its terminator included, and its verdict is `kernel.verdicts[i]`.
 */
export interface RecordBatch {
  seat: number;
  kernel: Kernel;
  /** The number of records. */
  taken: number;
}

/** A record cannot be written in the form of an output. */
export class UnwritableRecord extends FirstseenError {
  /** Its index in the batch. */
  readonly index: number;

  constructor(index: number, problem: string, remedy: string) {
    super('E_RECORD', problem, { remedy });
    this.index = index;
  }
}

/** Writes records in another form than they were read in: together with what a job found out, or only some parts of each. */
export interface RecordWriter {
  /** The level at which gzip compresses what it writes; the default of zlib if it is absent. */
  readonly gzipLevel?: number;
  /** @throws FirstseenError E_USAGE when the inputs have a column that the writer would add. */
  checkHeader(names: readonly string[]): void;
  /** The output for lines that are before the header or the first record; these lines by default. */
  linesBefore?(lines: Uint8Array): Uint8Array;
  /** The output for the header of the inputs. */
  header(header: Uint8Array): Uint8Array;
  /**
   * The output for the records of a batch.
   * @throws UnwritableRecord
   */
  records(batch: RecordBatch): Uint8Array;
  /** The offset after each record in what `records` returned last, if the output has a member for each. */
  readonly recordEnds?: readonly number[];
  /** The output for a record that is too long to be framed, and comes in pieces; the pieces by default. */
  inPlaceOfPieces?(verdict: number): Uint8Array;
}

/**
 * The content of an output: the records whose verdicts are in a mask of the kernel's `compact`, the verdicts, or what a
 * writer makes.
 */
export type Selection = number | 'verdicts' | RecordWriter;

/** The mask of the records that the main output receives as they are. What is not compared is not known to repeat. */
export function emittedMask(emit: Emission): number {
  if (emit === 'duplicates') return WANTED_DUPLICATES;
  if (emit === 'repeated') return WANTED_DISTINCT;
  return WANTED_DISTINCT | WANTED_PASSED | (emit === 'all' ? WANTED_DUPLICATES : 0);
}

/** Tells if a verdict is in a mask, as in the kernel's `compact`. */
export function isSelected(verdict: number, mask: number): boolean {
  if (verdict === DISTINCT) return (mask & WANTED_DISTINCT) !== 0;
  if (verdict === DUPLICATE) return (mask & WANTED_DUPLICATES) !== 0;
  return (verdict === decisions.PASSED || verdict === decisions.COPIED) && (mask & WANTED_PASSED) !== 0;
}

/** Calls back for each record of a batch in a mask. `keyedIndex` is its index among the records with a key, if it has one. */
export function forSelected(
  { kernel, taken: recordCount }: RecordBatch,
  mask: number,
  write: (index: number, keyedIndex: number | undefined) => void,
): void {
  let keyedCount = 0;
  for (let i = 0; i < recordCount; i++) {
    const keyedIndex = kernel.recordClasses[i] === recordClasses.KEYED.code ? keyedCount++ : undefined;
    if (isSelected(kernel.verdicts[i] as number, mask)) write(i, keyedIndex);
  }
}

/** Tells if an output gets the parts of records of this mask. A writer gets those of all, unless it writes something in their place. */
export function wantsSelected(selection: Selection, mask: number): boolean {
  if (typeof selection === 'number') return (selection & mask) !== 0;
  return selection !== 'verdicts' && selection.inPlaceOfPieces === undefined;
}

/** An output of a run. */
export interface Sink {
  /** Bytes that this process has made of the records, before compression. */
  readonly bytes: number;
  /** True if each input has a file, which begins with a header. */
  readonly isFolder?: boolean;
  /** True if a later run can go on from a commit now; true by default. It cannot in a file that is valid only when it is complete. */
  readonly canCommit?: boolean;
  /** True if it takes only the verdicts of records, and their content from the inputs; false by default. */
  readonly takesVerdicts?: boolean;
  /** Begins an input, for an output that has a file for each. */
  beginInput?(source: Source): Promise<void>;
  /** Appends lines that are before the header or the first record. */
  appendBefore(lines: Uint8Array): Promise<void>;
  /** Appends the header of the inputs. */
  appendHeader(header: Uint8Array): Promise<void>;
  /**
   * Appends what is selected of batches, which must not change until it resolves.
   * @param crew if the batches are in the memories of its threads
   */
  append(batches: readonly RecordBatch[], crew?: Crew): Promise<void>;
  /** Tells if it takes a record of a verdict in the mask in parts, because it is too long to be framed. */
  wants(mask: number): boolean;
  /** Appends a part of such a record. */
  appendBytes(part: Uint8Array): Promise<void>;
  /** Ends such a record, also if its parts were not wanted. */
  appendVerdict(verdict: number): Promise<void>;
  /** Ends an input. @param isText whether a last record without a newline has to get one before the next record */
  endInput(isText: boolean): void;
  /** Passes on everything appended, for whoever waits for it. */
  flush(): Promise<void>;
  /** Makes everything appended as safe as possible. @returns the position at which a later run continues */
  commit(): Promise<SinkPosition>;
  /**
   * Commits for the last time, and closes the output. If that fails, it is aborted.
   * @param isWhole whether the run reached its end. Then an output that received nothing is cut back too; after a run that stopped
   *   it stays as it was.
   * @returns the position at which a later run continues, which also says how the output was left
   */
  close(isWhole: boolean): Promise<SinkPosition>;
  /** Closes the output and writes nothing more to it. If nothing was written yet, it stays as it was. */
  abort(): Promise<void>;
}

/** The request for an output, as the state keeps it. */
export interface OutputNote {
  /** Null for standard output. */
  path: string | null;
  /** The absolute path without symbolic links, if the output is a file. */
  realPath?: string;
  isCompressed: boolean;
  /** `ids` for the names of documents beside the records; absent for records, and for what the main output gets. */
  contents?: 'ids';
}

/** The stores of a run, which it opens once. Only the sink of objects uses them; the run passes them on. */
export interface StoresOfRun {
  readonly bucketsOf: unknown;
}

/** The progress of the run that wrote an output. */
export interface FormerRun {
  /** True if it may have written to the output after its state was saved. */
  isBegun: boolean;
  /** True if nothing is left to write. */
  isDone?: boolean;
  /** The stores of this run, which objects need. */
  stores?: StoresOfRun;
}

/** The inputs from which the names of the files in an output folder follow. */
export interface FolderNames {
  /** The inputs as they were given, folders too. */
  given: readonly string[];
  /** The format of what is written in place of records. */
  written: WrittenFormat | undefined;
}

/** The arguments with which a sink is opened. */
export interface SinkRequest {
  /** The memory in which records are gathered. */
  kernel: Kernel;
  /** The addresses of two buffers there: one is filled while the other is written (`bufferBytes`). */
  buffers: readonly [number, number];
  selection: Selection;
  /** The inputs of the run, for a format that takes rows from them. */
  sources: readonly Source[];
  /** The source of the names of files, for an output that has a file for each input. */
  names?: FolderNames;
  /** The kind of the file for an input, for such an output. */
  fileKind?: (source: Source) => SinkKind;
  /** Called before anything is written. If it throws, nothing is. */
  beforeWrite?: (() => void) | undefined;
  /** The position at which the output continues; the beginning by default. */
  position?: SinkPosition | undefined;
  /** True if a last record without a newline stays as it is. Otherwise a run that reaches its end adds one. */
  keepsLineEnd?: boolean;
  /** True if the output is one JSON array, as its inputs are. */
  isArray?: boolean;
  /** True if a compressed output has a member for each record. */
  hasRecordMembers?: boolean;
  /** The byte that ends a record of a text; a newline by default. */
  terminator?: number;
  /** True if what follows the position has to be what is written again. It is compared then; a difference is an error. */
  isRepeated?: boolean;
  /** The stores of the run, which objects need. */
  stores?: StoresOfRun;
  /** Told what does not stop the run, such as what a run that was killed has left. */
  onWarning?: ((warning: FirstseenError) => void) | undefined;
}

/** Bytes per read in a run with one thread, and of a buffer of an output from which it is written. */
export const CHUNK_BYTES = 2 ** 20;

/** Bytes of a buffer that is written as soon as it holds a chunk, and to which a batch adds so many at most, and a newline. */
export function bufferBytes(batchBytes: number): number {
  return batchBytes + CHUNK_BYTES + 1;
}

/** A kind of sink: a row of the registry. */
export interface SinkKind {
  readonly name: string;
  isKindOf(note: OutputNote): boolean;
  /** Tells if an output of this kind can have written this position to a state. */
  isPosition(note: OutputNote, position: SinkPosition): boolean;
  /**
   * The position at which a run continues an output.
   * @throws FirstseenError E_OUTPUT when the output is not as the run left it.
   */
  positionToResume(note: OutputNote, known: SinkPosition, run: FormerRun): Promise<SinkPosition>;
  /**
   * A position that takes little space, for a run that was finished long ago. A run that continues there writes the same
   * records, but possibly compressed in other pieces.
   */
  compact(position: SinkPosition): SinkPosition;
  /**
   * Opens an output at a position. The first write cuts off everything after it.
   * @throws FirstseenError E_OUTPUT when it cannot be opened for writing.
   */
  open(note: OutputNote, request: SinkRequest): Promise<Sink>;
  /** Tells if there is something in it that no run with this state may have written. Absent if the system says it. */
  holds?(note: OutputNote, stores: StoresOfRun): Promise<boolean>;
}

/** The reader of the output has closed it, as `head` does. The run ends without a message. */
export class OutputClosed extends Error {
  /** `OutputClosed`. */
  override readonly name = 'OutputClosed';
  /** The code of the system for a pipe without a reader. */
  readonly code = 'EPIPE';

  constructor() {
    super('the output was closed');
  }
}

/** The name of standard output in messages. */
export const STANDARD_OUTPUT = 'standard output';

/** The error for an output that cannot be written; OutputClosed when its reader has closed it. */
export function outputError(name: string, cause: unknown): Error {
  if ((cause as NodeJS.ErrnoException).code === 'EPIPE') return new OutputClosed();
  const { problem } = systemProblem(cause, 'write');
  return new FirstseenError('E_OUTPUT', `cannot write ${name}: ${problem}`, systemDetails(cause, 'write'));
}

/** Returns the end of a run that threw an error, for its summary. A closed output is not a failure. */
export function endedBy(error: unknown): { interrupted: boolean; error: string | null } {
  const isClosed = error instanceof OutputClosed;
  return { interrupted: isClosed, error: isClosed ? null : errorCodeOf(error) };
}
