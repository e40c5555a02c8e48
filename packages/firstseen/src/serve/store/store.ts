// The named detectors of a server. Small ones with the same options share the kernels of a pool.

import { FirstseenError, shownValue } from '../../base/errors.js';
import { assertInvariant } from '../../base/invariant.js';
import type { HeldClaim } from '../../claims/held.js';
import { givenClock } from '../../detectors/clock.js';
import { Detector } from '../../detectors/detector.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { fingerprintForms } from '../../fingerprint/fingerprint.js';
import { SECRET_BYTES } from '../../kernel/abi.js';
import type { CreateOptions } from '../../plan/keys.js';
import { DetectorPool } from '../../pool/pool.js';
import { headerChecksum } from '../../snapshot/checksum.js';
import { DecodedSettings } from '../../snapshot/format.js';
import type { Checksum } from '../../snapshot/frame.js';
import { load } from '../../snapshot/load.js';
import { identityOf } from '../../snapshot/partitions.js';
import { headerIn, save } from '../../snapshot/snapshots.js';
import { type Planning, planningHere } from '../planning/planning.js';
import type { Recorder, Recording } from './changes.js';
import { DetectorEntry } from './entry.js';
import { OtherCounters } from './othercounters.js';
import { type DetectorRequest, RANDOM_SECRET } from './request.js';
import { checkName, checkRate, checkSame } from './requestchecks.js';
import type { RequestMemory, SavedRequest } from './requestids.js';
import { costOf, isPooled, Room, type RoomLimits, SMALL_KERNEL_BYTES } from './room.js';

/** The limits of a store. */
export interface StoreOptions extends RoomLimits {
  /** The longest name. */
  maxNameBytes: number;
  /** True if a detector is keyed if its options do not say. */
  isKeyed?: boolean | undefined;
  /** Makes the plans; in this thread by default. */
  planning?: Planning | undefined;
}

/** The result of a request for a detector. */
export type Creation = 'created' | 'exists';

/** A window in time is moved by the store, because the log has the times. */
const manualClock = { clock: 'manual' } as const;

/** A detector of a log or a snapshot. */
export interface SavedDetector {
  number: number;
  name: string;
  request: DetectorRequest;
  requests: readonly SavedRequest[];
  /** The claims that hold keys. */
  held: readonly HeldClaim[];
  /** In pieces, if it is too large for a detector that shares a kernel. */
  snapshot: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Tells if options say that a detector is keyed, or that it is not: by a secret, or by a fingerprint that takes none. */
function saysKeyed({ secret, fingerprint }: CreateOptions): boolean {
  return secret !== undefined || (fingerprint !== undefined && fingerprintForms[fingerprint]?.isKeyed !== true);
}

/** Detectors of the same settings share kernels. */
function keyOfPool(settings: DetectorSettings): string {
  return `${identityOf(settings)} ${settings.witnessBytes} ${JSON.stringify(settings.keyScheme)}`;
}

/** Named detectors in memory. */
export class DetectorStore implements Recording, RequestMemory {
  /** Is told what changes the detectors. */
  recorder: Recorder | undefined;
  readonly #options: StoreOptions;
  readonly #entries = new Map<string, DetectorEntry>();
  readonly #byNumber = new Map<number, DetectorEntry>();
  readonly #pools = new Map<string, Promise<DetectorPool>>();
  /** The detectors that are being made, so that two clients do not make the same one. */
  readonly #creating = new Map<string, Promise<unknown>>();
  /** The secret of the keyed detectors that this process makes, so that they can share kernels. */
  readonly #secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  /** Made once: a checksum for each snapshot would need a kernel for each. */
  #checksum: Promise<Checksum> | undefined;
  readonly #decoded = new DecodedSettings();
  /** The number of the next detector. */
  nextNumber = 1;
  /** The memory that is taken. */
  readonly room: Room;
  /** The counters of the detectors without series of their own. */
  readonly others = new OtherCounters(() => this.list());

  /** Makes plans. */
  readonly planning: Planning;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.room = new Room(options);
    this.planning = options.planning ?? planningHere;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** Memory that the detectors take, with the ids of their requests. */
  get usedBytes(): number {
    return this.room.usedBytes;
  }

  get leftBytes(): number {
    return this.room.leftBytes;
  }

  countBytes(bytes: number): void {
    this.room.countBytes(bytes);
  }

  get memoryBytes(): number {
    return this.#options.memoryBytes;
  }

  find(name: string): DetectorEntry | undefined {
    return this.#entries.get(name);
  }

  /** The detector of a number, as logs name it. */
  findNumber(number: number): DetectorEntry | undefined {
    return this.#byNumber.get(number);
  }

  list(): IterableIterator<DetectorEntry> {
    return this.#entries.values();
  }

  /**
   * Makes a detector, unless there is one of the same options, which takes the expectations of the request.
   * @throws FirstseenError E_USAGE when it exists with other options; E_MEMORY when there is no room; otherwise as `create`.
   */
  async create(name: string, request: DetectorRequest): Promise<Creation> {
    for (;;) {
      while (this.#creating.has(name)) await this.#creating.get(name);
      const existing = this.#entries.get(name);
      if (existing === undefined) break;
      const settings = await this.planning.settingsOf(this.#optionsFor(request, existing));
      // A plan takes time, in which the detector may have been dropped.
      if (this.#entries.get(name) !== existing) continue;
      checkSame(existing, request, settings);
      existing.expect(request);
      return 'exists';
    }
    const creating = this.#make(name, request);
    this.#creating.set(
      name,
      creating.catch(() => undefined),
    );
    try {
      await creating;
      return 'created';
    } finally {
      this.#creating.delete(name);
    }
  }

  /** Ends the replay of a log. */
  endReplay(): void {
    for (const entry of this.#entries.values()) entry.endReplay();
  }

  /** Removes a detector. @returns whether there was one */
  drop(name: string): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    entry.record('dropped');
    this.others.noteDrop(entry);
    this.#entries.delete(name);
    this.#byNumber.delete(entry.number);
    entry.drop();
    this.room.giveBack(entry.costBytes);
    this.#close(entry.detector);
    return true;
  }

  /** A number for a detector that is being sent. */
  takeNumber(): number {
    return this.nextNumber++;
  }

  /** @throws FirstseenError E_USAGE for a name that no detector can have, or that one has */
  checkFree(name: string): void {
    checkName(name, this.#options.maxNameBytes);
    if (!this.#entries.has(name) && !this.#creating.has(name)) return;
    const problem = `the detector ${shownValue(name)} exists`;
    throw new FirstseenError('E_USAGE', problem, { remedy: 'give another name, or drop it first' });
  }

  /**
   * Takes a detector that was sent, and tells the recorder.
   * @param release gives back what was reserved for it
   * @param untilReady waits until the store may change
   * @throws FirstseenError E_USAGE as `checkFree`; otherwise as `restore`. Then there is no detector.
   */
  async adopt(saved: SavedDetector, release: () => void, untilReady: () => Promise<void>): Promise<DetectorEntry> {
    const { name, snapshot } = saved;
    // It takes as long as its client sends, and the name is not taken meanwhile. One that is read as a whole may share a kernel, by its name.
    const loaded = snapshot instanceof Uint8Array ? undefined : await load(snapshot, manualClock);
    try {
      this.checkFree(name);
    } catch (error) {
      loaded?.close();
      throw error;
    }
    const adopting = this.#adopt(saved, loaded, untilReady);
    this.#creating.set(
      name,
      adopting.catch(() => undefined),
    );
    try {
      const entry = await adopting;
      release();
      this.room.take(entry.costBytes);
      this.#add(entry);
      entry.record('imported');
      return entry;
    } finally {
      this.#creating.delete(name);
    }
  }

  async #adopt(
    { number, name, request, requests, held, snapshot }: SavedDetector,
    loaded: Detector | undefined,
    untilReady: () => Promise<void>,
  ): Promise<DetectorEntry> {
    const detector = loaded ?? (await this.#load(name, snapshot));
    let entry: DetectorEntry | undefined;
    try {
      entry = this.#entryOf(number, name, detector, request);
      entry.holdAgain(held);
      await untilReady();
      entry.requests.restore(requests);
      return entry;
    } catch (error) {
      entry?.drop();
      this.#close(detector);
      throw error;
    }
  }

  /** Returns the snapshot of a detector that shares a kernel; undefined for one that shares none. */
  async sharedSnapshot({ name, detector }: DetectorEntry): Promise<Uint8Array | undefined> {
    const pool = await this.#pools.get(keyOfPool(detector.settings));
    return pool?.has(name) ? pool.save(name) : undefined;
  }

  /** Frees the memory of all detectors. Nobody is told of it. */
  close(): void {
    for (const { detector } of this.#entries.values()) detector.close();
    this.#entries.clear();
    this.#byNumber.clear();
  }

  /**
   * Makes a detector of a log or a snapshot. Limits are not applied to it, and nobody is told of it.
   * @throws FirstseenError E_SNAPSHOT, E_MEMORY or E_COMPILE as `load`.
   */
  async restore({ number, name, request, requests, held, snapshot }: SavedDetector): Promise<void> {
    const detector = await this.#load(name, snapshot);
    const entry = this.#entryOf(number, name, detector, request);
    this.room.take(entry.costBytes);
    this.#add(entry);
    entry.requests.restore(requests);
    for (const claim of held) entry.replayHeld(claim);
    this.nextNumber = Math.max(this.nextNumber, number + 1);
  }

  async #load(name: string, snapshot: SavedDetector['snapshot']): Promise<Detector> {
    if (!(snapshot instanceof Uint8Array)) return load(snapshot, manualClock);
    const { settings } = headerIn(snapshot, await this.#checksumOfHeaders(), this.#decoded);
    if (!isPooled(settings)) return load(snapshot, manualClock);
    try {
      return (await this.#poolOf(settings)).load(name, snapshot);
    } catch (error) {
      void this.#forgetPool(settings);
      throw error;
    }
  }

  #checksumOfHeaders(): Promise<Checksum> {
    this.#checksum ??= headerChecksum(undefined);
    return this.#checksum;
  }

  /**
   * The options with which a request is made. One that does not say whether it is keyed is as the server makes them, or as the one was made
   * that it is compared with, if that did not say it either.
   */
  #optionsFor({ options }: DetectorRequest, existing?: DetectorEntry): CreateOptions {
    const isSaid = saysKeyed(options);
    const follows = existing !== undefined && !saysKeyed(existing.request.options);
    const isKeyed = follows ? existing.detector.settings.secret !== undefined : this.#options.isKeyed === true;
    const asksKeyed = isSaid ? options.secret === RANDOM_SECRET : isKeyed;
    return asksKeyed ? { ...options, secret: this.#secret } : options;
  }

  async #make(name: string, request: DetectorRequest): Promise<void> {
    checkName(name, this.#options.maxNameBytes);
    const settings = await this.planning.settingsOf(this.#optionsFor(request));
    checkRate(request, settings);
    const cost = costOf(settings, request);
    this.room.check(cost + this.newPoolBytes(settings));
    this.room.take(cost);
    let detector: Detector | undefined;
    try {
      const pool = isPooled(settings) ? await this.#poolOf(settings) : undefined;
      detector = pool ? pool.get(name) : await Detector.ofSettings(settings, givenClock(manualClock));
      // Before any other can use it.
      const snapshot = this.recorder && (pool ? pool.save(name) : await save(detector));
      const entry = this.#entryOf(this.nextNumber++, name, detector, request);
      if (snapshot) entry.record('created', snapshot);
      this.#add(entry);
    } catch (error) {
      this.room.giveBack(cost);
      if (detector) this.#close(detector);
      else void this.#forgetPool(settings);
      throw error;
    }
  }

  #close(detector: Detector): void {
    const { settings } = detector;
    detector.close();
    void this.#forgetPool(settings);
  }

  /** Bytes that a detector takes besides if it is the first of its settings: it makes a kernel that others share later. */
  newPoolBytes(settings: DetectorSettings): number {
    return isPooled(settings) && !this.#pools.has(keyOfPool(settings)) ? SMALL_KERNEL_BYTES : 0;
  }

  #entryOf(number: number, name: string, detector: Detector, request: DetectorRequest): DetectorEntry {
    return new DetectorEntry({ number, name, detector, request, owner: this });
  }

  /** @throws FirstseenError E_INVARIANT for a name or a number that another detector has, whose changes the log could not tell apart */
  #add(entry: DetectorEntry): void {
    const { name, number } = entry;
    const isNew = !this.#entries.has(name) && !this.#byNumber.has(number);
    assertInvariant(isNew, 'no two detectors have the same name or number', { name, number });
    this.#entries.set(name, entry);
    this.#byNumber.set(number, entry);
  }

  /** Lets the kernels of a pool go if it is empty. Who is about to take one of them keeps it. */
  async #forgetPool(settings: DetectorSettings): Promise<void> {
    const key = keyOfPool(settings);
    const pool = this.#pools.get(key);
    const size = await pool?.then(
      (opened) => opened.size,
      () => 0,
    );
    if (size !== 0 || this.#pools.get(key) !== pool) return;
    this.#pools.delete(key);
    this.room.countBytes(-SMALL_KERNEL_BYTES);
  }

  #poolOf(settings: DetectorSettings): Promise<DetectorPool> {
    const key = keyOfPool(settings);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = DetectorPool.ofSettings(settings, { memory: Number.MAX_SAFE_INTEGER, detector: manualClock });
      this.#pools.set(key, pool);
      this.room.countBytes(SMALL_KERNEL_BYTES);
    }
    return pool;
  }
}
