// An array of cells with values from 0 to Max: shared by Bloom filters (Max = 1) and Stable Bloom Filters.

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { CACHE_LINE_BYTES, fromAllBits, fromLowBits, fromTopBits, Generator } from './random.js';

const WORD_BYTES = 8;
const CACHE_LINE_WORDS = 8;

/** The cells that an element and its victims can use: all of them in `classic`, one cache line in `blocked`. */
export interface Region {
  start: number;
  size: number;
}

export class Cells {
  readonly #settings: DetectorSettings;
  readonly #generator: Generator;
  readonly #cellsPerWord: number;
  readonly #max: number;
  readonly #values: Uint8Array;

  constructor(settings: DetectorSettings, max: number) {
    this.#settings = settings;
    this.#generator = new Generator(settings.seed);
    this.#max = max;
    this.#cellsPerWord = Math.floor(64 / Math.log2(max + 1));
    const words = this.#isBlocked
      ? Math.floor(settings.memoryBytes / CACHE_LINE_BYTES) * CACHE_LINE_WORDS
      : Math.floor(settings.memoryBytes / WORD_BYTES);
    this.#values = new Uint8Array(words * this.#cellsPerWord);
  }

  get #isBlocked(): boolean {
    return this.#settings.layout === 'blocked';
  }

  regionOf(fingerprint: bigint): Region {
    if (!this.#isBlocked) return { start: 0, size: this.#values.length };
    const cacheLines = Math.floor(this.#settings.memoryBytes / CACHE_LINE_BYTES);
    const size = CACHE_LINE_WORDS * this.#cellsPerWord;
    return { start: this.#generator.cacheLine(fingerprint, cacheLines) * size, size };
  }

  /** The index in the array that 64 bits (16 in `blocked`) select: first a word, then a cell of that word. */
  #select(region: Region, bits: bigint): number {
    const perWord = this.#cellsPerWord;
    if (this.#isBlocked) {
      const cell = Number(((bits & 0x1fffn) * BigInt(perWord)) >> 13n);
      return region.start + Number(bits >> 13n) * perWord + cell;
    }
    return region.start + fromTopBits(bits, region.size / perWord) * perWord + fromLowBits(bits, perWord);
  }

  /** The indexes of an element's cells. */
  cellsOf(fingerprint: bigint, count: number): number[] {
    const region = this.regionOf(fingerprint);
    return Array.from({ length: count }, (_, i) => this.#select(region, this.#hash(fingerprint, i)));
  }

  /**
   * In `blocked`, the words of an element's cells are an odd distance apart, and each hash selects a cell in its word.
   */
  #hash(fingerprint: bigint, i: number): bigint {
    if (!this.#isBlocked) return this.#generator.hash(fingerprint, i);
    const firstWord = this.#generator.cacheLineHash(fingerprint, 0) >> 13n;
    const distance = 2n * (this.#generator.cacheLineHash(fingerprint, 1) >> 13n) + 1n;
    const word = (firstWord + distance * BigInt(i)) % BigInt(CACHE_LINE_WORDS);
    return (word << 13n) | (this.#generator.cacheLineHash(fingerprint, i) & 0x1fffn);
  }

  /** A random cell of the region and the cells after it, with wrap-around at the region's end. */
  adjacentVictims(region: Region, index: number, count: number): number[] {
    const bits = this.#isBlocked ? this.#generator.cacheLineDraw(index, 0) : this.#generator.draw(index, 0);
    const first = this.#select(region, bits) - region.start;
    return Array.from({ length: count }, (_, i) => region.start + ((first + i) % region.size));
  }

  /** `count` distinct cells of the region, all subsets equally likely (Bentley and Floyd 1987). */
  independentVictims(region: Region, index: number, count: number): number[] {
    const chosen = new Set<number>();
    for (let i = 0; i < count; i++) {
      const last = region.size - count + i;
      const cell = fromAllBits(this.#generator.draw(index, i), last + 1);
      chosen.add(chosen.has(cell) ? last : cell);
    }
    return [...chosen].map((cell) => region.start + cell);
  }

  load(): number {
    return this.#values.filter((value) => value > 0).length / this.#values.length;
  }

  isSet(cell: number): boolean {
    return this.#values[cell] !== 0;
  }

  fill(cell: number): void {
    this.#values[cell] = this.#max;
  }

  decrement(cell: number): void {
    const value = this.#values[cell] ?? 0;
    if (value > 0) this.#values[cell] = value - 1;
  }
}
