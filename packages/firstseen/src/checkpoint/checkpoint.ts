// The checkpoint of a program: the file of a snapshot with a note. Only one program at a time can hold it. Nothing here knows what the
// note means.

import { closedError, type FirstseenError } from '../base/errors.js';
import { lockState, type StateLock } from '../io/lock/lock.js';
import { linkedFile } from '../io/system/identity.js';
import { checkWritable, replaceSnapshot, type SnapshotPieces } from './snapshotfile.js';

export interface CheckpointOptions {
  /** Called once if another program has the lock and cannot be seen, while this one waits to learn whether it is alive. */
  onWarning?: ((warning: FirstseenError) => void) | undefined;
}

/** Gives the snapshot when its write begins. */
export type SnapshotTaker = () => SnapshotPieces;

/** A write that has not begun. */
interface Write {
  take: SnapshotTaker;
  readonly written: Promise<void>;
}

/** A file that this program alone replaces until it is closed. */
export class Checkpoint {
  /** The file, after symbolic links. */
  readonly path: string;
  readonly #lock: StateLock;
  /** Settles when all that was begun is written. */
  #writing: Promise<void> = Promise.resolve();
  /** The write that follows the one in progress. */
  #next: Write | undefined;
  #isClosed = false;

  private constructor(path: string, lock: StateLock) {
    this.path = path;
    this.#lock = lock;
  }

  /**
   * Locks the file, which need not exist, until the checkpoint is closed or the process ends. A link stays one: the file that it leads
   * to is locked and replaced.
   * @throws FirstseenError E_STATE_FILE when another program has locked it, or it cannot be written.
   */
  static async open(path: string, options: CheckpointOptions = {}): Promise<Checkpoint> {
    const file = linkedFile(path);
    const lock = await lockState(file, options);
    try {
      await checkWritable(file);
      return new Checkpoint(file, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** @throws FirstseenError E_STATE_FILE when another program has taken the lock, because this one was suspended for too long. */
  check(): void {
    this.#lock.check();
  }

  /**
   * Replaces the file. All calls during a write share the next one, which takes the snapshot of the last call.
   * @throws FirstseenError E_STATE_FILE when it cannot be written or the lock was lost, and the old file remains; E_CLOSED after
   * `close`; the error of the snapshot.
   */
  async save(take: SnapshotTaker): Promise<void> {
    if (this.#isClosed) throw closedError('the state is closed', 'close it after its last save');
    this.#next ??= this.#begin(take);
    this.#next.take = take;
    return this.#next.written;
  }

  /** Unlocks the file when all that was begun is written. Later saves are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing.catch(() => undefined);
    this.#lock.release();
  }

  #begin(take: SnapshotTaker): Write {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
    return { take, written: this.#writing };
  }

  async #write(): Promise<void> {
    const { take } = this.#next as Write;
    this.#next = undefined;
    const { part, check } = this.#lock;
    await replaceSnapshot({ path: this.path, part, snapshot: take(), check });
  }
}
