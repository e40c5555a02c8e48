// The contract of an output: where bytes go, how far they are safe there, and how it is cut back to a position. The rows are
// in registry.ts.

import { errorCodeOf } from '../../errors.js';

/** Where a later run goes on with an output. Only the kind of output that gave it reads it; to the run it is opaque JSON. */
export type SinkPosition = Readonly<Record<string, unknown>>;

export interface Sink {
  /** Appends; the bytes have to stay as they are until it resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Brings what can be brought to the disk there; `position` then says from where the rest has to come again. */
  commit(): Promise<void>;
  position(): SinkPosition;
  /**
   * Writes what is still held back and closes.
   * @param isWhole whether the run came to its end: then an output that nothing was written to is cut back too, while before
   *   a failed run it stays as it was
   */
  close(isWhole: boolean): Promise<void>;
}

/** What an output is asked to be, as the state of a run keeps it. */
export interface OutputNote {
  /** Standard output when null. */
  path: string | null;
  isCompressed: boolean;
}

/** A kind of output, as a row of the registry. */
export interface SinkKind {
  readonly name: string;
  isKindOf(note: OutputNote): boolean;
  /** Whether outputs of this kind can have left such a position in a state. */
  isPosition(note: OutputNote, position: SinkPosition): boolean;
  /**
   * The position at which a run goes on with an output; nothing where the output begins from the start.
   * @throws FirstseenError E_OUTPUT when the output of an unfinished run no longer holds what was written to it.
   */
  positionToResume(note: OutputNote, known: SinkPosition, isFinished: boolean): Promise<SinkPosition | undefined>;
  /**
   * Opens it at a position; whatever it holds behind it is cut off at the first write.
   * @throws FirstseenError E_OUTPUT when it cannot be opened for writing.
   */
  open(note: OutputNote, position: SinkPosition | undefined): Promise<Sink>;
}

/** The reader of the output has gone, as `head` does: the run ends without a word. */
export class OutputClosed extends Error {
  readonly code = 'EPIPE';

  constructor() {
    super('the output was closed');
    this.name = 'OutputClosed';
  }
}

/** How a run that threw has ended, as its summary says it: that the reader of an output has gone is no failure. */
export function endedBy(error: unknown): { interrupted: boolean; error: string | null } {
  const isClosed = error instanceof OutputClosed;
  return { interrupted: isClosed, error: isClosed ? null : errorCodeOf(error) };
}
