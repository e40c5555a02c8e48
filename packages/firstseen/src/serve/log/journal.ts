// The journal of a server: changes are written to the log before their replies are sent. Those of one turn of the event loop are a block.

import { errorCodeOf } from '../../base/errors.js';
import { Histogram, secondsLimits } from '../../monitor/histogram.js';
import type { Change, ChangeKind, RecordedEntry, Recorder } from '../store/changes.js';
import { encodeBlock } from './blocks.js';
import { MEMORY_GONE, MEMORY_ONLY } from './files.js';
import type { JournalOptions } from './journaloptions.js';
import { LogFile, type Rotation } from './logfile.js';
import { LogLook } from './loglook.js';
import type { LogProblems } from './logproblems.js';
import { RecordBuffer } from './records.js';
import { callBack, Waiters } from './waiters.js';

const SYNC_MILLISECONDS = 1000;
/** Time after a sync, after which a log to which nothing was written says that it is on the disk. */
const IDLE_MILLISECONDS = 1000;
/** Space that the log takes ahead, and the space of which it takes more: one write of zeros for many blocks. */
const [RESERVED_BYTES, MIN_RESERVED_BYTES] = [2 ** 20, 2 ** 19];
/** Space that no change may use up: for the heads of blocks, and for changes that were let in and log later, such as FS.CREATE. */
const HELD_BACK_BYTES = 2 ** 17;
/** Time between two tries to write to a disk that was full. */
const RETRY_MILLISECONDS = 250;

export class Journal implements Recorder {
  /** The durations of syncs. */
  readonly syncSeconds = new Histogram(secondsLimits);
  readonly #options: JournalOptions;
  #log: LogFile;
  readonly #records = new RecordBuffer();
  /** Called once the records that are gathered are safe. */
  readonly #waiting = new Waiters();
  /** The numbers of blocks that were written and synced so far. */
  readonly #blocks: { written: number; synced: number };
  #rotation: Rotation | undefined;
  /** Settles when the logs before the current one are on the disk. */
  #earlier: Promise<void> = Promise.resolve();
  /** The sync that is in progress, or the last one. */
  #syncing: Promise<unknown> = Promise.resolve();
  /** Settles when the syncs that do not hold replies have ended. */
  #turn: Promise<unknown> = Promise.resolve();
  #isScheduled = false;
  #isClosed = false;
  /** True if replies wait for the sync in progress. */
  #isSyncing = false;
  #timer?: NodeJS.Timeout | undefined;
  #idleTimer?: NodeJS.Timeout | undefined;
  /** The number of the last block after which the log says that it is on the disk. */
  #marked: number;
  /** Why no change can be made. */
  #problem: unknown;
  /** Why the log has less space ahead than it should have. Changes that fit into the rest are made. */
  #shortage: unknown;
  readonly #problems: LogProblems;
  readonly #look: LogLook;
  /** True if the last write of records failed. */
  #isStuck = false;
  #retry: NodeJS.Timeout | undefined;
  /** Bytes of the logs before the current one that no snapshot has. */
  #earlierBytes: number;

  private constructor(options: JournalOptions, log: LogFile) {
    this.#options = options;
    this.#log = log;
    this.#blocks = { written: options.lastBlock, synced: options.lastBlock };
    this.#earlierBytes = options.earlierBytes;
    this.#marked = options.lastBlock;
    this.#problems = options.problems;
    this.#look = new LogLook(options);
  }

  /** @throws Error of the system when no log can be written. */
  static async open(options: JournalOptions): Promise<Journal> {
    const { folder, sequence, lastBlock, checksum } = options;
    const log = await LogFile.create(folder, sequence, RESERVED_BYTES);
    log.begin(lastBlock + 1, checksum);
    await log.sync();
    return new Journal(options, log);
  }

  /** Why nothing can be written now, or space is not to be had for long or for a large change; undefined if all is well. */
  get problem(): unknown {
    return this.#problem ?? this.#look.unreadable ?? this.#shortage ?? this.#problems.refusal;
  }

  /**
   * Takes space for a change before it is made, so that what is changed can be logged, and looks now and then whether the log is there.
   * @param bytes the most that the change logs
   * @returns the error of the system if the change does not fit. Others may: this says nothing of them
   */
  reserve(bytes: number): unknown {
    if (this.#problem === undefined) this.#hasFolder();
    const problem = this.#problem ?? this.#look.unreadable;
    if (problem !== undefined) return problem;
    const neededBytes = this.#records.length + bytes + HELD_BACK_BYTES;
    return this.#log.reservedBytes < neededBytes ? this.#takeSpace(neededBytes + RESERVED_BYTES) : undefined;
  }

  /** Tells an administrator, unless the log was removed, which is told already. */
  #tellProblem(): void {
    if (this.#look.gone === undefined) this.#problems.note(this.#problem ?? this.#look.unreadable ?? this.#shortage);
  }

  /** @returns the error of the system if the log does not get so much */
  #takeSpace(bytes: number): unknown {
    const error = this.#tryToTakeSpace(bytes);
    this.#tellProblem();
    return error;
  }

  #tryToTakeSpace(bytes: number): unknown {
    try {
      this.#log.reserve(bytes);
      this.#shortage = undefined;
      this.#problems.fit(bytes);
    } catch (error) {
      // What one large change wanted is not kept from the rest of the disk.
      this.#log.trim(this.#records.length + RESERVED_BYTES);
      const isRefusedAlone = this.#shortage === undefined && this.#log.reservedBytes >= MIN_RESERVED_BYTES;
      if (isRefusedAlone) return this.#problems.refuse(error, bytes);
      this.#shortage = error;
      this.#problems.forgetRefusal();
      this.#tryLater();
      return error;
    }
  }

  /** Writes again, or takes space again, after a while. */
  #tryLater(): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      // While a sync is in progress nothing is written, and after it there may be nothing that would write.
      if (this.#isSyncing) this.#tryLater();
      else this.#flush();
    }, RETRY_MILLISECONDS);
  }

  /** The sequence of the log that is being written. */
  get sequence(): number {
    return this.#log.sequence;
  }

  /** Bytes of all logs that no snapshot has, with what is not written yet. */
  get bytes(): number {
    return this.#earlierBytes + this.#log.bytes + this.#records.length;
  }

  record<Kind extends ChangeKind>(kind: Kind, entry: RecordedEntry, ...change: Change<Kind>): void {
    this.#records.record(kind, entry, ...change);
    this.#schedule();
  }

  /**
   * Calls back once all changes so far are as safe as they have to be.
   * @param usesDetectors whether the caller has changed or asked a detector: a question may have seen what another client changed, and
   * what is forgotten if it is never logged. The others do not wait while nothing can be written.
   * @returns false if they are already, and nothing will be called
   */
  whenSafe(callback: () => void, usesDetectors: boolean): boolean {
    const isOpen = this.#isStuck
      ? usesDetectors && (this.#records.length > 0 || this.#isClosed)
      : this.#records.length > 0 || this.#isSyncing;
    if (isOpen) this.#waiting.add({ callback, usesDetectors });
    return isOpen;
  }

  /** True if replies wait for the disk, which takes what is written. */
  get holdsReplies(): boolean {
    return this.#problem === undefined && (this.#isSyncing || this.#records.length > 0);
  }

  /** Resolves once all that was logged before is on the disk, whatever the durability. @throws Error of the system when the disk lost it */
  async untilOnDisk(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#isClosed || !this.whenSafe(resolve, true)) resolve();
    });
    // A journal that was closed has synced all, unless the disk lost it.
    const isSafe = this.#isClosed ? this.#problem === undefined : this.#options.durability === 'always';
    if (isSafe) return;
    if (this.#isClosed || !(await this.#syncInTurn())) throw this.#problem;
  }

  /**
   * Begins another log.
   * @returns its sequence, once all that was logged before is on the disk
   * @throws Error of the system when it cannot be written
   */
  async rotate(): Promise<number> {
    if (this.#look.gone) throw this.#look.gone;
    const log = await LogFile.create(this.#options.folder, this.#log.sequence + 1, RESERVED_BYTES);
    const sequence = await new Promise<number>((resolve, reject) => {
      this.#rotation = { log, rotated: resolve, failed: reject };
      this.#schedule();
    });
    await this.#earlier;
    return sequence;
  }

  /** Forgets the bytes of logs that snapshots have. */
  dropEarlier(): void {
    this.#earlierBytes = 0;
  }

  /** Writes and syncs all. @returns the number of the last block; undefined if that was lost @throws Error of the system when it cannot be */
  async close(): Promise<number | undefined> {
    for (const timer of [this.#timer, this.#retry, this.#idleTimer]) clearTimeout(timer);
    this.#problems.forgetRefusal();
    if (this.#isClosed) return undefined;
    this.#giveUpRotation(new Error('the server stops'));
    while (this.#isSyncing) await new Promise<void>((resolve) => this.whenSafe(resolve, true));
    if (this.#records.length > 0) this.#append();
    await this.#turn;
    await this.#syncing;
    await this.#earlier;
    await this.#log.sync();
    this.#blocks.synced = this.#blocks.written;
    // A block without records says that those before it were on the disk, so that damage to the last of them is found.
    this.#append();
    this.#log.trim();
    await this.#log.sync();
    // What was scheduled before may have begun a sync meanwhile, or set a timer: none may be of a file that is closed.
    clearTimeout(this.#timer);
    await this.#turn;
    await this.#syncing;
    this.#checkLog(MEMORY_GONE);
    this.#log.close();
    this.#isClosed = true;
    for (const timer of [this.#timer, this.#idleTimer]) clearTimeout(timer);
    this.#waiting.release();
    if (this.#look.gone) throw this.#log.removedFrom(this.#options.folder, MEMORY_GONE);
    return this.#blocks.written;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isStuck) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  /** Writes what was gathered in this turn of the event loop. While a sync is in progress, the next one takes it. */
  #flush(): void {
    this.#isScheduled = false;
    if (this.#isSyncing || this.#isClosed || !this.#hasFolder()) return;
    if (this.#look.unreadable !== undefined) this.#tryLater();
    try {
      // The space that was taken for what is gathered is in the log that was written so far.
      if (this.#records.length > 0) this.#append();
      this.#switch();
      [this.#isStuck, this.#problem] = [false, this.#look.gone];
    } catch (error) {
      if (errorCodeOf(error) === 'E_INVARIANT') {
        this.#lose(error);
        return;
      }
      [this.#isStuck, this.#problem] = [true, this.#look.gone ?? error];
      this.#tryLater();
      this.#giveUpRotation(error);
      this.#waiting.releaseUnused();
      this.#tellProblem();
      return;
    }
    this.#tellProblem();
    const isShort = this.#shortage !== undefined || this.#log.reservedBytes < MIN_RESERVED_BYTES;
    if (isShort && this.#look.gone === undefined) this.#takeSpace(RESERVED_BYTES);
    if (this.#options.durability === 'always') void this.#sync();
    else {
      this.#waiting.release();
      this.#timer ??= setTimeout(() => this.#syncInTurn(), SYNC_MILLISECONDS);
    }
  }

  /** Tells if the folder is still ours, and notes if the log was removed: once in a while, and before another log begins. */
  #hasFolder(): boolean {
    if (this.#look.isRecent && this.#rotation === undefined) return true;
    try {
      this.#look.checkFolder();
    } catch (error) {
      this.#lose(error);
      return false;
    }
    this.#checkLog();
    return true;
  }

  /**
   * Looks whether the log was removed. Changes that are in memory are answered then, as those of the second before: a client without an answer
   * would repeat them, and be told that they are duplicates. No other change is made.
   */
  #checkLog(remedy = MEMORY_ONLY): void {
    if (this.#look.gone) return;
    if (this.#look.look(this.#log, remedy)) this.#tellProblem();
    const { gone, unreadable } = this.#look;
    if (unreadable !== undefined) this.#tryLater();
    if (gone === undefined) return;
    this.#problem = gone;
    this.#giveUpRotation(gone);
    this.#options.onGone(gone);
  }

  /** Writes a block, or several if there are many records. @throws Error of the system, and the records that are not written stay */
  #append(): void {
    do {
      const head = { number: this.#blocks.written + 1, synced: this.#blocks.synced };
      this.#log.append(encodeBlock(head, this.#records.part, this.#options.checksum), head);
      this.#blocks.written++;
      this.#records.dropPart();
    } while (this.#records.length > 0);
  }

  /** The log that follows is not begun: it would have to be written on the same disk. */
  #giveUpRotation(error: unknown): void {
    const rotation = this.#rotation;
    this.#rotation = undefined;
    rotation?.log.remove(this.#options.folder);
    rotation?.failed(error);
  }

  /** Takes the next log in place of the current one, if there is one. */
  #switch(): void {
    if (this.#rotation === undefined) return;
    const { log, rotated } = this.#rotation;
    log.begin(this.#blocks.written + 1, this.#options.checksum);
    this.#rotation = undefined;
    const before = this.#log;
    this.#log = log;
    this.#earlierBytes += before.bytes;
    before.trim();
    this.#earlier = Promise.all([this.#earlier, this.#syncing])
      .then(() => before.sync())
      .then(() => before.close());
    this.#earlier.catch((error) => this.#lose(error));
    rotated(log.sequence);
  }

  /** Syncs once the sync in progress has ended: on a slow disk, a later one may end first. @returns whether the disk has what was written */
  #syncInTurn(): Promise<boolean> {
    const sync = this.#turn.then(() => !this.#isClosed && this.#sync());
    this.#turn = sync;
    return sync;
  }

  /** Syncs what was written, and lets go what waits for it. @returns whether the disk has it */
  async #sync(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { written } = this.#blocks;
    // With the other durability, replies wait until their changes are written, which this does not do.
    this.#isSyncing = this.#options.durability === 'always';
    const waiting = this.#isSyncing ? this.#waiting.take() : [];
    try {
      const begin = performance.now();
      this.#syncing = Promise.all([this.#earlier, this.#log.sync()]);
      await this.#syncing;
      this.syncSeconds.add((performance.now() - begin) / 1000);
    } catch (error) {
      this.#lose(error);
      return false;
    }
    this.#blocks.synced = written;
    this.#idleTimer ??= setTimeout(() => this.#markSynced(), IDLE_MILLISECONDS);
    if (!this.#isSyncing) return true;
    this.#isSyncing = false;
    // The next sync begins before the replies are sent: the disk works meanwhile.
    if (this.#hasMore) this.#flush();
    callBack(waiting);
    // Who was answered may have made other changes.
    if (this.#hasMore) this.#schedule();
    else if (!this.#isSyncing) this.#waiting.release();
    return true;
  }

  /**
   * Writes a block without records once nothing has come for a while: it says that the blocks before it are on the disk, so that damage to
   * them is told from a block that was being written.
   */
  #markSynced(): void {
    this.#idleTimer = undefined;
    const { written, synced } = this.#blocks;
    const isIdle = written === synced && written !== this.#marked && !this.#hasMore && !this.#isSyncing;
    if (!isIdle || this.#isClosed || this.#isStuck || !this.#hasFolder() || this.#look.gone) return;
    try {
      this.#append();
      this.#marked = this.#blocks.written;
    } catch (error) {
      // On a full disk the log goes on without it.
      if (errorCodeOf(error) === 'E_INVARIANT') this.#lose(error);
    }
  }

  get #hasMore(): boolean {
    return this.#records.length > 0 || this.#rotation !== undefined;
  }

  /** Takes and acknowledges nothing any more. The system may have dropped what it could not write, so a second sync would say nothing. */
  #lose(error: unknown): void {
    this.#problem = error;
    [this.#isStuck, this.#isClosed, this.#isSyncing] = [true, true, false];
    this.#options.onLoss(error);
  }
}
