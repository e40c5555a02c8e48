// The state of a run: a checkpoint whose note describes the run, and a file next to it that notes which runs have begun.

import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import type { Detector } from '../detectors/detector.js';
import type { OutputNote } from '../io/sink.js';
import type { InputNote } from '../io/source.js';
import { wholeKernel } from '../kernel/wholekernel.js';
import type { SnapshotHeader } from '../snapshot/format.js';
import { MAX_NOTE_BYTES } from '../snapshot/frame.js';
import { type RestoreOptions, readDetector, readHeader, snapshotParts } from '../snapshot/snapshots.js';
import { type BeginningRun, forgetBegun, inputsBegun, mayHaveWritten, noteBegun } from './begun.js';
import { Checkpoint, type CheckpointOptions } from './checkpoint.js';
import { decodeNote, encodeNote, type StateNote } from './note.js';
import { noState, SnapshotFile } from './snapshotfile.js';

export interface SavedState {
  header: SnapshotHeader;
  note: StateNote;
  /** The time at which the state was saved, in milliseconds since 1970. */
  savedMilliseconds: number;
  /** Restores the detector, with its witness unless that is left out. May be called once. */
  restore(host: RestoreOptions): Promise<Detector>;
  /** Closes the file, unless that was done. */
  close(): Promise<void>;
}

/** The state of an open file, which it closes after an error. */
async function savedIn(file: SnapshotFile): Promise<SavedState> {
  try {
    // States of all jobs are read here, and the kernel of detectors alone does not know the tables of all.
    const module = await wholeKernel();
    const { header, note } = await file.read(async (source) => {
      const header = await readHeader(source, module);
      return { header, note: decodeNote(header.note, header.settings.keyScheme) };
    });
    return {
      header,
      note,
      savedMilliseconds: await file.writtenMilliseconds(),
      restore: (host) =>
        file.read((source) => readDetector(source, header, { module, ...host })).finally(() => file.close()),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * The state of a file, which the caller closes, or undefined when there is no such file.
 * @throws FirstseenError E_SNAPSHOT when it is broken, E_STATE_FILE when it cannot be read.
 */
export async function readState(path: string): Promise<SavedState | undefined> {
  const file = await SnapshotFile.open(path);
  return file && savedIn(file);
}

/** Bytes that a state keeps about an input in addition to two notes of it: how far it was read. */
const READ_BYTES = 160;

function tooManyInputs(path: string, inputs: number): FirstseenError {
  const most = formatCounted(MAX_NOTE_BYTES, 'byte');
  const problem = `cannot write state ${path}: what it notes of ${formatCounted(inputs, 'input')} would have more than ${most}`;
  return new FirstseenError('E_STATE_FILE', problem, {
    remedy: 'give fewer inputs, and give the others to runs after this one',
  });
}

/** @throws FirstseenError E_STATE_FILE when the note is too long. */
function encodedNote(path: string, note: StateNote): Uint8Array {
  try {
    return encodeNote(note);
  } catch (error) {
    if (error instanceof FirstseenError) throw tooManyInputs(path, note.run.inputs.length);
    throw error;
  }
}

export interface RunStateOptions extends CheckpointOptions {
  /** Leaves the state as it is: it is not locked, and nothing is saved. False by default. */
  isReadOnly?: boolean;
}

export class RunState {
  readonly path: string;
  /** The checkpoint that is written; undefined if the state is only read. */
  readonly #checkpoint: Checkpoint | undefined;

  private constructor(path: string, checkpoint: Checkpoint | undefined) {
    this.path = path;
    this.#checkpoint = checkpoint;
  }

  /**
   * Opens a state, which need not exist unless it is only read.
   * @throws FirstseenError E_STATE_FILE as `Checkpoint.open`
   */
  static async open(path: string, { isReadOnly = false, ...options }: RunStateOptions = {}): Promise<RunState> {
    if (isReadOnly) return new RunState(path, undefined);
    const checkpoint = await Checkpoint.open(path, options);
    return new RunState(checkpoint.path, checkpoint);
  }

  get isReadOnly(): boolean {
    return this.#checkpoint === undefined;
  }

  /**
   * As `readState`.
   * @throws FirstseenError as `readState`; E_STATE_FILE when the state is only read and does not exist.
   */
  async read(): Promise<SavedState | undefined> {
    const saved = await readState(this.path);
    if (this.isReadOnly && !saved) throw noState(this.path);
    return saved;
  }

  /**
   * Refuses a run at its start whose state could not be written at its end.
   * @throws FirstseenError E_STATE_FILE
   */
  checkInputsFit(inputs: readonly InputNote[]): void {
    if (this.isReadOnly) return;
    const bytesOf = (input: InputNote) => 2 * Buffer.byteLength(JSON.stringify(input)) + READ_BYTES;
    const noteBytes = inputs.reduce((sum, input) => sum + bytesOf(input), 0);
    if (noteBytes > MAX_NOTE_BYTES) throw tooManyInputs(this.path, inputs.length);
  }

  /** Tells if a run with these outputs, and with one of these inputs, began and did not save the state after that. */
  isBegun(run: BeginningRun): boolean {
    return !this.isReadOnly && inputsBegun(this.path, run) !== undefined;
  }

  /** Tells if a run that began, and did not save the state after that, may have written to one of these outputs. */
  mayHaveWritten(outputs: readonly OutputNote[]): boolean {
    return !this.isReadOnly && mayHaveWritten(this.path, outputs);
  }

  /** Notes that a run begins, until the state is saved for it. @throws FirstseenError E_STATE_FILE when it cannot be written. */
  async noteBegun(run: BeginningRun): Promise<void> {
    if (!this.isReadOnly) await noteBegun(this.path, run);
  }

  /** @throws FirstseenError E_STATE_FILE when another run has taken the lock, because this run was suspended for too long. */
  check(): void {
    this.#checkpoint?.check();
  }

  /**
   * Replaces the state, unless it is only read. The detector must not be used until then.
   * @throws FirstseenError E_STATE_FILE when that fails; then the old state remains.
   */
  async save(detector: Detector, note: StateNote): Promise<void> {
    if (!this.#checkpoint) return;
    const parts = await snapshotParts(detector, encodedNote(this.path, note));
    await this.#checkpoint.save(() => parts);
    // From now on, the state says what the outputs hold.
    await forgetBegun(this.path, note.run.outputs);
  }

  /** Unlocks the state. */
  async close(): Promise<void> {
    await this.#checkpoint?.close();
  }
}

/** Writes a state that no run uses. @throws FirstseenError E_STATE_FILE as `RunState.open` and `RunState.save` */
export async function writeState(path: string, detector: Detector, note: StateNote): Promise<void> {
  const state = await RunState.open(path);
  try {
    await state.save(detector, note);
  } finally {
    await state.close();
  }
}
