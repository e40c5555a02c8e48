// The named detectors of a server. Small ones with the same options share the kernels of a pool.

import { FirstseenError, optionName, phrase, shownValue } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import type { Detector } from '../../detectors/detector.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { type CreateOptions, create, settingsWithKeys } from '../../plan/keys.js';
import { differingSettings } from '../../pool/differences.js';
import { createPool, type DetectorPool } from '../../pool/pool.js';
import { DetectorEntry, type DetectorRequest } from './entry.js';

/** Memory of a detector up to which it shares a kernel with others. */
const MOST_POOLED_BYTES = 2 ** 20;
/** What a kernel of its own takes besides the cells: its code, its tables and the batch. */
const KERNEL_BYTES = 2 ** 20;

/** The limits of a store. */
export interface StoreOptions {
  /** The most memory of all detectors together. */
  memoryBytes: number;
  /** The most detectors. */
  mostDetectors: number;
  /** The longest name. */
  mostNameBytes: number;
}

/** How a request for a detector ended. */
export type Creation = 'created' | 'exists';

function optionsText(options: object): string {
  const show = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
  return JSON.stringify(
    Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)),
    show,
  );
}

/** What a detector takes of the memory of the store. */
function costOf({ memoryBytes }: Pick<DetectorSettings, 'memoryBytes'>): number {
  return memoryBytes > MOST_POOLED_BYTES ? memoryBytes + KERNEL_BYTES : memoryBytes + 1024;
}

/** How what is asked for differs from an existing detector, one text for each setting. */
function differences(entry: DetectorEntry, asked: DetectorRequest, settings: DetectorSettings): string[] {
  const own = entry.detector.settings;
  const found = differingSettings(own, settings).map(({ name, values }) => `${name} is ${values[0]}, not ${values[1]}`);
  const [isKeyed, asksKeyed] = [own, settings].map(({ secret }) => (secret ? 'a secret' : 'no secret'));
  const keyed = isKeyed === asksKeyed ? [] : [`it has ${isKeyed}, not ${asksKeyed}`];
  const [filter, other] = [entry.request, asked].map((request) => filterText(request));
  return [...found, ...keyed, ...(filter === other ? [] : [`it is ${filter}, not ${other}`])];
}

function filterText({ filter }: DetectorRequest): string {
  if (filter === undefined) return 'a detector';
  const { capacity, errorRate, isNonScaling } = filter;
  return `a filter of ${capacity} items at the rate ${errorRate}${isNonScaling ? ' that refuses more' : ''}`;
}

/** Named detectors in memory. */
export class DetectorStore {
  readonly #options: StoreOptions;
  readonly #entries = new Map<string, DetectorEntry>();
  readonly #pools = new Map<string, Promise<DetectorPool>>();
  /** The detectors that are being made, so that two clients do not make the same one. */
  readonly #creating = new Map<string, Promise<unknown>>();
  #usedBytes = 0;
  /** Detectors that there are, or that are being made. */
  #taken = 0;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** Memory that the detectors take. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  get memoryBytes(): number {
    return this.#options.memoryBytes;
  }

  find(name: string): DetectorEntry | undefined {
    return this.#entries.get(name);
  }

  list(): IterableIterator<DetectorEntry> {
    return this.#entries.values();
  }

  /**
   * Makes a detector, unless there is one of the same options.
   * @throws FirstseenError E_USAGE when there is one with others; E_MEMORY when there is no room; otherwise as `create`.
   */
  async create(name: string, request: DetectorRequest): Promise<Creation> {
    while (this.#creating.has(name)) await this.#creating.get(name);
    const existing = this.#entries.get(name);
    if (existing) return checkSame(existing, request, await settingsWithKeys(request.options));
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

  /** Removes a detector. @returns whether there was one */
  drop(name: string): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) return false;
    entry.detector.close();
    this.#entries.delete(name);
    this.#giveBack(costOf(entry.detector.settings));
    return true;
  }

  close(): void {
    for (const name of [...this.#entries.keys()]) this.drop(name);
  }

  async #make(name: string, request: DetectorRequest): Promise<void> {
    this.#checkName(name);
    const settings = await settingsWithKeys(request.options);
    const cost = costOf(settings);
    this.#take(cost);
    try {
      const detector = await this.#detectorFor(name, request.options, settings);
      this.#entries.set(name, new DetectorEntry(name, detector, request));
    } catch (error) {
      this.#giveBack(cost);
      throw error;
    }
  }

  async #detectorFor(name: string, options: CreateOptions, settings: DetectorSettings): Promise<Detector> {
    const isPooled = settings.memoryBytes <= MOST_POOLED_BYTES && settings.partitions === undefined;
    if (!isPooled) return create(options);
    const key = optionsText(options);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = createPool({ memory: this.#options.memoryBytes, detector: options });
      this.#pools.set(key, pool);
    }
    return (await pool).get(name);
  }

  /** Takes memory for a detector before it is made. */
  #take(cost: number): void {
    const { memoryBytes, mostDetectors } = this.#options;
    if (this.#taken === mostDetectors) {
      throw new FirstseenError('E_MEMORY', `the server has ${mostDetectors} detectors, the maximum`, {
        remedy: phrase`drop one, or start the server with a larger ${optionName('maxDetectors')}`,
      });
    }
    const left = memoryBytes - this.#usedBytes;
    if (cost > left) {
      const [needed, room, limit] = [cost, left, memoryBytes].map(formatBytes);
      throw new FirstseenError('E_MEMORY', `the detector takes ${needed}, and ${room} of ${limit} are left`, {
        remedy: phrase`give it less memory, drop another, or start the server with a larger ${optionName('totalMemory')}`,
      });
    }
    this.#usedBytes += cost;
    this.#taken++;
  }

  #giveBack(cost: number): void {
    this.#usedBytes -= cost;
    this.#taken--;
  }

  #checkName(name: string): void {
    const { mostNameBytes } = this.#options;
    const bytes = Buffer.byteLength(name);
    if (bytes > 0 && bytes <= mostNameBytes) return;
    throw new FirstseenError('E_USAGE', `the name ${shownValue(name)} has ${bytes} bytes`, {
      remedy: `give a name of 1 to ${mostNameBytes} bytes`,
    });
  }
}

/** @throws FirstseenError E_USAGE unless a detector is what is asked for. */
function checkSame(entry: DetectorEntry, asked: DetectorRequest, settings: DetectorSettings): Creation {
  const found = differences(entry, asked, settings);
  if (found.length === 0) return 'exists';
  const problem = `the detector ${shownValue(entry.name)} exists with other options: ${found.join('; ')}`;
  throw new FirstseenError('E_USAGE', problem, { remedy: 'give the same options or another name, or drop it first' });
}
