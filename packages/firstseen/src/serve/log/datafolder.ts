// The data folder of a server: what was acknowledged is in it, and a server that starts again has it.

import { FirstseenError } from '../../base/errors.js';
import type { StateLock } from '../../io/lock/lock.js';
import type { Histogram } from '../../monitor/histogram.js';
import type { ValuesOf } from '../../options/filled.js';
import type { dataRows, durability } from '../../options/serve.js';
import { headerChecksum } from '../../snapshot/checksum.js';
import type { Checksum } from '../../snapshot/frame.js';
import type { DetectorStore } from '../store/store.js';
import { savedOf } from './compact.js';
import { CompactionFailures, RETRY_MILLISECONDS } from './compactionfailures.js';
import { bytesOf, checkSnapshots, pathOf, removeEarlier, timeOf } from './files.js';
import { Imports } from './imports.js';
import { Journal } from './journal.js';
import { LogProblems } from './logproblems.js';
import { checkHeld, errorIn, type FolderIdentity, FolderMarker, lockFolder } from './marker.js';
import { type Recovered, recover } from './recover.js';
import { encodeSet, type OpenDetector, openInSet, writeSet } from './snapshotset.js';
import { SnapshotWaits } from './snapshotwaits.js';
import { type Compactor, SupervisedCompactor } from './supervision.js';

/** The time at which a change is safe: on the disk before the reply, within a second, or when a snapshot is written. */
export type Durability = (typeof durability.words)[number];

export interface DataFolderOptions extends Omit<ValuesOf<(typeof dataRows)[number]>, 'inMemory'> {
  compactor: Compactor;
  /** Told what an administrator should know. */
  onWarning: (message: string) => void;
  /** Ends the opening with its reason. What was acknowledged is in the folder as before. */
  stopping?: AbortSignal | undefined;
  /** Called when the disk lost what it was given: the server must end. */
  onLoss: (error: unknown) => void;
}

/** The size of the log, as a multiple of its limit, at which changes wait for the new snapshots. */
const MAX_LIMITS = 2;

export class DataFolder {
  /** The snapshots of detectors that were sent. */
  readonly imports: Imports;
  readonly #options: DataFolderOptions;
  readonly #store: DetectorStore;
  readonly #lock: StateLock;
  readonly #marker: FolderMarker;
  readonly #checksum: Checksum;
  readonly #recovered: Recovered;
  /** Absent with the durability `snapshot`. */
  readonly #journal: Journal | undefined;
  readonly #compactor: SupervisedCompactor;
  #snapshot: number | undefined;
  #snapshotMilliseconds: number | undefined;
  #compacting: Promise<void> | undefined;
  /** A compaction that has not begun. Who asks for one meanwhile shares it. */
  #queued: Promise<void> | undefined;
  readonly #failures: CompactionFailures;
  /** The changes that wait because the log is full. */
  readonly waits: SnapshotWaits;
  /** New snapshots that were to be written, by themselves or because somebody asked, and were not. */
  failedSnapshots = 0;
  /** Changes wait for it. */
  #pause: Promise<unknown> | undefined;
  /** The snapshots that this process writes. */
  #saving: Promise<unknown> | undefined;

  private constructor(parts: Parts) {
    this.imports = parts.imports;
    this.#options = parts.options;
    this.#store = parts.store;
    this.#lock = parts.lock;
    this.#marker = parts.marker;
    this.#checksum = parts.checksum;
    this.#recovered = parts.recovered;
    this.#journal = parts.journal;
    this.#failures = new CompactionFailures(parts.problems);
    this.waits = new SnapshotWaits(parts.options.onWarning);
    this.#compactor = new SupervisedCompactor(parts.options.compactor);
    this.#snapshot = parts.recovered.snapshot;
    this.#snapshotMilliseconds = parts.snapshotMilliseconds;
  }

  /**
   * Locks a folder, restores its detectors to the store, and logs what changes them from now on.
   * @throws FirstseenError E_STATE_FILE or E_SNAPSHOT when that is not possible; the reason of `stopping`.
   */
  static async open(options: DataFolderOptions, store: DetectorStore): Promise<DataFolder> {
    const { folder, requireData, durability, onLoss, stopping } = options;
    const marker = await FolderMarker.open(folder, requireData);
    const onWarning = ({ message }: Error) => options.onWarning(message);
    const lock = await lockFolder(folder, { onWarning, signal: stopping });
    try {
      const checksum = await headerChecksum(undefined);
      const recovered = await recover({ ...options, marker, store, checksum });
      const { sequence, lastBlock } = recovered;
      const earlierBytes = await bytesOf(folder, 'log');
      const problems = new LogProblems(options.onWarning);
      const logging = { earlierBytes, checkLock: () => checkHeld(folder, lock), problems, onGone: onWarning, onLoss };
      const journal =
        durability !== 'snapshot'
          ? await Journal.open({ folder, durability, checksum, lastBlock, sequence, ...logging })
          : undefined;
      if (journal) await marker.note({ log: sequence, lastBlock });
      store.recorder = journal;
      const imports = new Imports(folder);
      await imports.begin(recovered.imported, sequence - 1);
      const snapshotMilliseconds = recovered.snapshot && (await timeOf(folder, 'snapshot', recovered.snapshot));
      return new DataFolder({
        ...{ options, store, lock, marker, checksum, recovered, journal, problems, imports },
        snapshotMilliseconds,
      });
    } catch (error) {
      lock.release();
      throw errorIn(folder, error);
    }
  }

  /** The result of the recovery at the start. */
  get recovered(): Recovered {
    return this.#recovered;
  }

  /** Why no change can be made now; undefined if it can. */
  get problem(): unknown {
    return this.#journal?.problem ?? this.#fullProblem;
  }

  /** True if replies wait for the disk, which takes what is written. */
  get holdsReplies(): boolean {
    return this.#journal?.holdsReplies === true;
  }

  /** Why a change that logs so many bytes at most cannot be made; undefined if it can, and then there is space to log it. */
  problemOfChange(bytes: number): unknown {
    return this.#journal?.reserve(bytes) ?? this.#fullProblem;
  }

  /** Why the log, which is as long as it may be, stays so: compactions have failed for a while. */
  get #fullProblem(): Error | undefined {
    if (!this.#failures.isFailing) return undefined;
    if (this.#isFull) this.#compactIfNeeded();
    return this.#failures.problem(this.#isFull);
  }

  /** True if the log is so long that changes wait. */
  get #isFull(): boolean {
    return this.logBytes > MAX_LIMITS * this.#logLimitBytes;
  }

  /** Bytes of what the snapshots do not have, in logs and in files of detectors that were sent. */
  get logBytes(): number {
    return (this.#journal?.bytes ?? 0) + this.imports.bytes;
  }

  get durability(): Durability {
    return this.#options.durability;
  }

  get identity(): FolderIdentity {
    return this.#marker;
  }

  /** The origin of the folder's id: an earlier start, this one, or this one for data whose id was removed. */
  get origin(): 'old' | 'new' | 'renamed' {
    if (!this.#marker.isNew) return 'old';
    return this.#recovered.sequence === 1 ? 'new' : 'renamed';
  }

  /** The durations of syncs; undefined without a log. */
  get syncSeconds(): Histogram | undefined {
    return this.#journal?.syncSeconds;
  }

  /** The time at which the last snapshots were written, in milliseconds since 1970; undefined if there are none. */
  get snapshotMilliseconds(): number | undefined {
    return this.#snapshotMilliseconds;
  }

  /** As `Journal.whenSafe`. */
  whenSafe(callback: () => void, usesDetectors: boolean): boolean {
    return this.#journal?.whenSafe(callback, usesDetectors) ?? false;
  }

  /**
   * Makes a detector that was sent as safe as it can be: its file is on the disk, and so is the log that refers to it. Without a log, the file
   * is no longer needed.
   */
  async settleImport(number: number): Promise<void> {
    if (this.#journal === undefined) return this.imports.remove(number);
    await this.#journal.untilOnDisk();
    // What was logged is in this log, or in one before it.
    this.imports.refer(number, this.#journal.sequence);
  }

  /**
   * The snapshots with all changes so far.
   * @returns undefined for a detector that is no longer there
   * @throws FirstseenError as `save`, and E_SNAPSHOT for a damaged file
   */
  async openDetector(number: number): Promise<OpenDetector | undefined> {
    for (;;) {
      await this.save();
      try {
        return await openInSet(
          pathOf(this.#options.folder, 'snapshot', this.#snapshot as number),
          number,
          this.#checksum,
        );
      } catch (error) {
        // Later snapshots have taken its place already.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
  }

  /** The promise that a change has to wait for; undefined if there is none. */
  get pause(): Promise<unknown> | undefined {
    if (this.#pause) return this.#pause;
    this.#compactIfNeeded();
    if (!this.#isFull) {
      this.waits.end();
      return undefined;
    }
    this.waits.begin();
    return (
      this.#compacting?.catch(() => undefined) ?? new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS))
    );
  }

  /** True if snapshots are being written by this process, so that no detector may move, not even its time. */
  get isSaving(): boolean {
    return this.#pause !== undefined;
  }

  /**
   * Writes new snapshots.
   * @returns milliseconds in which no change was possible
   * @throws FirstseenError E_STATE_FILE when they cannot be written
   */
  async save(): Promise<number> {
    try {
      return await this.#save();
    } catch (error) {
      if (error instanceof FirstseenError) throw error;
      const problem = `the snapshots cannot be written: ${(error as Error).message}`;
      throw new FirstseenError('E_STATE_FILE', problem, { remedy: 'correct the cause, and save again', cause: error });
    }
  }

  async #save(): Promise<number> {
    if (this.#journal) {
      this.#queued ??= this.#compactNext();
      await this.#queued;
      return 0;
    }
    while (this.#saving) await this.#saving.catch(() => undefined);
    const saving = this.#saveWhilePaused();
    this.#saving = saving;
    try {
      return await saving;
    } catch (error) {
      this.failedSnapshots++;
      throw error;
    } finally {
      this.#saving = undefined;
    }
  }

  /** Writes the snapshots in this process. Changes wait until the detectors were read. @returns milliseconds in which they wait */
  async #saveWhilePaused(): Promise<number> {
    const begin = performance.now();
    let milliseconds = 0;
    let go: () => void = () => undefined;
    this.#pause = new Promise<void>((resolve) => {
      go = resolve;
    });
    const goOn = () => {
      if (this.#pause) milliseconds = performance.now() - begin;
      this.#pause = undefined;
      go();
    };
    try {
      await this.#writeSnapshots(goOn);
    } finally {
      goOn();
    }
    return milliseconds;
  }

  /** Writes what is not written yet, and unlocks the folder. */
  async close(): Promise<void> {
    try {
      this.waits.close();
      // On a full disk it may never end. The process that compacts ends with this one.
      this.#compactor.hurry();
      if (this.problem === undefined) await this.#compacting?.catch(() => undefined);
      await this.#saving?.catch(() => undefined);
      const lastBlock = await this.#journal?.close();
      if (this.#journal === undefined) await this.#writeSnapshots();
      // Without the note, a start takes a log that was cut off for one that was being written.
      else if (lastBlock !== undefined) await this.#marker.note({ lastBlock }).catch(() => undefined);
    } finally {
      this.#lock.release();
    }
  }

  /** A log that is shorter than what the detectors take is not worth new snapshots. */
  get #logLimitBytes(): number {
    return Math.max(this.#options.logLimitBytes, this.#store.usedBytes);
  }

  #compactIfNeeded(): void {
    if (this.#compacting || this.logBytes < this.#logLimitBytes) return;
    // The clock is read last: this is asked before each change.
    if (this.#failures.isTooEarly) return;
    this.#startCompacting(this.waits.areUrgent(this.logBytes / this.#logLimitBytes)).catch((error) =>
      this.#options.onWarning(`the log could not be compacted: ${error}`),
    );
  }

  /** Compacts after the compaction that has begun, which does not have the latest changes. */
  async #compactNext(): Promise<void> {
    // At least once, so that it is the one that is queued before it begins.
    do await this.#compacting?.catch(() => undefined);
    while (this.#compacting);
    this.#queued = undefined;
    await this.#startCompacting(true);
  }

  /** @param isUrgent whether clients wait for the new snapshots */
  async #startCompacting(isUrgent: boolean): Promise<void> {
    this.#compacting = this.#compact(isUrgent);
    try {
      await this.#compacting;
    } catch (error) {
      this.failedSnapshots++;
      this.#failures.note(error as Error);
      throw error;
    } finally {
      this.#compacting = undefined;
      if (!this.#isFull) this.waits.end();
    }
  }

  async #compact(isUrgent: boolean): Promise<void> {
    const { folder } = this.#options;
    // Before another log begins in a folder that is not ours.
    checkHeld(folder, this.#lock);
    const to = await (this.#journal as Journal).rotate();
    await this.#marker.note({ log: to });
    await this.#compactor.compact({ folder, from: this.#snapshot, to, part: this.#lock.part, isUrgent });
    checkHeld(folder, this.#lock);
    await this.#dropBefore(to);
    (this.#journal as Journal).dropEarlier();
    this.#failures.clear();
  }

  /** Removes what the snapshots of a sequence have. */
  async #dropBefore(sequence: number): Promise<void> {
    const { folder } = this.#options;
    await checkSnapshots(folder, sequence, this.#snapshot);
    this.#snapshot = sequence;
    this.#snapshotMilliseconds = Date.now();
    await this.#marker.note({ snapshot: sequence });
    await removeEarlier(folder, sequence);
    await this.imports.removeBefore(sequence);
  }

  /** Writes the snapshots in this process. Nothing may change before `haveRead` is called. */
  async #writeSnapshots(haveRead: () => void = () => undefined): Promise<void> {
    const sequence = Math.max(this.#snapshot ?? 0, this.#recovered.sequence) + 1;
    const [store, checksum, { folder }] = [this.#store, this.#checksum, this.#options];
    async function* saved() {
      for (const entry of store.list()) yield await savedOf(store, entry);
    }
    const endingOf = () => ({ nextDetector: store.nextNumber, lastBlock: this.#recovered.lastBlock });
    async function* snapshot() {
      yield* encodeSet(saved(), endingOf, checksum);
      haveRead();
    }
    await writeSet({ folder, sequence, part: this.#lock.part, snapshot: snapshot() }).catch((error) => {
      throw errorIn(folder, error);
    });
    await this.#dropBefore(sequence);
  }
}

interface Parts {
  options: DataFolderOptions;
  store: DetectorStore;
  lock: StateLock;
  marker: FolderMarker;
  checksum: Checksum;
  recovered: Recovered;
  journal: Journal | undefined;
  problems: LogProblems;
  imports: Imports;
  snapshotMilliseconds: number | undefined;
}
