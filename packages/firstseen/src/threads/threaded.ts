// A detector of a program on several threads. Batches are taken in turns: while the threads observe the elements of one turn, they
// group those of the next, and the thread of the caller copies the one after that into the memory and verdicts out of it.

import { overlap } from '../base/bytes.js';
import { type ClosedDescription, Described } from '../base/description.js';
import { asyncDispose } from '../base/dispose.js';
import { closedError, FirstseenError } from '../base/errors.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import type { DetectorDescription, DetectorStats } from '../detectors/detectorstats.js';
import { type HostOptions, MAX_KEY_BYTES } from '../detectors/host.js';
import type { Key } from '../detectors/key.js';
import { batchVerdicts } from '../detectors/refusals.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { BATCH_CAPACITY, FINGERPRINTS_OFFSET, VERDICTS_OFFSET } from '../kernel/abi.js';
import { type Kernel, regionOffset } from '../kernel/kernel.js';
import { copyNote, copyNow, emptyNote } from '../snapshot/snapshots.js';
import { BANKS, bankSeatsOf, Crew, crewBytes } from './crew.js';
import { SHARED_DETECTOR_BYTES, SharedDetector } from './detector.js';
import { isDivisible, type ThreadBatch } from './owners.js';
import { Pauses } from './pauses.js';
import { type SharedHost, sharedHost } from './sharedkernel.js';
import type { Task } from './tasks.js';

/** The least number of elements. With fewer, handing out the work costs more than the threads save. */
const MIN_ELEMENTS = 4096;
/** Elements that one thread observes at a time. */
const SOLO_ELEMENTS = 2 ** 16;
/** Bytes of the fingerprints and the verdicts of a batch, which are at the same distance as in the memory of a seat. */
const DATA_BYTES = VERDICTS_OFFSET + BATCH_CAPACITY - FINGERPRINTS_OFFSET;
/** The turns whose data are in the memory: one that is observed, one that is grouped, and one that is copied. */
const TURNS_AT_ONCE = 3;

/** Creates the detector in this memory: an empty one, or one that continues a snapshot. */
export type Opening = (host: HostOptions) => Promise<Detector>;

/** The fingerprints from `start` to `end` of a call. */
interface Turn {
  start: number;
  end: number;
}

/** The arrays of a call, which are the detector's own: what is asked for waits, and the program may fill its arrays again meanwhile. */
interface Work {
  fingerprints: BigUint64Array;
  verdicts: Uint8Array;
}

/** @throws FirstseenError E_USAGE when an earlier call has yet to write its verdicts into the same memory. */
function checkApart(verdicts: Uint8Array, awaited: Iterable<Uint8Array>): void {
  for (const other of awaited) {
    if (!overlap(verdicts, other)) continue;
    throw new FirstseenError('E_USAGE', 'the verdicts of two batches were to be written into the same memory', {
      remedy: 'give each batch an array of its own, or wait for the promise of the batch before',
    });
  }
}

/** @throws FirstseenError E_USAGE when the array has become too short for the verdicts. */
function writeVerdicts(verdicts: Uint8Array, target: Uint8Array): void {
  if (target.length >= verdicts.length) {
    target.set(verdicts);
    return;
  }
  const problem = 'the array for verdicts was transferred or resized before the promise of its batch settled';
  throw new FirstseenError('E_USAGE', problem, {
    remedy: 'leave it as it is until then; the batch was observed, so do not observe it again',
  });
}

/** A detector whose batches are observed by several threads. Its answers are those of `Detector`. */
export class ThreadedDetector extends Described {
  readonly #detector: Detector;
  readonly #team: Team | undefined;
  readonly #pauses = new Pauses();
  readonly #threads: number;
  /** The memory of the program into which calls have yet to write verdicts. */
  readonly #awaited = new Set<Uint8Array>();
  /** Settles when all that was asked for is done. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor(detector: Detector, team: Team | undefined, threads: number) {
    super();
    this.#detector = detector;
    this.#team = team;
    this.#threads = threads;
  }

  /**
   * A detector with these settings on this number of threads.
   * @internal
   */
  static async open(settings: DetectorSettings, threads: number, opening: Opening): Promise<ThreadedDetector> {
    if (threads === 1 || !isDivisible(settings)) return new ThreadedDetector(await opening({}), undefined, 1);
    const start = MAX_KEY_BYTES;
    const host = await sharedHost(settings, start + teamBytes(threads));
    const { module, memory, regionBytes } = host;
    const detector = await opening({ module, memory, regionBytes });
    const team = await Team.start({ detector, host, threads, offset: regionOffset(host) + start });
    return new ThreadedDetector(detector, team, threads);
  }

  /** The number of threads that observe: 1 if the elements of this detector cannot be divided. */
  get threads(): number {
    return this.#threads;
  }

  /** Everything that decides the answers of the detector. */
  get settings(): DetectorSettings {
    return this.#detector.settings;
  }

  /** The note of the snapshot from which the detector was loaded, as `Detector.note`. */
  get note(): Uint8Array {
    return this.#detector.note;
  }

  /** Elements observed so far. A batch that is not done counts with the turns that are done. */
  get observed(): number {
    return this.#detector.observed;
  }

  /** A short description for logs, which never contains the secret. `observed` is that of now. */
  toJSON(): (DetectorDescription | ClosedDescription) & { threads: number } {
    return { ...(this.#isClosed ? { isClosed: true } : this.#detector.toJSON()), threads: this.threads };
  }

  /** The time of a detector whose window is a duration, as `Detector.clockMilliseconds`. */
  get clockMilliseconds(): number {
    return this.#detector.clockMilliseconds;
  }

  /** The 64-bit fingerprint of a key. @throws FirstseenError E_KEY for a key that has none. */
  fingerprint(key: Key): bigint {
    return this.#detector.fingerprint(key);
  }

  /**
   * As `Detector.observeBatch`, after all that was asked for before. The fingerprints are copied during the call, so their array may be
   * filled again at once. The verdicts are written when the promise settles.
   * @throws FirstseenError E_PARAMETER when `verdicts` is shorter than `fingerprints` or has another type, E_FULL or E_PARTITION as
   * `Detector.observeBatch` does, E_THREAD when a thread has ended, E_CLOSED after `close`, E_USAGE when `verdicts` is in use by an earlier
   * call, or was transferred or resized before the promise settled.
   */
  async observeBatch(fingerprints: BigUint64Array, verdicts?: Uint8Array): Promise<Uint8Array> {
    const target = batchVerdicts(fingerprints, verdicts, kernelOf(this.#detector).bytes);
    const copies = new BigUint64Array(fingerprints);
    if (verdicts === undefined) {
      await this.#inOrder(() => this.#observe({ fingerprints: copies, verdicts: target }));
      return target;
    }
    const answerTarget = target.subarray(0, copies.length);
    checkApart(answerTarget, this.#awaited);
    const answers = new Uint8Array(answerTarget);
    this.#awaited.add(answerTarget);
    try {
      await this.#inOrder(() => this.#observe({ fingerprints: copies, verdicts: answers }));
    } finally {
      this.#awaited.delete(answerTarget);
      // Those before an element that is refused, too.
      writeVerdicts(answers, answerTarget);
    }
    return target;
  }

  /**
   * Sets the time of a detector with a manual clock whose window is a duration, as `Detector.advance`, after all that was asked for
   * before.
   * @throws FirstseenError E_PARAMETER and E_USAGE as `Detector.advance`; E_THREAD and E_CLOSED as `observeBatch`.
   */
  advance(timeMilliseconds: number): Promise<void> {
    return this.#inOrder(() => this.#detector.advance(timeMilliseconds));
  }

  /**
   * Makes the detector as it was when it was created, as `Detector.clear`, after all that was asked for before.
   * @throws FirstseenError E_THREAD and E_CLOSED as `observeBatch`.
   */
  clear(): Promise<void> {
    return this.#inOrder(() => this.#detector.clear());
  }

  /** The stats after all that was asked for before. @throws FirstseenError E_THREAD and E_CLOSED as `observeBatch`. */
  stats(): Promise<DetectorStats> {
    return this.#inOrder(() => this.#detector.stats());
  }

  /**
   * A snapshot after all that was asked for before, with a note of the program. It is that of the same detector without threads, and
   * `load` and `loadThreaded` take it.
   * @throws FirstseenError E_THREAD and E_CLOSED as `observeBatch`.
   */
  async save(note?: Uint8Array): Promise<Uint8Array> {
    const kept = copyNote(note ?? emptyNote);
    return this.#inOrder(() => copyNow(this.#detector, kept, this)());
  }

  /** Ends the threads when all that was asked for before is done. Later calls are refused, except of `close`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#team?.close();
  }

  /** As `close`. In Node before 20.4, which has no `Symbol.asyncDispose`, there is only `close`. */
  [asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Does the work when what was asked for before is done. */
  async #inOrder<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw closedError('the detector is closed', 'close it after its last use');
    const result = this.#last.then(() => {
      this.#team?.check();
      return work();
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #observe(work: Work): Promise<void> {
    const { fingerprints, verdicts } = work;
    if (this.#team && fingerprints.length >= MIN_ELEMENTS) {
      this.#detector.keepTime();
      return this.#team.observe(work, this.#pauses);
    }
    for (let start = 0; start < fingerprints.length; start += SOLO_ELEMENTS) {
      await this.#pauses.take();
      const end = Math.min(fingerprints.length, start + SOLO_ELEMENTS);
      this.#detector.observeBatch(fingerprints.subarray(start, end), verdicts.subarray(start, end));
    }
  }
}

/** The batches of a turn at most: one for each seat of a bank. */
function batchesOf(threads: number): number {
  return bankSeatsOf(threads) / BANKS;
}

/** Bytes of memory for a team. */
function teamBytes(threads: number): number {
  return crewBytes(threads) + SHARED_DETECTOR_BYTES + TURNS_AT_ONCE * batchesOf(threads) * DATA_BYTES;
}

interface TeamOptions {
  detector: Detector;
  host: SharedHost;
  threads: number;
  /** Address of `teamBytes` bytes of the memory, which must be zero. */
  offset: number;
}

/** Memory for a batch of a turn, and views of it. */
interface Data {
  dataBase: number;
  fingerprints: BigUint64Array;
  verdicts: Uint8Array;
}

function dataAt({ bytes }: Kernel, address: number): Data {
  const dataBase = address - FINGERPRINTS_OFFSET;
  return {
    dataBase,
    fingerprints: new BigUint64Array(bytes.buffer, address, BATCH_CAPACITY),
    verdicts: new Uint8Array(bytes.buffer, dataBase + VERDICTS_OFFSET, BATCH_CAPACITY),
  };
}

/** The threads of a detector, and the memory for its turns. */
class Team {
  readonly #crew: Crew;
  readonly #shared: SharedDetector;
  /** The batches of a turn at most. */
  readonly #most: number;
  readonly #data: readonly Data[];

  private constructor({ detector, threads, offset }: TeamOptions, crew: Crew) {
    const detectorOffset = offset + crewBytes(threads);
    const dataOffset = detectorOffset + SHARED_DETECTOR_BYTES;
    this.#crew = crew;
    this.#shared = new SharedDetector(detector, crew, detectorOffset);
    this.#most = batchesOf(threads);
    this.#data = Array.from({ length: TURNS_AT_ONCE * this.#most }, (_, i) =>
      dataAt(kernelOf(detector), dataOffset + i * DATA_BYTES),
    );
  }

  static async start(options: TeamOptions): Promise<Team> {
    const { detector, host, threads, offset } = options;
    const crew = await Crew.start({ kernel: kernelOf(detector), made: host, threads, offset });
    try {
      const team = new Team(options, crew);
      await crew.ready();
      await team.#shared.configure();
      return team;
    } catch (error) {
      await crew.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#crew.close();
  }

  /** @throws FirstseenError E_THREAD when a thread has ended. */
  check(): void {
    this.#crew.check();
  }

  /** @throws as `ThreadedDetector.observeBatch`, after the elements before the one that is refused are answered. */
  async observe(work: Work, pauses: Pauses): Promise<void> {
    const turns = this.#turnsOf(work.fingerprints.length);
    const { detector } = this.#shared;
    const observedBefore = detector.observed;
    this.#copyIn(work, turns, 0);
    let postedTasks = this.#crew.post(this.#tasksToGroup(turns, 0));
    this.#copyIn(work, turns, 1);
    for (const turn of turns.keys()) {
      await pauses.take();
      await this.#crew.finish(postedTasks);
      const sideWork = async () => {
        postedTasks = this.#crew.post(this.#tasksToGroup(turns, turn + 1));
        this.#copyIn(work, turns, turn + 2);
        this.#copyOut(work, turns, turn - 1);
      };
      try {
        await this.#observeTurn(this.#batches(turns, turn), sideWork);
      } catch (error) {
        await this.#crew.finish(postedTasks);
        this.#copyOut(work, turns, turn, detector.observed - observedBefore);
        throw error;
      }
    }
    this.#copyOut(work, turns, turns.length - 1);
  }

  /** Turns of about equal size. */
  #turnsOf(elements: number): Turn[] {
    const count = Math.ceil(elements / (this.#most * BATCH_CAPACITY));
    const starts = Array.from({ length: count + 1 }, (_, i) => Math.floor((elements * i) / count));
    return starts.slice(1).map((end, i) => ({ start: starts[i] as number, end }));
  }

  /** The batches of a turn, with their memory. Empty past the last turn. */
  #parts(turns: readonly Turn[], turn: number): (Turn & { data: Data; seat: number })[] {
    const { start, end } = turns[turn] ?? { start: 0, end: 0 };
    const size = Math.ceil((end - start) / this.#most);
    const count = size === 0 ? 0 : Math.ceil((end - start) / size);
    return Array.from({ length: count }, (_, i) => ({
      start: start + i * size,
      end: Math.min(end, start + (i + 1) * size),
      data: this.#data[(turn % TURNS_AT_ONCE) * this.#most + i] as Data,
      seat: this.#crew.banks[turn % BANKS]?.[i] as number,
    }));
  }

  #batches(turns: readonly Turn[], turn: number): ThreadBatch[] {
    return this.#parts(turns, turn).map(({ start, end, data, seat }) => ({
      seat,
      threadBase: this.#crew.bases[seat] as number,
      dataBase: data.dataBase,
      count: end - start,
    }));
  }

  #tasksToGroup(turns: readonly Turn[], turn: number): Task[] {
    return this.#parts(turns, turn).map(({ start, end, data, seat }) => ({
      seat,
      calls: this.#shared.callsToGroup(data.dataBase, end - start),
    }));
  }

  #copyIn(work: Work, turns: readonly Turn[], turn: number): void {
    for (const { start, end, data } of this.#parts(turns, turn)) {
      data.fingerprints.set(work.fingerprints.subarray(start, end));
    }
  }

  /** Copies the verdicts of a turn. The first `answered` elements of the batch have verdicts. */
  #copyOut(work: Work, turns: readonly Turn[], turn: number, answered = Number.POSITIVE_INFINITY): void {
    for (const { start, end, data } of this.#parts(turns, turn)) {
      const size = Math.min(end, answered) - start;
      if (size > 0) work.verdicts.set(data.verdicts.subarray(0, size), start);
    }
  }

  /** Observes the batches of a turn, and does what is to be done meanwhile. */
  async #observeTurn(batches: readonly ThreadBatch[], meanwhile: () => Promise<void>): Promise<void> {
    if (this.#shared.canObserve(batches)) return this.#shared.observe(batches, meanwhile);
    await meanwhile();
    for (const batch of batches) {
      if (this.#shared.canObserve([batch])) await this.#shared.observe([batch]);
      else this.#shared.detector.observePlaced(batch.count, 0, batch.dataBase);
    }
  }
}
