// k Bloom filters of s bits each, with one bit per element in each (bera-2012, section 3).

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { CACHE_LINE_BYTES, fromLowBits, fromTopBits, Generator } from './random.js';
import { numberOf } from './twin.js';

const WORD_BYTES = 8;
const WORD_BITS = 64;
const CACHE_LINE_BITS = 512;

export class Filters {
  readonly count: number;
  /** 0 to k - 1. */
  readonly indices: readonly number[];
  /** s: bits of one filter. */
  readonly bitsEach: number;
  readonly #settings: DetectorSettings;
  readonly #generator: Generator;
  /**
   * The bits of one filter that an element and its victims can use: all in `classic`, a slice of a cache line in `blocked`.
   */
  readonly #rangeBits: number;
  readonly #bits: Uint8Array[];
  /** Number of ones in each filter. */
  readonly #ones: number[];

  constructor(settings: DetectorSettings) {
    const k = numberOf(settings, 'k');
    const cacheLines = Math.floor(settings.memoryBytes / CACHE_LINE_BYTES);
    const slice = Math.floor(CACHE_LINE_BITS / k);
    const words = Math.floor(Math.floor(settings.memoryBytes / WORD_BYTES) / k);
    this.#settings = settings;
    this.#generator = new Generator(settings.seed);
    this.count = k;
    this.indices = Array.from({ length: k }, (_, i) => i);
    this.bitsEach = this.#isBlocked ? cacheLines * slice : words * WORD_BITS;
    this.#rangeBits = this.#isBlocked ? slice : this.bitsEach;
    this.#bits = Array.from({ length: k }, () => new Uint8Array(this.bitsEach));
    this.#ones = new Array<number>(k).fill(0);
  }

  get #isBlocked(): boolean {
    return this.#settings.layout === 'blocked';
  }

  /** The range of an element, the same in every filter. */
  rangeOf(fingerprint: bigint): number {
    const cacheLines = Math.floor(this.#settings.memoryBytes / CACHE_LINE_BYTES);
    return this.#isBlocked ? this.#generator.cacheLine(fingerprint, cacheLines) : 0;
  }

  #select(range: number, bits: bigint): number {
    if (this.#isBlocked) return range * this.#rangeBits + fromLowBits(bits, this.#rangeBits);
    return fromTopBits(bits, this.bitsEach / WORD_BITS) * WORD_BITS + Number(bits % BigInt(WORD_BITS));
  }

  /** The bit of an element in filter i. */
  bitOf(fingerprint: bigint, i: number): number {
    const generator = this.#generator;
    const hash = this.#isBlocked ? generator.cacheLineHash(fingerprint, i) : generator.hash(fingerprint, i);
    return this.#select(this.rangeOf(fingerprint), hash);
  }

  /** Random number `lane` of the element at `index`: 16 bits in `blocked`, 64 in `classic`. */
  drawn(index: number, lane: number): bigint {
    return this.#isBlocked ? this.#generator.cacheLineDraw(index, lane) : this.#generator.draw(index, lane);
  }

  /** The bit that random number `lane` selects in the element's range of any filter. */
  drawnBit(fingerprint: bigint, index: number, lane: number): number {
    return this.#select(this.rangeOf(fingerprint), this.drawn(index, lane));
  }

  /**
   * True with the probability of filter i's load. `classic` counts the ones, `blocked` reads a random bit of the slice.
   */
  sheds(i: number, fingerprint: bigint, index: number, lane: number): boolean {
    if (this.#isBlocked) return this.isSet(i, this.drawnBit(fingerprint, index, lane));
    const ones = this.#ones[i] ?? 0;
    return Number(((this.drawn(index, lane) >> 35n) * BigInt(this.bitsEach)) >> 29n) < ones;
  }

  isSet(i: number, bit: number): boolean {
    return this.#bits[i]?.[bit] === 1;
  }

  set(i: number, bit: number): void {
    this.#write(i, bit, 1);
  }

  reset(i: number, bit: number): void {
    this.#write(i, bit, 0);
  }

  #write(i: number, bit: number, value: 0 | 1): void {
    const bits = this.#bits[i] as Uint8Array;
    this.#ones[i] = (this.#ones[i] ?? 0) + value - (bits[bit] ?? 0);
    bits[bit] = value;
  }

  /** Resets the first one of filter i at or after a position in the range, with wrap-around, if there is one. */
  resetNextOne(i: number, range: number, bit: number): void {
    const start = range * this.#rangeBits;
    for (let step = 0; step < this.#rangeBits; step++) {
      const candidate = start + ((bit - start + step) % this.#rangeBits);
      if (!this.isSet(i, candidate)) continue;
      this.reset(i, candidate);
      return;
    }
  }

  /** Fraction of ones in all filters. */
  load(): number {
    return this.#ones.reduce((sum, count) => sum + count, 0) / (this.bitsEach * this.count);
  }

  allSet(fingerprint: bigint): boolean {
    return this.indices.every((i) => this.isSet(i, this.bitOf(fingerprint, i)));
  }

  setAll(fingerprint: bigint): void {
    for (const i of this.indices) this.set(i, this.bitOf(fingerprint, i));
  }
}
