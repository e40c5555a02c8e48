// k Bloom filters of s bits each, one bit of each for an element (bera-2012, section 3).

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { fromLowBits, fromTopBits, Generator, LINE_BYTES } from './random.js';
import { numberOf } from './twin.js';

const WORD_BYTES = 8;
const WORD_BITS = 64;
const LINE_BITS = 512;

export class Filters {
  readonly count: number;
  /** s: bits of one filter. */
  readonly bitsEach: number;
  readonly #settings: DetectorSettings;
  readonly #generator: Generator;
  /** The region of an element and its victims in one filter: all bits in `classic`, a slice of a line in `blocked`. */
  readonly #rangeBits: number;
  readonly #bits: Uint8Array[];
  /** Ones of each filter. */
  readonly #ones: number[];

  constructor(settings: DetectorSettings) {
    const k = numberOf(settings, 'k');
    const lines = Math.floor(settings.memoryBytes / LINE_BYTES);
    const slice = Math.floor(LINE_BITS / k);
    const words = Math.floor(Math.floor(settings.memoryBytes / WORD_BYTES) / k);
    this.#settings = settings;
    this.#generator = new Generator(settings.seed);
    this.count = k;
    this.bitsEach = this.#isBlocked ? lines * slice : words * WORD_BITS;
    this.#rangeBits = this.#isBlocked ? slice : this.bitsEach;
    this.#bits = Array.from({ length: k }, () => new Uint8Array(this.bitsEach));
    this.#ones = new Array<number>(k).fill(0);
  }

  get #isBlocked(): boolean {
    return this.#settings.layout === 'blocked';
  }

  /** The range of an element, the same in every filter. */
  rangeOf(fingerprint: bigint): number {
    const lines = Math.floor(this.#settings.memoryBytes / LINE_BYTES);
    return this.#isBlocked ? this.#generator.line(fingerprint, lines) : 0;
  }

  #place(range: number, bits: bigint): number {
    if (this.#isBlocked) return range * this.#rangeBits + fromLowBits(bits, this.#rangeBits);
    return fromTopBits(bits, this.bitsEach / WORD_BITS) * WORD_BITS + Number(bits % BigInt(WORD_BITS));
  }

  /** The bit of an element in filter i. */
  placeOf(fingerprint: bigint, i: number): number {
    const generator = this.#generator;
    const hash = this.#isBlocked ? generator.lineHash(fingerprint, i) : generator.hash(fingerprint, i);
    return this.#place(this.rangeOf(fingerprint), hash);
  }

  /** Random number `lane` of the element at `index`: 16 bits in `blocked`, 64 in `classic`. */
  drawn(index: number, lane: number): bigint {
    return this.#isBlocked ? this.#generator.lineDraw(index, lane) : this.#generator.draw(index, lane);
  }

  /** The bit that random number `lane` chooses in the element's range of any filter. */
  drawnPlace(fingerprint: bigint, index: number, lane: number): number {
    return this.#place(this.rangeOf(fingerprint), this.drawn(index, lane));
  }

  /** True with the probability of filter i's load. `classic` counts ones, `blocked` tests a random bit of the slice. */
  sheds(i: number, fingerprint: bigint, index: number, lane: number): boolean {
    if (this.#isBlocked) return this.isSet(i, this.drawnPlace(fingerprint, index, lane));
    const ones = this.#ones[i] ?? 0;
    return Number(((this.drawn(index, lane) >> 35n) * BigInt(this.bitsEach)) >> 29n) < ones;
  }

  isSet(i: number, place: number): boolean {
    return this.#bits[i]?.[place] === 1;
  }

  set(i: number, place: number): void {
    this.#write(i, place, 1);
  }

  reset(i: number, place: number): void {
    this.#write(i, place, 0);
  }

  #write(i: number, place: number, bit: number): void {
    const bits = this.#bits[i] as Uint8Array;
    this.#ones[i] = (this.#ones[i] ?? 0) + bit - (bits[place] ?? 0);
    bits[place] = bit;
  }

  /**
   * Clears the first set bit of filter i at or after an index of the range, wrapping around at its end, if there is
   * one.
   */
  resetNextOne(i: number, range: number, place: number): void {
    const start = range * this.#rangeBits;
    const inTurn = Array.from(
      { length: this.#rangeBits },
      (_, step) => start + ((place - start + step) % this.#rangeBits),
    );
    const one = inTurn.find((candidate) => this.isSet(i, candidate));
    if (one !== undefined) this.reset(i, one);
  }

  /** Ones of all filters, as a fraction. */
  load(): number {
    return this.#ones.reduce((sum, count) => sum + count, 0) / (this.bitsEach * this.count);
  }

  allSet(fingerprint: bigint): boolean {
    return this.indices.every((i) => this.isSet(i, this.placeOf(fingerprint, i)));
  }

  setAll(fingerprint: bigint): void {
    for (const i of this.indices) this.set(i, this.placeOf(fingerprint, i));
  }

  /** 0 to k - 1. */
  get indices(): number[] {
    return Array.from({ length: this.count }, (_, i) => i);
  }
}
