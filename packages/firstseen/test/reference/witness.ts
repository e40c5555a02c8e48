// A second implementation of the kernel's witness, with a map and plain numbers.

import { GOLDEN, mix64 } from './random.js';
import { WatchTwin } from './watch.js';

const SLICE_STREAM = 0xa4093822299f31d0n;
const GROUPS = 32;
const GAPS = 48;
const FIXED_BYTES = 64 + GROUPS * (2 + 2 * GAPS) * 8;
/** Misses of watched elements by group, the count of the watch list, and the rest of its cache line. */
const WATCH_FIXED_BYTES = GROUPS * 8 + 64;
/** Late duplicates by group. */
const WINDOW_FIXED_BYTES = GROUPS * 8;
const ENTRY_BYTES = 16;
const WINDOW_ENTRY_BYTES = 24;
const PACE_ELEMENTS = 32768;
const PACED_LEVEL = 6;
const MIN_PACED_HELD = 256;

export interface TwinSums {
  distinct: number;
  falsePositives: number;
  /** By the power of two at or below the gap. */
  duplicates: number[];
  falseNegatives: number[];
  /** Of the false negatives, those of elements that were watched. */
  watched: number;
  /** Duplicates that the window did not cover any more. */
  late: number;
}

/** A window by which repeats are judged. Ages are in elements, in elements that were added, or in milliseconds. */
export interface TwinWindow {
  unit: 'elements' | 'adds' | 'time';
  size: number;
  refreshes: boolean;
}

export class WitnessTwin {
  level = 0;
  /** When each element followed was added last, in the unit of the window; absent if it never was. */
  readonly added = new Map<bigint, number>();
  /** The index of the last occurrence of each element followed. */
  readonly followed = new Map<bigint, number>();
  readonly groups: TwinSums[] = Array.from({ length: GROUPS }, () => ({
    distinct: 0,
    falsePositives: 0,
    duplicates: Array.from({ length: GAPS }, () => 0),
    falseNegatives: Array.from({ length: GAPS }, () => 0),
    watched: 0,
    late: 0,
  }));
  /** Over all halvings, 2^level times the sum of distinct elements, and of false positives. */
  readonly halved = { distinct: 0, falsePositives: 0 };
  /** Undefined with a window. */
  readonly watch: WatchTwin | undefined;
  readonly #key: bigint;
  readonly #factor: bigint;
  readonly #maxFollowed: number;
  readonly #window: TwinWindow | undefined;
  #index = 0;
  #adds = 0;
  #clock = 0;

  constructor(seed: bigint, memoryBytes: number, window?: TwinWindow) {
    this.#window = window;
    this.#key = mix64(seed ^ SLICE_STREAM);
    this.#factor = mix64(this.#key + GOLDEN) | 1n;
    this.watch = window ? undefined : new WatchTwin(seed, memoryBytes);
    const besideBytes = this.watch ? WATCH_FIXED_BYTES + this.watch.tableBytes : WINDOW_FIXED_BYTES;
    const slots = Math.floor((memoryBytes - FIXED_BYTES - besideBytes) / (window ? WINDOW_ENTRY_BYTES : ENTRY_BYTES));
    this.#maxFollowed = slots - Math.floor(slots / 4);
  }

  /** The keys that convert a fingerprint to its slice hash. */
  sliceParameters(): { key: bigint; factor: bigint } {
    return { key: this.#key, factor: this.#factor };
  }

  #sliceHash(fingerprint: bigint): bigint {
    return BigInt.asUintN(64, (fingerprint ^ this.#key) * this.#factor);
  }

  /** Whether the first `level` bits of the slice hash are zero. */
  #isInSlice(fingerprint: bigint): boolean {
    return this.#sliceHash(fingerprint) >> BigInt(64 - this.level) === 0n;
  }

  #halve(): void {
    for (const sum of ['distinct', 'falsePositives'] as const) {
      this.halved[sum] += 2 ** this.level * this.groups.reduce((total, group) => total + group[sum], 0);
    }
    this.level++;
    for (const fingerprint of [...this.followed.keys()]) {
      if (this.#isInSlice(fingerprint)) continue;
      this.followed.delete(fingerprint);
      this.added.delete(fingerprint);
    }
  }

  #isPaced(index: number): boolean {
    const isDue = this.level < PACED_LEVEL && index >= PACE_ELEMENTS * 2 ** this.level;
    return isDue && this.followed.size >= MIN_PACED_HELD;
  }

  /**
   * Follows the next element of the stream, for which the detector's verdict was `verdict`: 1 duplicate, 0 distinct, at a time in
   * milliseconds if the window is a duration.
   */
  observe(fingerprint: bigint, verdict: number, time = 0): void {
    this.#clock = Math.max(this.#clock, Math.floor(time));
    const isAdded = verdict === 0 || this.#window?.refreshes === true;
    this.#follow(fingerprint, verdict, isAdded);
    this.watch?.observe(fingerprint, verdict);
    this.#index++;
    if (isAdded) this.#adds++;
  }

  #follow(fingerprint: bigint, verdict: number, isAdded: boolean): void {
    const index = this.#index;
    if (!this.#isInSlice(fingerprint)) return;
    if (this.#isPaced(index)) this.#halve();
    const last = this.followed.get(fingerprint);
    if (last === undefined) while (this.followed.size === this.#maxFollowed) this.#halve();
    if (!this.#isInSlice(fingerprint)) return;
    const group = this.groups[Number(mix64(this.#sliceHash(fingerprint)) % BigInt(GROUPS))] as TwinSums;
    const isCovered = this.#isCovered(fingerprint);
    if (last === undefined || verdict === 1 || isCovered) this.#count(group, verdict, last, index);
    if (last !== undefined && verdict === 1 && !isCovered) group.late += 2 ** this.level;
    if (last !== undefined && verdict === 0 && this.watch?.has(fingerprint)) group.watched += 2 ** this.level;
    this.followed.set(fingerprint, index);
    if (isAdded) this.added.set(fingerprint, this.#now());
  }

  #now(): number {
    return { elements: this.#index, adds: this.#adds, time: this.#clock }[this.#window?.unit ?? 'elements'];
  }

  /** Whether the window covers the element. Without a window, every repeat is covered. */
  #isCovered(fingerprint: bigint): boolean {
    if (this.#window === undefined) return true;
    const added = this.added.get(fingerprint);
    return added !== undefined && this.#now() - added <= this.#window.size;
  }

  #count(sums: TwinSums, verdict: number, last: number | undefined, index: number): void {
    const weight = 2 ** this.level;
    if (last === undefined) {
      sums.distinct += weight;
      sums.falsePositives += weight * verdict;
      return;
    }
    const gap = Math.min(Math.floor(Math.log2(index - last)), GAPS - 1);
    sums.duplicates[gap] = (sums.duplicates[gap] as number) + weight;
    sums.falseNegatives[gap] = (sums.falseNegatives[gap] as number) + weight * (1 - verdict);
  }
}
