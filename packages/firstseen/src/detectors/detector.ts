// A detector: the kernel of one family over fixed memory, behind the contract of all families.

import { FirstseenError, invalidOption, optionName, phrase } from '../errors.js';
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
import { Kernel } from '../kernel/kernel.js';
import type { Claims } from './claims.js';
import type { DetectorStats } from './detectorstats.js';
import { type HostOptions, kernelOptions, MOST_KEY_BYTES } from './host.js';
import { type Key, writeBytes, writeInteger } from './key.js';
import { PartitionedRule, type PartitionsStats, partitionsStats } from './partitions.js';
import { checkBatch, checkTime, fullError } from './refusals.js';
import { cellsBytesOfPartition, type DetectorOptions, type DetectorSettings, resolveSettings } from './settings.js';
import { witnessStats, witnessWindow } from './witness.js';

/** The answer for a key: seen for the first time, or seen before. */
export type Verdict = 'distinct' | 'duplicate';

/** Elements that are counted exactly as a number. */
const MOST_OBSERVED = 2n ** 53n - 1n;

/** A structure of fixed memory that reports each key as distinct or duplicate, and then adds it. `create` makes one. */
export class Detector {
  /** Everything that decides the answers of the detector. */
  readonly settings: DetectorSettings;
  /** The note of the snapshot from which the detector was loaded; empty for a new detector. */
  readonly note: Uint8Array;
  /** @internal */
  readonly kernel: Kernel;
  /**
   * The claims on keys, once there are any. They are a member of the detector, so that all that claim keys of it share them.
   * @internal
   */
  claims: Claims | undefined;
  readonly #rule: DetectorExports;
  /** The same, if the detector has partitions. */
  readonly #partitioned: PartitionedRule | undefined;
  readonly #hasWitness: boolean;
  readonly #keyRegion: Uint8Array<ArrayBuffer>;
  readonly #keyView: DataView;
  readonly #fingerprintId: number;

  private constructor(settings: DetectorSettings, kernel: Kernel, note: Uint8Array) {
    this.settings = settings;
    this.kernel = kernel;
    this.note = note;
    this.#hasWitness = settings.witnessBytes > 0;
    this.#keyRegion = kernel.bytes.subarray(kernel.regionOffset, kernel.regionOffset + MOST_KEY_BYTES);
    this.#keyView = new DataView(kernel.bytes.buffer);
    this.#fingerprintId = fingerprintKinds[settings.fingerprint].id;
    kernel.writeParameters({
      layout: settings.layout === 'blocked' ? LAYOUT_BLOCKED : LAYOUT_CLASSIC,
      seed: settings.seed,
      isKeyed: settings.secret !== undefined,
    });
    kernel.setParameters(settings.parameters.kernel);
    settings.secret?.copyTo(kernel.bytes, SECRET_OFFSET);
    const rule = detectorExports[settings.family.name](kernel.exports);
    const { partitions, parameters } = settings;
    const cellsBytes = cellsBytesOfPartition(settings);
    this.#partitioned =
      partitions && new PartitionedRule({ kernel, rule, partitions, cellsBytes, isTimed: parameters.isTimed === true });
    this.#rule = this.#partitioned ?? rule;
    this.#rule.configure();
    if (this.#hasWitness) this.startWitness();
  }

  /**
   * An empty detector.
   * @throws FirstseenError E_ALGORITHM, E_PARAMETER or E_MEMORY when the request is impossible.
   */
  static async create(options: DetectorOptions = {}, host: HostOptions = {}): Promise<Detector> {
    return Detector.ofSettings(resolveSettings(options), host);
  }

  /**
   * An empty detector with resolved settings.
   * @internal
   */
  static async ofSettings(
    settings: DetectorSettings,
    host: HostOptions = {},
    note: Uint8Array = new Uint8Array(0),
  ): Promise<Detector> {
    return new Detector(settings, await Kernel.create(kernelOptions(settings, host)), note);
  }

  /**
   * Test-and-add: the answer for the state before the key is added.
   * @throws FirstseenError E_KEY for a key that cannot be fingerprinted, E_FULL from a full exact detector.
   */
  observe(key: Key): Verdict {
    this.#writeFingerprint(key);
    this.observePlaced(1);
    return this.kernel.verdicts[0] === DUPLICATE ? 'duplicate' : 'distinct';
  }

  /** The answer without a change of the detector. */
  test(key: Key): Verdict {
    this.#writeFingerprint(key);
    this.testPlaced(1);
    return this.kernel.verdicts[0] === DUPLICATE ? 'duplicate' : 'distinct';
  }

  /** Adds the key. `test` then `add` is `observe`. */
  add(key: Key): void {
    this.observe(key);
  }

  /**
   * Sets the clock of a detector whose window is a duration, in milliseconds since 1970, rounded down. Elements observed later
   * have that time. The clock starts at 0 and never goes back: an earlier time is ignored. The detector reads no other clock,
   * so the same calls give the same answers.
   * @throws FirstseenError E_PARAMETER when the window is not a duration, or the time is not from 0 to the year 5138.
   */
  advance(timeMilliseconds: number): void {
    checkTime(timeMilliseconds, this.settings);
    this.#rule.advance?.(timeMilliseconds);
  }

  /** The clock of a detector whose window is a duration, in milliseconds since 1970; 0 before the first time, or without a clock. */
  get clockMilliseconds(): number {
    return this.settings.parameters.isTimed ? (this.#rule.clock?.() ?? 0) : 0;
  }

  /**
   * Sets the clock back to an earlier time. What the detector remembers stays, and counts as seen at that time or before.
   * @internal
   */
  setClockBack(timeMilliseconds: number): void {
    const before = this.clockMilliseconds;
    if (timeMilliseconds >= before) return;
    this.#rule.setClock?.(timeMilliseconds);
    if (this.#hasWitness) this.kernel.exports.witnessSetBack(before - this.clockMilliseconds);
  }

  /** The 64-bit fingerprint of a key. */
  fingerprint(key: Key): bigint {
    this.#writeFingerprint(key);
    return this.kernel.fingerprints[0] as bigint;
  }

  /**
   * `observe` over fingerprints, in order. Writes one byte each to `verdicts`: 0 distinct, 1 duplicate.
   * @throws FirstseenError E_PARAMETER when `verdicts` is shorter than `fingerprints` or has another type; E_FULL or E_PARTITION as `observe`
   * does, after the preceding elements are added and answered.
   */
  observeBatch(fingerprints: BigUint64Array, verdicts: Uint8Array = new Uint8Array(fingerprints.length)): Uint8Array {
    return this.#inBatches(fingerprints, verdicts, (count) => this.#takeWith(this.#rule.observe, count));
  }

  /** `test` over fingerprints, in order; verdicts as in `observeBatch`. */
  testBatch(fingerprints: BigUint64Array, verdicts: Uint8Array = new Uint8Array(fingerprints.length)): Uint8Array {
    return this.#inBatches(fingerprints, verdicts, (count) => {
      this.testPlaced(count);
      return count;
    });
  }

  /**
   * Starts the witness with the contents of its memory: empty, or loaded.
   * @internal
   */
  startWitness(): void {
    const { witnessOffset, witnessBytes, exports } = this.kernel;
    const { unit, size, refreshes } = witnessWindow(this.settings.parameters);
    exports.witnessConfigure(witnessOffset, witnessBytes, unit, size, refreshes ? 1 : 0);
  }

  /**
   * Observes `count` fingerprints of the kernel's batch, those from the index `from` on, and writes the kernel's verdicts.
   * @param threadBase by how far the batch is moved, if it is in the memory of another thread
   * @internal
   */
  observePlaced(count: number, from = 0, threadBase = 0): void {
    if (this.#takeWith(this.#rule.observe, count, from, { threadBase }) < count) throw this.#refusedError();
  }

  /**
   * As `observePlaced`, each at its time in the kernel's `times`, which begin with that of the first of them. Then the times of the
   * rest move to the front.
   * @throws FirstseenError E_FULL as `observe` does, after the preceding elements were added and answered.
   * @internal
   */
  observePlacedTimed(count: number, from = 0): void {
    const { observeTimed } = this.#rule;
    if (!observeTimed) throw new Error(`${this.settings.family.name} takes no times`);
    if (this.#takeWith(observeTimed, count, from, { hasTimes: true }) < count) throw this.#refusedError();
    this.kernel.times.copyWithin(0, count);
  }

  /**
   * Observes a part of the batch as far as there is room; the witness follows what was taken. Returns the number of elements that
   * were added and answered.
   */
  #takeWith(
    observe: DetectorExports['observe'],
    count: number,
    from = 0,
    { threadBase = 0, hasTimes = false } = {},
  ): number {
    const clock = this.#hasWitness ? this.clockMilliseconds : 0;
    const fingerprints = this.kernel.fingerprints.byteOffset + threadBase + from * BigUint64Array.BYTES_PER_ELEMENT;
    const verdicts = this.kernel.verdicts.byteOffset + threadBase + from;
    const taken = observe(fingerprints, verdicts, count);
    if (this.#hasWitness) this.kernel.exports.witnessObserve(fingerprints, verdicts, taken, clock, hasTimes ? 1 : 0);
    return taken;
  }

  /**
   * Has the witness follow elements that threads have observed, before the next are observed. The addresses are those of their
   * fingerprints and verdicts.
   * @internal
   */
  witnessPlaced(fingerprints: number, verdicts: number, count: number): void {
    if (this.#hasWitness) {
      this.kernel.exports.witnessObserve(fingerprints, verdicts, count, this.clockMilliseconds, 0);
    }
  }

  /**
   * In the layout `blocked`, the number of elements for which the rule changes only the line of each element, whatever they are.
   * Beyond, it may change something that all lines of the detector or of a partition have in common.
   * @internal
   */
  steadyElements(): number {
    return this.#rule.steady?.() ?? Number.POSITIVE_INFINITY;
  }

  /**
   * The number of elements that fit into each partition, whatever they are; undefined if the family never refuses one.
   * @internal
   */
  partitionRooms(): number[] | undefined {
    return this.#partitioned?.rooms();
  }

  /**
   * Tests `count` fingerprints of the kernel's batch, beginning with `first`.
   * @internal
   */
  testPlaced(count: number, first = 0): void {
    this.#rule.test(this.kernel.fingerprints.byteOffset + 8 * first, this.kernel.verdicts.byteOffset + first, count);
  }

  /**
   * Whether the family's rule can lead to a loaded state, as far as the kernel relies on it.
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

  /**
   * All state outside the cells, for a snapshot: the kernel's slots, then those of each partition.
   * @internal
   */
  slots(): BigUint64Array {
    const { state } = this.kernel;
    if (!this.#partitioned) return state;
    this.#partitioned.settle();
    const { states } = this.#partitioned;
    const slots = new BigUint64Array(state.length + states.length);
    slots.set(state);
    slots.set(states, state.length);
    return slots;
  }

  /**
   * Continues with the slots of a snapshot; returns false if there are not as many as this detector has.
   * @internal
   */
  takeSlots(slots: BigUint64Array): boolean {
    const { state } = this.kernel;
    const states = this.#partitioned?.states;
    if (slots.length !== state.length + (states?.length ?? 0)) return false;
    state.set(slots.subarray(0, state.length));
    states?.set(slots.subarray(state.length));
    this.#partitioned?.settle();
    return true;
  }

  /** Elements observed or added so far. */
  get observed(): number {
    return Number(this.kernel.state[OBSERVED_SLOT]);
  }

  /** Elements that were reported duplicate so far. */
  get duplicates(): number {
    return Number(this.kernel.state[DUPLICATES_SLOT]);
  }

  /** What the detector is, and what it has done so far. Each call counts over the whole memory. */
  stats(): DetectorStats {
    const partitions = this.partitionsStats();
    return { ...this.statsWithoutLoad(), load: this.countLoad(), ...(partitions ? { partitions } : {}) };
  }

  /**
   * How evenly the partitions are used; undefined without partitions.
   * @internal
   */
  partitionsStats(): PartitionsStats | undefined {
    const { partitions } = this.settings;
    return partitions && this.#partitioned && partitionsStats(partitions, this.#partitioned.stats());
  }

  /**
   * Fraction of ones, or of occupied entries, counted over the whole memory.
   * @internal
   */
  countLoad(): number {
    return this.#rule.load();
  }

  /**
   * The stats that need no pass over the memory.
   * @internal
   */
  statsWithoutLoad(): Omit<DetectorStats, 'load'> {
    const { settings, kernel, duplicates } = this;
    const unstored = this.#rule.unstored?.();
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
      ...(unstored === undefined ? {} : { unstored }),
      ...(settings.witnessBytes > 0
        ? { witness: witnessStats(kernel, { observed: this.observed, reported: duplicates }) }
        : {}),
    };
  }

  #inBatches(fingerprints: BigUint64Array, verdicts: Uint8Array, answer: (count: number) => number): Uint8Array {
    const { kernel } = this;
    checkBatch(fingerprints, verdicts);
    for (let start = 0; start < fingerprints.length; start += kernel.batchCapacity) {
      const batch = fingerprints.subarray(start, start + kernel.batchCapacity);
      kernel.fingerprints.set(batch);
      const answered = answer(batch.length);
      verdicts.set(kernel.verdicts.subarray(0, answered), start);
      if (answered < batch.length) throw this.#refusedError();
    }
    return verdicts;
  }

  #writeFingerprint(key: Key): void {
    const { kernel } = this;
    const target = kernel.fingerprints.byteOffset;
    if (typeof key === 'number' || typeof key === 'bigint') {
      writeInteger(this.#keyView, kernel.regionOffset, key);
      kernel.exports.fingerprintInteger(this.#fingerprintId, kernel.regionOffset, target);
      return;
    }
    const length = writeBytes(this.#keyRegion, key);
    if (kernel.exports.fingerprintKey(this.#fingerprintId, kernel.regionOffset, length, target) !== KEYED) {
      throw new FirstseenError(
        'E_KEY',
        `key ${JSON.stringify(String(key))} is not a decimal integer from 0 to 2^64 - 1`,
        { remedy: phrase`give such integers, or choose another ${optionName('fingerprint')} than identity` },
      );
    }
  }

  /** Why an element was not taken. */
  #refusedError(): FirstseenError {
    return this.#partitioned?.refusal ?? fullError(this.settings);
  }
}

/** @throws FirstseenError E_PARAMETER unless the value is a detector. */
export function checkDetector(option: string, value: unknown): Detector {
  if (value instanceof Detector) return value;
  const remedy = 'pass what create or load resolves to';
  throw invalidOption({ option, given: value, expected: 'a detector', remedy });
}
