// A detector of a program whose state is in a file, with a note of the program.

import { checkBoolean, checkFunctions, checkOptions, type OptionNames } from '../base/check.js';
import { asyncDispose } from '../base/dispose.js';
import { type FirstseenError, invalidOption } from '../base/errors.js';
import { refuseClock } from '../detectors/clock.js';
import type { Detector } from '../detectors/detector.js';
import { type CreateOptions, create, createOptionNames, watchedAsAsked } from '../plan/keys.js';
import { readAsked } from '../snapshot/load.js';
import { copyNote, copyNow, emptyNote } from '../snapshot/snapshots.js';
import { snapshotChunks } from '../snapshot/streams.js';
import { Checkpoint, type SnapshotTaker } from './checkpoint.js';
import { checkStatePath, SnapshotFile } from './snapshotfile.js';

/** The options of `create`, and how the state is kept. */
export interface OpenStateOptions extends CreateOptions {
  /**
   * True if a save copies the cells first, so that the detector can be used while they are written; true by default. Without the copy,
   * a save needs no more memory, and fails with E_USAGE if the detector is used before the save is done.
   */
  copiesCells?: boolean | undefined;
  /** Called once if another process has the lock and cannot be seen from here, while it is watched for up to 15 seconds. */
  onWarning?: ((warning: FirstseenError) => void) | undefined;
}

const stateOptionNames: OptionNames<OpenStateOptions> = { ...createOptionNames, copiesCells: true, onWarning: true };

interface StateParts {
  checkpoint: Checkpoint;
  detector: Detector;
  copiesCells: boolean;
}

/** A detector whose state is in a file that no other process uses until it is closed. `openState` opens it. */
export class DetectorState {
  /** The detector. It is used as any other one. */
  readonly detector: Detector;
  /** The path of the file, after symbolic links. */
  readonly path: string;
  readonly #parts: StateParts;

  /** @internal */
  constructor(parts: StateParts) {
    this.#parts = parts;
    this.detector = parts.detector;
    this.path = parts.checkpoint.path;
  }

  /** The note in the file when it was opened; empty without a note or a file. */
  get note(): Uint8Array {
    return this.detector.note;
  }

  /**
   * Saves the detector in the file. When the promise resolves, the file has all that the detector had seen before the call, and it stays
   * after a crash of the machine. The file always has a complete state, whose note was given when the detector was as it is there. All
   * calls during a write share the next one, which takes the detector and the note of the last call.
   * @param note bytes of the program, as for `save`; without it, the state has no note
   * @throws FirstseenError E_STATE_FILE when the file cannot be written, or another process has taken the lock because this one was
   * suspended for too long; then the file is as it was. E_PARAMETER for a note as `save`; E_USAGE when `copiesCells` is false and the
   * detector was used; E_CLOSED after `close`.
   */
  async save(note?: Uint8Array): Promise<void> {
    await this.#parts.checkpoint.save(this.#taker(note === undefined ? undefined : copyNote(note)));
  }

  /** Unlocks the file when all saves are done. The detector can be used further, but not saved here. */
  async close(): Promise<void> {
    await this.#parts.checkpoint.close();
  }

  /** As `close`. In Node before 20.4, which has no `Symbol.asyncDispose`, there is only `close`. */
  [asyncDispose](): Promise<void> {
    return this.close();
  }

  #taker(note: Uint8Array | undefined): SnapshotTaker {
    const { detector, copiesCells } = this.#parts;
    if (!copiesCells) {
      const chunks = snapshotChunks(detector, note);
      return () => chunks;
    }
    // Without a note, a later moment is as good, and calls during a write need no copies.
    if (note === undefined) return () => sealed(copyNow(detector, emptyNote));
    const seal = copyNow(detector, note);
    return () => sealed(seal);
  }
}

async function* sealed(seal: () => Promise<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  yield await seal();
}

async function loadOrCreate(path: string, options: CreateOptions): Promise<Detector> {
  const { keys, format, module, clock, now } = options;
  return SnapshotFile.use(path, async (file) => {
    if (!file) return create(options);
    const detector = await file.read((source) => readAsked(source, { keys, format, module, clock, now }));
    return watchedAsAsked(detector, options);
  });
}

/**
 * Opens the state file of a detector and locks it. Loads the detector, or creates it if the file does not exist. An existing state keeps
 * its settings: only the options `keys`, `format`, `module`, `clock`, `now` and `onOverload` of `create` apply to it. If the path is a symbolic link, the
 * file that it points to is used, and the link stays. The lock ends with its process, even if the process is killed.
 * @throws FirstseenError E_STATE_FILE when another process uses the file, or it cannot be read or written; E_PARAMETER when the path is
 * not text or an option is invalid; as `load` for a file that is broken or has other keys; as `create` without a file.
 */
export async function openState(path: string, options: OpenStateOptions = {}): Promise<DetectorState> {
  checkStatePath(path);
  if (path === '') throw invalidOption({ option: 'path', given: path, expected: 'the name of a file' });
  const { copiesCells = true, onWarning, ...detectorOptions } = checkOptions(options, stateOptionNames);
  checkBoolean('copiesCells', copiesCells);
  checkFunctions({ onWarning });
  refuseClock(detectorOptions);
  const checkpoint = await Checkpoint.open(path, { onWarning });
  try {
    const detector = await loadOrCreate(checkpoint.path, detectorOptions);
    return new DetectorState({ checkpoint, detector, copiesCells });
  } catch (error) {
    await checkpoint.close();
    throw error;
  }
}
