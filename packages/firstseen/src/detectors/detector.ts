// A detector: one family's kernel over fixed memory, behind the contract that all families share.

import { FirstseenError } from '../errors.js';
import { fingerprintKinds } from '../fingerprint/fingerprint.js';
import {
  type DetectorExports,
  DUPLICATE,
  DUPLICATES_SLOT,
  detectorExports,
  KEYED,
  LAYOUT_BLOCKED,
  LAYOUT_CLASSIC,
  OBSERVED_SLOT,
  SECRET_OFFSET,
} from '../kernel/abi.js';
import { Kernel, type KernelOptions, kernelPages } from '../kernel/kernel.js';
import type { ParameterValue } from './contract.js';
import { cellsBytesOf, type DetectorOptions, type DetectorSettings, resolveSettings } from './settings.js';
import { type WitnessStats, witnessStats } from './witness.js';

/** What decides identity. Text is its UTF-8 bytes; an integer from 0 to 2^64 - 1 is its eight bytes. */
export type Key = string | Uint8Array | number | bigint;
export type Verdict = 'distinct' | 'duplicate';

export interface DetectorStats {
  algorithm: string;
  layout: string;
  fingerprint: string;
  seed: bigint;
  /** Parameters by the papers' letters, derived ones included. */
  parameters: Record<string, ParameterValue>;
  /** Elements observed or added, and how many of them were reported duplicate. */
  observed: number;
  duplicates: number;
  /** Fraction of ones, or of occupied entries; counted over the whole memory at each call. */
  load: number;
  /** Bytes asked for. */
  memoryBytes: number;
  /** Bytes that the cells really take: those asked for, rounded down, unless the family was told to count otherwise. */
  cellsBytes: number;
  /** Error rates measured on the stream itself, when there is a witness. */
  witness?: WitnessStats;
}

/** How a host that shares the kernel's memory creates a detector. */
export interface HostOptions {
  /** Bytes behind the cells for keys, or for a host's input and output. */
  regionBytes?: number;
  /**
   * Another build of the kernel.
   * @internal
   */
  module?: WebAssembly.Module;
}

/** The longest key that the library takes; memory is only used up to the longest key seen. */
const MOST_KEY_BYTES = 2 ** 20;

const WORD = 2 ** 32;

/** Elements that are counted exactly as a number. */
const MOST_OBSERVED = 2n ** 53n - 1n;
/** The end of the year 5138: as far as seconds and milliseconds since 1970 are told apart. */
const MOST_TIME_MILLISECONDS = 10 ** 14;

const encoder = new TextEncoder();

function copyKey(key: Uint8Array, target: Uint8Array): void {
  try {
    target.set(key);
  } catch (cause) {
    throw new FirstseenError('E_KEY', 'a key of bytes was given whose buffer is detached; copy it before it goes', {
      cause,
    });
  }
}

function kernelOptions(
  settings: DetectorSettings,
  { regionBytes = MOST_KEY_BYTES, module }: HostOptions,
): KernelOptions {
  const { witnessBytes } = settings;
  return { cellsBytes: cellsBytesOf(settings), witnessBytes, regionBytes, ...(module ? { module } : {}) };
}

/**
 * Refuses settings as a detector of them would be refused, without making one.
 * @throws FirstseenError E_MEMORY when no kernel has room for it.
 */
export function checkRoom(settings: DetectorSettings): void {
  kernelPages(kernelOptions(settings, {}));
}

export class Detector {
  readonly settings: DetectorSettings;
  /** @internal */
  readonly kernel: Kernel;
  readonly #rule: DetectorExports;
  readonly #hasWitness: boolean;
  readonly #keyRegion: Uint8Array<ArrayBuffer>;
  readonly #keyView: DataView;
  readonly #fingerprintId: number;

  private constructor(settings: DetectorSettings, kernel: Kernel) {
    this.settings = settings;
    this.kernel = kernel;
    this.#rule = detectorExports[settings.family.name](kernel.exports);
    this.#hasWitness = settings.witnessBytes > 0;
    this.#keyRegion = kernel.bytes.subarray(kernel.regionOffset);
    this.#keyView = new DataView(kernel.bytes.buffer);
    this.#fingerprintId = fingerprintKinds[settings.fingerprint].id;
    kernel.writeParameters({
      layout: settings.layout === 'blocked' ? LAYOUT_BLOCKED : LAYOUT_CLASSIC,
      seed: settings.seed,
      isKeyed: settings.secret !== undefined,
    });
    kernel.setParameters(settings.parameters.kernel);
    settings.secret?.copyTo(kernel.bytes, SECRET_OFFSET);
    this.#rule.configure();
    if (this.#hasWitness) this.startWitness();
  }

  /**
   * An empty detector.
   * @throws FirstseenError E_ALGORITHM, E_PARAMETER or E_MEMORY when the request is impossible; the message says which
   * bound it breaks.
   */
  static async create(options: DetectorOptions = {}, host: HostOptions = {}): Promise<Detector> {
    return Detector.ofSettings(resolveSettings(options), host);
  }

  /**
   * An empty detector of settings resolved before.
   * @internal
   */
  static async ofSettings(settings: DetectorSettings, host: HostOptions = {}): Promise<Detector> {
    return new Detector(settings, await Kernel.create(kernelOptions(settings, host)));
  }

  /**
   * Test-and-add: the answer for the state before the key is added.
   * @throws FirstseenError E_KEY for a key that cannot be fingerprinted, E_FULL from an exact detector without room.
   */
  observe(key: Key): Verdict {
    this.#placeFingerprint(key);
    this.observePlaced(1);
    return this.kernel.verdicts[0] === DUPLICATE ? 'duplicate' : 'distinct';
  }

  /** The answer alone; the detector stays as it is. */
  test(key: Key): Verdict {
    this.#placeFingerprint(key);
    this.testPlaced(1);
    return this.kernel.verdicts[0] === DUPLICATE ? 'duplicate' : 'distinct';
  }

  /** The other half: adds the key. `test` then `add` is `observe`. */
  add(key: Key): void {
    this.observe(key);
  }

  /**
   * Tells a detector whose window is a time what time it is, in milliseconds since 1970; fractions count down. What is
   * observed afterwards comes at that time. The clock stands at 0 at first and never goes back: a time before its own is
   * ignored. No clock is read but this, so the same calls give the same answers.
   * @throws FirstseenError E_PARAMETER when the window is no time, or the time is not one from 0 to the year 5138.
   */
  advance(timeMilliseconds: number): void {
    const { family, parameters } = this.settings;
    if (!parameters.isTimed) {
      throw new FirstseenError(
        'E_PARAMETER',
        `a time was given, but this ${family.name} keeps no window in time; create it with a window such as 1h`,
      );
    }
    if (!(typeof timeMilliseconds === 'number' && timeMilliseconds >= 0 && timeMilliseconds < MOST_TIME_MILLISECONDS)) {
      throw new FirstseenError(
        'E_PARAMETER',
        `time is ${timeMilliseconds}, but must be a number of milliseconds since 1970, from 0 to less than ${MOST_TIME_MILLISECONDS}`,
      );
    }
    this.#rule.advance?.(timeMilliseconds);
  }

  /** The 64-bit fingerprint under which the detector knows a key. */
  fingerprint(key: Key): bigint {
    this.#placeFingerprint(key);
    return this.kernel.fingerprints[0] as bigint;
  }

  /**
   * `observe` over fingerprints, in order. Writes one byte each to `verdicts`: 0 distinct, 1 duplicate.
   * @throws FirstseenError E_PARAMETER when `verdicts` is shorter than `fingerprints` or one is no such array; E_FULL as
   * `observe` does, with the elements before the one refused added and answered.
   */
  observeBatch(fingerprints: BigUint64Array, verdicts: Uint8Array = new Uint8Array(fingerprints.length)): Uint8Array {
    return this.#inBatches(fingerprints, verdicts, (count) => this.#take(count));
  }

  /** `test` over fingerprints, in order; verdicts as in `observeBatch`. */
  testBatch(fingerprints: BigUint64Array, verdicts: Uint8Array = new Uint8Array(fingerprints.length)): Uint8Array {
    return this.#inBatches(fingerprints, verdicts, (count) => {
      this.testPlaced(count);
      return count;
    });
  }

  /**
   * Starts the witness from what its memory holds: nothing, or what was loaded.
   * @internal
   */
  startWitness(): void {
    this.kernel.exports.witnessConfigure(this.kernel.witnessOffset, this.kernel.witnessBytes);
  }

  /**
   * Observes the first `count` fingerprints of the kernel's batch; the verdicts are in the kernel's.
   * @internal
   */
  observePlaced(count: number): void {
    if (this.#take(count) < count) throw this.#fullError();
  }

  /**
   * Observes the first `count` fingerprints of the kernel's batch, each at its time in the kernel's `times`.
   * @internal
   */
  observePlacedTimed(count: number): void {
    const { observeTimed } = this.#rule;
    if (!observeTimed) throw new Error(`${this.settings.family.name} takes no times`);
    this.#takeWith(observeTimed, count);
  }

  /** Observes the batch as far as there is room; returns how many elements were added and answered. */
  #take(count: number): number {
    return this.#takeWith(this.#rule.observe, count);
  }

  /** Whatever observes, the witness follows what was taken. */
  #takeWith(observe: DetectorExports['observe'], count: number): number {
    const { fingerprints, verdicts } = this.kernel;
    const taken = observe(fingerprints.byteOffset, verdicts.byteOffset, count);
    if (this.#hasWitness) this.kernel.exports.witnessObserve(fingerprints.byteOffset, verdicts.byteOffset, taken);
    return taken;
  }

  /**
   * Tests the first `count` fingerprints of the kernel's batch.
   * @internal
   */
  testPlaced(count: number): void {
    this.#rule.test(this.kernel.fingerprints.byteOffset, this.kernel.verdicts.byteOffset, count);
  }

  /**
   * Whether a state that was loaded is one that the family's rule can lead to, as far as its kernel relies on it.
   * @internal
   */
  hasPossibleState(): boolean {
    const { state, exports } = this.kernel;
    const observed = state[OBSERVED_SLOT] as bigint;
    const duplicates = state[DUPLICATES_SLOT] as bigint;
    if (observed > MOST_OBSERVED || duplicates > observed) return false;
    const isPossible = !this.#rule.check || this.#rule.check() === 1;
    return isPossible && (!this.#hasWitness || exports.witnessCheck() === 1);
  }

  /** Elements observed or added so far. */
  get observed(): number {
    return Number(this.kernel.state[OBSERVED_SLOT]);
  }

  stats(): DetectorStats {
    return { ...this.statsWithoutLoad(), load: this.countLoad() };
  }

  /**
   * Fraction of ones, or of occupied entries, counted over the whole memory.
   * @internal
   */
  countLoad(): number {
    return this.#rule.load();
  }

  /**
   * What takes no walk over the memory.
   * @internal
   */
  statsWithoutLoad(): Omit<DetectorStats, 'load'> {
    const { settings, kernel } = this;
    const duplicates = Number(kernel.state[DUPLICATES_SLOT]);
    return {
      algorithm: settings.family.name,
      layout: settings.layout,
      fingerprint: settings.fingerprint,
      seed: settings.seed,
      parameters: { ...settings.parameters.values },
      observed: this.observed,
      duplicates,
      memoryBytes: settings.memoryBytes,
      cellsBytes: kernel.cellsBytes,
      ...(settings.witnessBytes > 0
        ? { witness: witnessStats(kernel, { observed: this.observed, reported: duplicates }) }
        : {}),
    };
  }

  #inBatches(fingerprints: BigUint64Array, verdicts: Uint8Array, answer: (count: number) => number): Uint8Array {
    const { kernel } = this;
    if (!(fingerprints instanceof BigUint64Array && verdicts instanceof Uint8Array)) {
      throw new FirstseenError('E_PARAMETER', 'fingerprints must be a BigUint64Array, and verdicts a Uint8Array');
    }
    if (verdicts.length < fingerprints.length) {
      throw new FirstseenError(
        'E_PARAMETER',
        `verdicts has room for ${verdicts.length} bytes, but there are ${fingerprints.length} fingerprints`,
      );
    }
    for (let start = 0; start < fingerprints.length; start += kernel.batchCapacity) {
      const batch = fingerprints.subarray(start, start + kernel.batchCapacity);
      kernel.fingerprints.set(batch);
      const answered = answer(batch.length);
      verdicts.set(kernel.verdicts.subarray(0, answered), start);
      if (answered < batch.length) throw this.#fullError();
    }
    return verdicts;
  }

  #placeFingerprint(key: Key): void {
    const { kernel } = this;
    const target = kernel.fingerprints.byteOffset;
    if (typeof key === 'number' || typeof key === 'bigint') {
      this.#placeInteger(key);
      kernel.exports.fingerprintInteger(this.#fingerprintId, kernel.regionOffset, target);
      return;
    }
    const length = this.#placeBytes(key);
    if (kernel.exports.fingerprintKey(this.#fingerprintId, kernel.regionOffset, length, target) !== KEYED) {
      throw new FirstseenError(
        'E_KEY',
        `key ${JSON.stringify(String(key))} is no decimal integer from 0 to 2^64 - 1, which fingerprint identity needs`,
      );
    }
  }

  #placeInteger(key: number | bigint): void {
    const { regionOffset } = this.kernel;
    if (Number.isSafeInteger(key) && key >= 0) {
      // Most integers are numbers, and two stores are far quicker than a detour over bigint.
      this.#keyView.setUint32(regionOffset, Number(key) % WORD, true);
      this.#keyView.setUint32(regionOffset + 4, Math.floor(Number(key) / WORD), true);
      return;
    }
    if (typeof key !== 'bigint' || key < 0n || key >= 2n ** 64n) {
      throw new FirstseenError(
        'E_KEY',
        `key ${key} is not a whole number from 0 to 2^64 - 1; give other numbers as text`,
      );
    }
    this.#keyView.setBigUint64(regionOffset, key, true);
  }

  #placeBytes(key: string | Uint8Array): number {
    const region = this.#keyRegion;
    if (typeof key === 'string') {
      const { read, written } = encoder.encodeInto(key, region);
      if (read === key.length) return written;
    } else if (key instanceof Uint8Array) {
      if (key.length <= region.length) {
        copyKey(key, region);
        return key.length;
      }
    } else {
      throw new FirstseenError(
        'E_KEY',
        `a key is of type ${typeof key}, but must be a string, bytes, a number or a bigint`,
      );
    }
    throw new FirstseenError(
      'E_KEY',
      `a key of length ${key.length} was given, but at most ${region.length} bytes are taken; hash it first`,
    );
  }

  #fullError(): FirstseenError {
    const { settings } = this;
    return new FirstseenError(
      'E_FULL',
      `${settings.family.name} holds all the elements that ${settings.memoryBytes} bytes have room for, and a new one came; ` +
        'give it more memory, or choose an algorithm that forgets',
    );
  }
}
