// A pool: many small detectors with the same settings, by name, in a few kernels.

import type { BytesSource } from '../base/bytes.js';
import { checkBytes, checkOptions } from '../base/check.js';
import { copied } from '../base/copied.js';
import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { Described } from '../base/description.js';
import { dispose } from '../base/dispose.js';
import { closedError, FirstseenError, invalidOption, optionName, phrase, shownValue } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import { isHoldingKeys } from '../claims/open.js';
import { givenClock } from '../detectors/clock.js';
import type { Detector } from '../detectors/detector.js';
import { settingsWithJson } from '../detectors/detectorstats.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { detectorKernel } from '../kernel/detectorkernel.js';
import { givenModule } from '../kernel/given.js';
import { type CreateOptions, refuseOverload, settingsWithKeys } from '../plan/keys.js';
import type { SnapshotHeader } from '../snapshot/format.js';
import { SharedHeader } from '../snapshot/sharedheader.js';
import { bytesOfSnapshot, loadInto } from '../snapshot/snapshots.js';
import { checkSameDetector } from './differences.js';
import { type HomeHost, homeLayout, MAX_HOMES_BYTES, PooledHome, PoolKernel } from './homes.js';
import { type PoolOptions, poolOptionNames, type WhenFull, whenFullOf } from './options.js';
import type { PoolDescription, PoolStats } from './poolstats.js';
import { Recency } from './recency.js';

/** Bytes for the detectors of the first kernel. Each further kernel doubles the memory, up to the other limit. */
const FIRST_HOMES_BYTES = 2 ** 20;
const USUAL_HOMES_BYTES = 2 ** 28;

/** @throws FirstseenError E_PARAMETER unless the value is a name. */
function checkName(name: unknown): string {
  if (typeof name === 'string') return name;
  throw invalidOption({ option: 'name', given: name, expected: 'text' });
}

/** The settings of the detectors. @throws FirstseenError as `create`; E_PARAMETER for partitions. */
async function settingsOf(options: CreateOptions): Promise<DetectorSettings> {
  refuseOverload(options, 'for the detectors of a pool');
  const settings = await settingsWithKeys(options);
  if (settings.partitions === undefined) return settings;
  throw invalidOption({
    option: 'detector.partitions',
    given: options.partitions,
    expected: '1, because a detector of a pool is too small to be divided',
  });
}

/** A home of a kernel that no detector has. */
interface FreeHome {
  kernel: PoolKernel;
  offset: number;
}

/** Many small detectors with the same settings, by name. `createPool` makes it. */
export class DetectorPool extends Described {
  readonly #settings: DetectorSettings;
  readonly #module: WebAssembly.Module;
  /** The clock of all detectors. */
  readonly #clock: ReturnType<typeof givenClock>;
  readonly #memoryBytes: number;
  readonly #whenFull: WhenFull;
  readonly #onEvict: PoolOptions['onEvict'];
  readonly #homeBytes: number;
  readonly #maxHomes: number;
  readonly #homes = new Map<string, PooledHome>();
  readonly #host: HomeHost;
  /** The header of the snapshots of all detectors. */
  readonly #header: SharedHeader;
  #kernels: PoolKernel[] = [];
  /** The homes of all kernels. */
  #takenHomes = 0;
  #evicted = 0;
  #isEvicting = false;
  #isClosed = false;

  private constructor(options: PoolOptions, settings: DetectorSettings, module: WebAssembly.Module) {
    super();
    const { memory, onEvict } = options;
    this.#memoryBytes = checkBytes('memory', memory);
    this.#whenFull = whenFullOf(options);
    this.#onEvict = onEvict;
    this.#clock = givenClock(options.detector ?? {});
    this.#module = module;
    this.#settings = settingsWithJson(settings);
    this.#header = new SharedHeader(this.#settings);
    this.#homeBytes = homeLayout(this.#settings).bytes;
    const maxBytes = Math.min(this.#memoryBytes, Number.MAX_SAFE_INTEGER);
    this.#maxHomes = this.#homeBytes > MAX_HOMES_BYTES ? 0 : Math.floor(maxBytes / this.#homeBytes);
    if (this.#maxHomes === 0) throw this.#tooSmall();
    this.#host = { recency: new Recency<PooledHome>(), remove: (home) => this.delete(home.name) };
  }

  /**
   * An empty pool.
   * @throws FirstseenError E_PARAMETER, E_MEMORY, E_ALGORITHM or E_BOUND when the request is impossible.
   * @internal
   */
  static async create(options: PoolOptions): Promise<DetectorPool> {
    const { detector: asked = {}, ...others } = checkOptions(options, poolOptionNames);
    const detector = copied(asked);
    const settings = await settingsOf(detector);
    const { module = await detectorKernel() } = givenModule(detector);
    return new DetectorPool({ ...others, detector }, settings, module);
  }

  /**
   * An empty pool of detectors with resolved settings. Of `options.detector`, only the clock counts.
   * @throws FirstseenError as `create`.
   * @internal
   */
  static async ofSettings(settings: DetectorSettings, options: PoolOptions): Promise<DetectorPool> {
    return new DetectorPool(options, settings, await detectorKernel());
  }

  /**
   * The detector of a name; a new one if the pool has none. Get it for each use, because a detector that has left the pool throws
   * E_CLOSED.
   * @throws FirstseenError E_MEMORY when the pool is full; E_PARAMETER unless the name is text; E_CLOSED after the pool was closed;
   * E_USAGE within `onEvict`; what `onEvict` throws.
   */
  get(name: string): Detector {
    this.#checkChangeable();
    const home = this.#homes.get(checkName(name)) ?? this.#add(name);
    this.#host.recency.use(home);
    return home.detector;
  }

  /** Tells if the pool has a detector of this name. */
  has(name: string): boolean {
    return this.#homes.has(name);
  }

  /**
   * Removes the detector of a name. It throws E_CLOSED from then on. Returns false if the pool has none.
   * @throws FirstseenError E_USAGE within `onEvict`.
   */
  delete(name: string): boolean {
    this.#checkChangeable();
    const home = this.#homes.get(name);
    if (home) this.#release(home, 'was deleted from its pool');
    return home !== undefined;
  }

  /** The names of all detectors, in the order in which they came to the pool. */
  names(): IterableIterator<string> {
    return this.#homes.keys();
  }

  /** All detectors with their names, in the same order. Iterating does not count as a use. */
  *[Symbol.iterator](): Generator<[name: string, detector: Detector], void, undefined> {
    for (const { name, detector } of this.#homes.values()) yield [name, detector];
  }

  /** The number of detectors. */
  get size(): number {
    return this.#homes.size;
  }

  /** Everything that decides the answers of each detector. */
  get settings(): DetectorSettings {
    return this.#settings;
  }

  /** A short description for logs, which never contains the secret. */
  toJSON(): PoolDescription {
    const { family, layout } = this.#settings;
    return { algorithm: family.name, layout, ...this.stats() };
  }

  /** Returns the contents of the pool, and its counts so far. */
  stats(): PoolStats {
    return {
      detectors: this.size,
      maxDetectors: this.#maxHomes,
      detectorBytes: this.#homeBytes,
      memoryBytes: this.#memoryBytes,
      takenBytes: this.#takenHomes * this.#homeBytes,
      evicted: this.#evicted,
    };
  }

  /**
   * The snapshot of the detector of a name, at once: the same bytes as those of `save`. It is a use of the detector.
   * @throws FirstseenError E_USAGE when the pool has no such detector, E_CLOSED after the pool was closed.
   */
  save(name: string): Uint8Array {
    this.#checkOpen();
    const home = this.#homes.get(checkName(name));
    if (home) return this.#snapshotOf(home);
    const problem = `the pool has no detector ${shownValue(name)}`;
    throw new FirstseenError('E_USAGE', problem, { remedy: 'save only names that the pool has' });
  }

  /**
   * Continues the detector of a snapshot under a name that the pool does not have.
   * @throws FirstseenError E_STATE_DIFFERS when the snapshot has other settings; E_SNAPSHOT as `load`; E_USAGE when the pool already has
   * the name; otherwise as `get`.
   */
  load(name: string, snapshot: BytesSource): Detector {
    this.#checkChangeable();
    if (this.#homes.has(checkName(name))) {
      const problem = `the pool already has a detector ${shownValue(name)}`;
      throw new FirstseenError('E_USAGE', problem, { remedy: 'delete it first, or use it' });
    }
    const bytes = bytesOfSnapshot(snapshot);
    const header = this.#header.read(bytes, this.#firstKernel().checksum);
    if (header.settings !== this.#settings) checkSameDetector(name, header.settings, this.#settings);
    const home = this.#add(name, header);
    try {
      loadInto(home.detector, header, bytes);
    } catch (error) {
      this.#release(home, 'could not be loaded');
      throw error;
    }
    return home.detector;
  }

  /** Removes all detectors, and gives their memory back. They throw E_CLOSED from then on. @throws FirstseenError E_USAGE within `onEvict`. */
  clear(): void {
    this.#checkChangeable();
    for (const home of this.#homes.values()) {
      this.#host.recency.remove(home);
      home.end('was removed when its pool was cleared');
    }
    this.#homes.clear();
    this.#kernels = [];
    this.#takenHomes = 0;
  }

  /** As `clear`. Later calls that need a detector throw E_CLOSED. */
  close(): void {
    if (this.#isClosed) return;
    this.clear();
    this.#isClosed = true;
  }

  /** As `close`, for `using`. */
  [dispose](): void {
    this.close();
  }

  #add(name: string, loaded?: SnapshotHeader): PooledHome {
    const origin = { ...defined({ note: loaded?.note }), ...this.#clock };
    const home = new PooledHome({ name, settings: this.#settings, origin, ...this.#freeHome() });
    this.#homes.set(name, home);
    return home;
  }

  #snapshotOf({ detector }: PooledHome): Uint8Array {
    return this.#header.snapshot(detector);
  }

  #release(home: PooledHome, ending: string): void {
    this.#homes.delete(home.name);
    this.#host.recency.remove(home);
    home.free();
    home.end(ending);
  }

  #freeHome(): FreeHome {
    if (this.size === this.#maxHomes) this.#evict();
    for (const kernel of this.#kernels) {
      const offset = kernel.take();
      if (offset !== undefined) return { kernel, offset };
    }
    const kernel = this.#addKernel();
    return { kernel, offset: kernel.take() as number };
  }

  #firstKernel(): PoolKernel {
    return this.#kernels[0] ?? this.#addKernel();
  }

  #addKernel(): PoolKernel {
    const bytes = Math.min(USUAL_HOMES_BYTES, Math.max(FIRST_HOMES_BYTES, this.#takenHomes * this.#homeBytes));
    const homes = Math.min(Math.max(1, Math.floor(bytes / this.#homeBytes)), this.#maxHomes - this.#takenHomes);
    const kernel = new PoolKernel(this.#module, { settings: this.#settings, homes, host: this.#host });
    this.#kernels.push(kernel);
    this.#takenHomes += homes;
    return kernel;
  }

  /** The home whose detector was used least recently, and whose claims hold no key. */
  #minUsed(): PooledHome | undefined {
    let home = this.#host.recency.oldest;
    while (home && isHoldingKeys(home.detector)) home = home.newer;
    return home;
  }

  #evict(): void {
    const home = this.#whenFull === 'evict' ? this.#minUsed() : undefined;
    if (home === undefined) throw this.#full();
    if (this.#onEvict) this.#handOver(home, this.#onEvict);
    this.#release(home, 'left its pool, which was full');
    this.#evicted++;
  }

  /** Hands the snapshot of a detector over. The detector takes no element after that, unless `onEvict` throws. */
  #handOver(home: PooledHome, onEvict: (name: string, snapshot: Uint8Array) => void): void {
    const snapshot = this.#snapshotOf(home);
    home.suspend('is leaving its pool, which is full');
    this.#isEvicting = true;
    try {
      onEvict(home.name, snapshot);
    } catch (error) {
      home.resume();
      throw error;
    } finally {
      this.#isEvicting = false;
    }
  }

  /** @throws FirstseenError E_CLOSED after the pool was closed. */
  #checkOpen(): void {
    if (this.#isClosed) throw closedError('the pool was closed', 'dispose of it after its last use');
  }

  /** @throws FirstseenError E_CLOSED after the pool was closed, E_USAGE within `onEvict`. */
  #checkChangeable(): void {
    this.#checkOpen();
    if (!this.#isEvicting) return;
    throw new FirstseenError('E_USAGE', phrase`${optionName('onEvict')} changes its pool, which is making room`, {
      option: 'onEvict',
      remedy: phrase`use the pool when ${optionName('onEvict')} has returned`,
    });
  }

  #tooSmall(): FirstseenError {
    const fits = this.#homeBytes <= MAX_HOMES_BYTES;
    const [option, given, limit] = fits
      ? ['memory', this.#memoryBytes, `at least ${formatCounted(this.#homeBytes, 'byte')}, which one detector takes`]
      : ['detector.memory', this.#settings.memoryBytes, `less than ${formatBytes(MAX_HOMES_BYTES)}`];
    return invalidOption({ code: 'E_MEMORY', option, given, expected: limit });
  }

  #full(): FirstseenError {
    const [memory, onEvict] = [optionName('memory'), optionName('onEvict')];
    const holding = this.#whenFull === 'evict' ? ', whose claims hold keys' : '';
    const problem = `the pool is full: it has ${formatCounted(this.size, 'detector')}${holding}, in ${formatBytes(this.#memoryBytes)}`;
    const remedy =
      this.#whenFull === 'evict'
        ? phrase`give more ${memory}, or settle claims`
        : phrase`give more ${memory}, delete detectors, or let the least recently used one leave with ${onEvict} or ${optionName('whenFull')} evict`;
    return new FirstseenError('E_MEMORY', problem, { option: 'memory', given: this.#memoryBytes, remedy });
  }
}

/**
 * Creates an empty pool of detectors, for many small ones, such as one for each tenant. Each detector answers as one that `create` makes
 * from the same options.
 * @throws FirstseenError E_PARAMETER, E_MEMORY, E_ALGORITHM or E_BOUND when the request is impossible.
 */
export async function createPool(options: PoolOptions): Promise<DetectorPool> {
  return DetectorPool.create(options);
}
