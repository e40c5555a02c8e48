// The contract of an output: where bytes go, up to which position they are safe, and how it is cut back to a position. The rows
// are in registry.ts.

import { errorCodeOf, FirstseenError } from '../base/errors.js';
import { systemDetails, systemProblem } from './system/systemproblem.js';

/** The position at which a later run continues an output. Only its kind of output reads it; the run treats it as opaque JSON. */
export type SinkPosition = Readonly<Record<string, unknown>>;

export interface Sink {
  /** Appends bytes, which must not change until it resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Syncs as many bytes to disk as possible. `position` then says which bytes have to be written again. */
  commit(): Promise<void>;
  position(): SinkPosition;
  /**
   * Writes pending bytes and closes the output.
   * @param isWhole whether the run reached its end. Then an output that received nothing is cut back too; after a failed run it
   *   stays as it was.
   * @returns the position at which a later run continues, which also tells how the output was left
   */
  close(isWhole: boolean): Promise<SinkPosition>;
  /** Closes the output after it failed, and writes nothing. */
  abandon(): Promise<void>;
}

/** The position of an output, as a checkpoint keeps it. */
export interface OutputPosition {
  sink: SinkPosition;
  /** The last record had no newline, so one must precede the next record. */
  owesNewline: boolean;
}

/** The request for an output, as the state keeps it. */
export interface OutputNote {
  /** Null for standard output. */
  path: string | null;
  /** The absolute path without symbolic links, if the output is a file. */
  realPath?: string;
  isCompressed: boolean;
}

/** What is known about the run that wrote an output. */
export interface FormerRun {
  /** Whether it reached its end. */
  isFinished: boolean;
  /** Whether it may have written to the output after its state was saved. */
  isBegun: boolean;
  /** Whether nothing is left to write. */
  isDone?: boolean;
}

export interface SinkOptions {
  /** By default, the beginning. */
  position?: SinkPosition | undefined;
  /** Whether what follows the position has to be what is written again. It is compared then; a difference is an error. */
  isRepeated?: boolean;
}

/** A kind of output: a row of the registry. */
export interface SinkKind {
  readonly name: string;
  isKindOf(note: OutputNote): boolean;
  /** Whether an output of this kind can have written this position to a state. */
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
  open(note: OutputNote, options: SinkOptions): Promise<Sink>;
}

/** The reader of the output has closed it, as `head` does. The run ends without a message. */
export class OutputClosed extends Error {
  /** The code of the system for a pipe without a reader. */
  readonly code = 'EPIPE';

  constructor() {
    super('the output was closed');
    this.name = 'OutputClosed';
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

/** How a run that threw an error ended, for its summary. A closed output is not a failure. */
export function endedBy(error: unknown): { interrupted: boolean; error: string | null } {
  const isClosed = error instanceof OutputClosed;
  return { interrupted: isClosed, error: isClosed ? null : errorCodeOf(error) };
}
