// A detector: the kernel of one family over fixed memory, with the methods that all families share.

import { defined } from '../base/defined.js';
import { type ClosedDescription, Described, describedOpen } from '../base/description.js';
import { dispose } from '../base/dispose.js';
import type { FirstseenError } from '../base/errors.js';
import { type DetectorExports, DUPLICATE, DUPLICATES_REGISTER, OBSERVED_REGISTER } from '../kernel/abi.js';
import { Kernel } from '../kernel/kernel.js';
import { type Answering, answerFingerprints } from './batches.js';
import { type Clock, clockFor, ownClock } from './clock.js';
import {
  type DetectorCounts,
  type DetectorDescription,
  type DetectorStats,
  describe,
  type StatsWithoutLoad,
  settingsWithJson,
  statsOf,
} from './detectorstats.js';
import { type DetectorOrigin, FamilyKernel, type Home, OwnHome } from './home.js';
import { type HostOptions, kernelOptions } from './host.js';
import type { Key } from './key.js';
import { answerKeys, answerSpans, type KeyHasher } from './keyhasher.js';
import { type PartitionsStats, partitionsStats } from './partitions.js';
import { PlacedBatch } from './placed.js';
import { checkTime, checkTimed } from './refusals.js';
import { type DetectorOptions, type DetectorSettings, resolveSettings } from './settings.js';

/** The answer for a key: seen for the first time, or seen before. */
export type Verdict = 'distinct' | 'duplicate';

/**
 * The kernel of a detector. It is not a public member, because its memory contains the secret and the keys.
 * @internal
 */
export let kernelOf: (detector: Detector) => Kernel;

/** The same with the functions of its family. @internal */
export let familyOf: (detector: Detector) => FamilyKernel;

/** Observes batches of the kernel. @internal */
export let observingOf: (detector: Detector) => Answering;

/** Tests batches of the kernel. @internal */
export let testingOf: (detector: Detector) => Answering;

/** True if a value is a detector of this copy of the library, and not a proxy of one. @internal */
export let isDetector: (value: object) => value is Detector;

/** The batch that a detector is in, which has the watch of its rate. @internal */
export let placedOf: (detector: Detector) => PlacedBatch;

/** A structure of fixed memory that reports each key as distinct or duplicate, and then adds it. `create` makes one. */
export class Detector extends Described {
  readonly #settings: DetectorSettings;
  readonly #note: Uint8Array;
  readonly #home: Home;
  /**
   * The clock that the detector reads; undefined without a window in time, or if the program sets the time.
   * @internal
   */
  readonly clock: Clock | undefined;
  readonly #placed: PlacedBatch;

  static {
    kernelOf = (detector) => detector.#kernel;
    familyOf = (detector) => detector.#home.enter();
    observingOf = (detector) => detector.#observing;
    testingOf = (detector) => detector.#testing;
    placedOf = (detector) => detector.#placed;
    isDetector = (value): value is Detector => #home in value;
  }

  private constructor(settings: DetectorSettings, home: Home, { note = new Uint8Array(0), now }: DetectorOrigin) {
    super();
    this.#settings = settingsWithJson(settings);
    this.#note = note;
    this.#home = home;
    this.#placed = new PlacedBatch(settings, home);
    this.clock = clockFor(settings.parameters, now);
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
  static async ofSettings(settings: DetectorSettings, host: HostOptions = {}, note?: Uint8Array): Promise<Detector> {
    const kernel = await Kernel.create(kernelOptions(settings, host));
    const { now } = host;
    return Detector.inHome(settings, new OwnHome(new FamilyKernel(kernel, settings)), defined({ note, now }));
  }

  /**
   * The detector that is in a home.
   * @internal
   */
  static inHome(settings: DetectorSettings, home: Home, origin: DetectorOrigin = {}): Detector {
    return new Detector(settings, home, origin);
  }

  get #kernel(): Kernel {
    return this.#home.enter().kernel;
  }

  get #rule(): DetectorExports {
    return this.#home.enter().rule;
  }

  get #hasher(): KeyHasher {
    return this.#home.enter().hasher;
  }

  get #observing(): Answering {
    this.keepTime();
    return this.#placed.observing;
  }

  get #testing(): Answering {
    this.keepTime();
    return this.#placed.testing;
  }

  /** Everything that decides the answers of the detector. */
  get settings(): DetectorSettings {
    return this.#settings;
  }

  /** The note of the snapshot from which the detector was loaded; empty for a new detector. */
  get note(): Uint8Array {
    return this.#note;
  }

  /**
   * Test-and-add: the answer from before the key is added.
   * @throws FirstseenError E_KEY for a key that cannot be fingerprinted, E_FULL from a full exact detector.
   */
  observe(key: Key): Verdict {
    this.#hasher.hash(key);
    this.keepTime();
    return this.#placed.takeOne() === DUPLICATE ? 'duplicate' : 'distinct';
  }

  /** The answer without adding the key. */
  test(key: Key): Verdict {
    this.#hasher.hash(key);
    this.keepTime();
    this.testPlaced(1);
    return this.#kernel.verdicts[0] === DUPLICATE ? 'duplicate' : 'distinct';
  }

  /** Tells if the answer of `test` is `duplicate`. */
  has(key: Key): boolean {
    return this.test(key) === 'duplicate';
  }

  /** Adds the key. `test` then `add` is `observe`. */
  add(key: Key): void {
    this.observe(key);
  }

  /**
   * Sets the time of a detector with a manual clock whose window is a duration, in milliseconds since 1970, rounded down. Elements
   * observed later have that time. It starts at 0 and never goes back: an earlier time is ignored. So the same calls give the same
   * answers.
   * @throws FirstseenError E_PARAMETER when the window is not a duration, or the time is not from 0 to the year 5138; E_USAGE unless the
   * detector was created or loaded with `clock: 'manual'`.
   */
  advance(timeMilliseconds: number): void {
    checkTimed(this.settings);
    checkTime('timeMilliseconds', timeMilliseconds);
    if (this.clock) throw ownClock();
    this.#rule.advance?.(timeMilliseconds);
  }

  /**
   * Moves the time of a detector that reads a clock to the present.
   * @throws FirstseenError E_PARAMETER when the clock returns no time.
   * @internal
   */
  keepTime(): void {
    this.clock?.keep(this.#rule);
  }

  /**
   * The time of the last call of a detector whose window is a duration, or that of the last `advance`, in milliseconds since 1970; 0
   * before the first, or with another window.
   */
  get clockMilliseconds(): number {
    return this.settings.parameters.isTimed ? (this.#rule.clock?.() ?? 0) : 0;
  }

  /**
   * The module of its kernel, as `Kernel.module`.
   * @internal
   */
  get kernelModule(): WebAssembly.Module | undefined {
    return this.#kernel.module;
  }

  /** The 64-bit fingerprint of a key. */
  fingerprint(key: Key): bigint {
    this.#hasher.hash(key);
    return this.#kernel.fingerprints[0] as bigint;
  }

  /**
   * `observe` over fingerprints, in order. Writes one byte each to `verdicts`: 0 distinct, 1 duplicate.
   * @throws FirstseenError E_PARAMETER when `verdicts` is shorter than `fingerprints` or has another type; E_FULL or E_PARTITION as `observe`
   * does, after the preceding elements are added and answered.
   */
  observeBatch(fingerprints: BigUint64Array, verdicts?: Uint8Array): Uint8Array {
    return answerFingerprints(this.#observing, fingerprints, verdicts);
  }

  /** `test` over fingerprints, in order; verdicts as in `observeBatch`. */
  testBatch(fingerprints: BigUint64Array, verdicts?: Uint8Array): Uint8Array {
    return answerFingerprints(this.#testing, fingerprints, verdicts);
  }

  /**
   * `observe` over keys, in order, in a third of the time of single calls for most keys (docs/BENCHMARKS.md). Writes one byte each to
   * `verdicts`: 0 distinct, 1 duplicate. If a key is refused, the keys before it are added and answered, as in `observeBatch`.
   * @throws FirstseenError E_KEY, E_FULL and E_PARTITION as `observe` does; E_PARAMETER when `keys` is one key or cannot be iterated
   * over, or `verdicts` is shorter, has another type, is detached or in the memory of the detector.
   */
  observeMany(keys: Iterable<Key>, verdicts?: Uint8Array): Uint8Array {
    return answerKeys(this.#observing, this.#hasher, keys, verdicts);
  }

  /** `test` over keys, in order; verdicts and errors as in `observeMany`. */
  testMany(keys: Iterable<Key>, verdicts?: Uint8Array): Uint8Array {
    return answerKeys(this.#testing, this.#hasher, keys, verdicts);
  }

  /**
   * `observe` over `count` keys that are in a buffer, in order: key `i` is the bytes from `starts[i]` up to `ends[i]`. The answers are those
   * of `observeMany` over these parts, in less than half of the time (docs/BENCHMARKS.md). Writes one byte each to `verdicts`, as
   * `observeMany`, and the fingerprint of each key to `fingerprints`, if it is given. If a key is refused, the keys before it are added and
   * answered.
   * @throws FirstseenError E_KEY, E_FULL and E_PARTITION as `observe` does; E_PARAMETER for a span that is not in the bytes, or when an
   * array is shorter than `count`, has another type, is in the memory of the detector, or is written and overlaps another.
   */
  observeSpans(
    bytes: Uint8Array,
    starts: Uint32Array,
    ends: Uint32Array,
    count: number,
    verdicts?: Uint8Array,
    fingerprints?: BigUint64Array,
  ): Uint8Array {
    return answerSpans(this.#observing, this.#hasher, { bytes, starts, ends, count }, { verdicts, fingerprints });
  }

  /** `test` over keys that are in a buffer; arrays and errors as in `observeSpans`. */
  testSpans(
    bytes: Uint8Array,
    starts: Uint32Array,
    ends: Uint32Array,
    count: number,
    verdicts?: Uint8Array,
    fingerprints?: BigUint64Array,
  ): Uint8Array {
    return answerSpans(this.#testing, this.#hasher, { bytes, starts, ends, count }, { verdicts, fingerprints });
  }

  /**
   * Observes `count` fingerprints of the kernel's batch, those from the index `from` on, and writes the kernel's verdicts.
   * @param threadBase by how far the batch is moved, if it is in the memory of another thread
   * @internal
   */
  observePlaced(count: number, from = 0, threadBase = 0): void {
    if (this.#placed.take(count, from, threadBase) < count) throw this.#placed.refusal();
  }

  /**
   * As `observePlaced`, each at its time in the kernel's `times`, which begin with that of the first of them. Then the times of the
   * rest move to the front.
   * @throws FirstseenError E_FULL as `observe` does, after the preceding elements were added and answered.
   * @internal
   */
  observePlacedTimed(count: number, from = 0): void {
    if (this.#placed.takeTimed(count, from) < count) throw this.#placed.refusal();
  }

  /**
   * Tests `count` fingerprints of the kernel's batch, beginning with `first`; returns their number.
   * @internal
   */
  testPlaced(count: number, first = 0): number {
    return this.#placed.test(count, first);
  }

  /**
   * Returns the reason why so many new elements cannot be added, as `observe` says it; not known with partitions.
   * @param reserved elements that room is kept for besides
   * @internal
   */
  roomProblem(elements: number, reserved = 0): FirstseenError | undefined {
    this.keepTime();
    return this.#placed.hasRoom(elements + reserved) ? undefined : this.#placed.refusal(reserved);
  }

  /** @throws FirstseenError as `roomProblem`. @internal */
  checkRoom(elements: number, reserved = 0): void {
    const problem = this.roomProblem(elements, reserved);
    if (problem) throw problem;
  }

  /** Elements observed or added so far. */
  get observed(): number {
    return Number(this.#kernel.registers[OBSERVED_REGISTER]);
  }

  /** Elements that were reported duplicate so far. */
  get duplicates(): number {
    return Number(this.#kernel.registers[DUPLICATES_REGISTER]);
  }

  /** A short description for logs, which never contains the secret. */
  toJSON(): DetectorDescription | ClosedDescription {
    return describedOpen(() => describe(this.settings, this.counts));
  }

  /**
   * The counts of what it has done.
   * @internal
   */
  get counts(): DetectorCounts {
    const { observed, duplicates } = this;
    const shortened = this.settings.parameters.isTimed ? this.#rule.shortened?.() : undefined;
    return { observed, duplicates, unstored: this.#rule.unstored?.(), shortened };
  }

  /**
   * Returns the settings of the detector, and its counts so far. Each call counts over the whole memory;
   * `statsWithoutLoad` does not.
   */
  stats(): DetectorStats {
    return { ...this.statsWithoutLoad(), load: this.countLoad(), ...defined({ partitions: this.partitionsStats() }) };
  }

  /**
   * Measures how evenly the partitions are used; undefined without partitions.
   * @internal
   */
  partitionsStats(): PartitionsStats | undefined {
    const { partitions } = this.settings;
    const { partitioned } = this.#home.enter();
    return partitions && partitioned && partitionsStats(partitions, partitioned.stats());
  }

  /**
   * Returns the fraction of ones, or of occupied entries, counted over the whole memory.
   * @internal
   */
  countLoad(): number {
    return this.#rule.load();
  }

  /**
   * `stats` without what is counted over the whole memory, for calls that come often, such as those of a monitor. It takes
   * microseconds for any memory, and a quarter of a millisecond with a witness.
   */
  statsWithoutLoad(): StatsWithoutLoad {
    const overload = this.#placed.watch?.overload();
    return { ...statsOf(this.settings, this.#kernel, this.counts), ...defined({ overload }) };
  }

  /**
   * Makes the detector as it was when it was created: it has seen nothing, and its time is 0. Keys that claims hold stay held;
   * they are marked seen when their claims are committed.
   */
  clear(): void {
    this.#home.enter().clear();
    this.clock?.clear();
    this.#placed.watch?.clear();
  }

  /** Releases the memory. A detector of a pool leaves the pool, as by `delete`. Later calls throw E_CLOSED. */
  close(): void {
    this.#home.close();
  }

  /** As `close`, for `using`. */
  [dispose](): void {
    this.close();
  }
}
