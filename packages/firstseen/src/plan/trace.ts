// The occurrences of those elements of a stream whose hash is in a slice of the hash space, in bounded memory and over the whole
// stream: every gap is exact, however long. If they are too many, the slice halves (Waldspurger et al., Efficient MRC Construction
// with SHARDS, FAST 2015). The distinct elements number 2^level times those that are followed (Flajolet, On Adaptive Sampling,
// Computing 1990).

import { indexBelow } from './curve.js';

/** The most elements that are followed, and the most occurrences of them. */
export const MAX_FOLLOWED = 2 ** 19;
export const MAX_OCCURRENCES = 2 ** 23;
/** The hash has 32 bits, so no smaller part of the elements can be selected. */
export const MAX_WEIGHT = 2 ** 32;
/** A slice with so few elements does not halve, because too few would be left. Any detector has room for them. */
const FEW_FOLLOWED = 64;

/** Cells per doubling of a gap. Gaps up to this number have a cell each. */
const CELLS_PER_OCTAVE = 8;
/** The octave of a gap is this less its leading zeros as a word. */
const OCTAVES_OF_WORD = 31 - Math.log2(CELLS_PER_OCTAVE);

/** At most twice as many ticks show where in the stream the occurrences are. */
const MIN_TICKS = 4096;
const FIRST_TICK_ELEMENTS = 16;

/** A hash of the two halves of a fingerprint: the finalizer of MurmurHash3, because identifiers need not be uniform. */
export function sliceHash(low: number, high: number): number {
  let hash = low ^ Math.imul(high, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The cell of a gap of 1 or more. Cell 0 is for first occurrences. */
export function cellOf(gap: number): number {
  if (gap < CELLS_PER_OCTAVE) return gap;
  const octave = gap < 2 ** 31 ? OCTAVES_OF_WORD - Math.clz32(gap) : Math.floor(Math.log2(gap / CELLS_PER_OCTAVE));
  return CELLS_PER_OCTAVE * octave + Math.floor(gap / 2 ** octave);
}

/** The largest gap of a cell. */
export function endOf(cell: number): number {
  if (cell < CELLS_PER_OCTAVE) return cell;
  const octave = Math.floor(cell / CELLS_PER_OCTAVE) - 1;
  return (CELLS_PER_OCTAVE + (cell % CELLS_PER_OCTAVE) + 1) * 2 ** octave - 1;
}

/** Returns an array of twice the length with the same values. */
function grown<A extends Uint32Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(array: A): A {
  const larger = new (array.constructor as new (length: number) => A)(2 * array.length);
  larger.set(array);
  return larger;
}

/** A finished trace. */
export interface Trace {
  /** Elements of the stream. */
  elements: number;
  /** Each followed element represents this many: a power of two. */
  weight: number;
  /** The followed elements, in the order of their first occurrences, */
  fingerprints: BigUint64Array;
  /** and the position of the last occurrence of each, from 1. */
  lasts: Float64Array;
  /** Their occurrences in order, as indexes of `fingerprints`, */
  occurrences: Uint32Array;
  /** and the cell of the gap of each; 0 for a first occurrence. */
  cells: Uint16Array;
  /** The position of an occurrence by its index, from 1: exact if everything is followed, otherwise within a tick. */
  positionOf(occurrence: number): number;
}

export class Tracer {
  #slots = new Uint32Array(2 ** 11);
  #words = new Uint32Array(2 ** 11);
  #lasts = new Float64Array(2 ** 10);
  #followed = 0;
  #occurrences = new Uint32Array(2 ** 12);
  #cells = new Uint16Array(2 ** 12);
  #count = 0;
  /** Occurrences before the end of each tick. */
  #ticks: number[] = [];
  #tickElements = FIRST_TICK_ELEMENTS;
  #elements = 0;
  #weight: number;

  /** Follows one element of this many, or fewer: a power of two. */
  constructor(weight: number) {
    this.#weight = weight;
  }

  get elements(): number {
    return this.#elements;
  }

  get followed(): number {
    return this.#followed;
  }

  get weight(): number {
    return this.#weight;
  }

  /** The next element of the stream, as the halves of its fingerprint. */
  add(low: number, high: number): void {
    const hash = sliceHash(low, high);
    this.#elements++;
    if (hash * this.#weight < 2 ** 32) this.#follow(low, high, hash);
    if (this.#elements % this.#tickElements === 0) this.#endTick();
  }

  /** The trace so far. */
  trace(): Trace {
    const [elements, weight, tickElements, count] = [this.#elements, this.#weight, this.#tickElements, this.#count];
    const ends = Float64Array.of(0, ...this.#ticks, count);
    const isWhole = weight === 1 && count === elements;
    const positionOf = (occurrence: number) => {
      if (isWhole) return occurrence + 1;
      const tick = indexBelow(ends, occurrence);
      const [from, to] = [ends[tick] as number, ends[tick + 1] as number];
      const start = tick * tickElements;
      const width = Math.min(tickElements, elements - start);
      return start + Math.ceil((width * (occurrence - from + 0.5)) / (to - from));
    };
    return {
      elements,
      weight,
      fingerprints: new BigUint64Array(this.#words.buffer, 0, this.#followed),
      lasts: this.#lasts.subarray(0, this.#followed),
      occurrences: this.#occurrences.subarray(0, count),
      cells: this.#cells.subarray(0, count),
      positionOf,
    };
  }

  #follow(low: number, high: number, hash: number): void {
    const key = this.#keyOf(low, high, hash);
    const before = this.#lasts[key] as number;
    this.#lasts[key] = this.#elements;
    // The repeats of few elements are alike, so those beyond the first millions are not kept.
    if (before > 0 && this.#count >= MAX_OCCURRENCES && this.#followed <= FEW_FOLLOWED) return;
    if (this.#count === this.#occurrences.length) {
      this.#occurrences = grown(this.#occurrences);
      this.#cells = grown(this.#cells);
    }
    this.#occurrences[this.#count] = key;
    this.#cells[this.#count] = before === 0 ? 0 : cellOf(this.#elements - before);
    this.#count++;
    const isLong = this.#count > MAX_OCCURRENCES && this.#followed > FEW_FOLLOWED;
    if (this.#followed > MAX_FOLLOWED || isLong) this.#halve();
  }

  /** The index of an element, which is new if its last occurrence is 0. */
  #keyOf(low: number, high: number, hash: number): number {
    const words = this.#words;
    let slot = slotOf(hash, this.#slots);
    for (let entry = this.#slots[slot] as number; entry !== 0; entry = this.#slots[slot] as number) {
      if (words[2 * entry - 2] === low && words[2 * entry - 1] === high) return entry - 1;
      slot = slot + 1 === this.#slots.length ? 0 : slot + 1;
    }
    this.#slots[slot] = ++this.#followed;
    const key = this.#followed - 1;
    if (key === this.#lasts.length) {
      this.#lasts = grown(this.#lasts);
      this.#words = grown(this.#words);
    }
    this.#words[2 * key] = low;
    this.#words[2 * key + 1] = high;
    this.#lasts[key] = 0;
    if (2 * this.#followed > this.#slots.length) this.#index(2 * this.#slots.length);
    return key;
  }

  /** Writes the table of all followed elements with a number of slots. */
  #index(slots: number): void {
    this.#slots = new Uint32Array(slots);
    for (let key = 0; key < this.#followed; key++) {
      let slot = slotOf(sliceHash(this.#words[2 * key] as number, this.#words[2 * key + 1] as number), this.#slots);
      while (this.#slots[slot] !== 0) slot = slot + 1 === slots ? 0 : slot + 1;
      this.#slots[slot] = key + 1;
    }
  }

  #halve(): void {
    this.#weight *= 2;
    const newPlaces = new Uint32Array(this.#followed);
    let keptKeys = 0;
    for (let key = 0; key < this.#followed; key++) {
      const [low, high] = [this.#words[2 * key] as number, this.#words[2 * key + 1] as number];
      if (sliceHash(low, high) * this.#weight >= 2 ** 32) continue;
      this.#words[2 * keptKeys] = low;
      this.#words[2 * keptKeys + 1] = high;
      this.#lasts[keptKeys] = this.#lasts[key] as number;
      newPlaces[key] = ++keptKeys;
    }
    this.#followed = keptKeys;
    this.#index(this.#slots.length);
    this.#keepOccurrences(newPlaces);
    if (this.#followed > MAX_FOLLOWED) this.#halve();
  }

  /** Keeps the occurrences of elements that are still followed: `moved` is one more than their new index, or 0. */
  #keepOccurrences(newPlaces: Uint32Array): void {
    let keptOccurrences = 0;
    let tick = 0;
    for (let i = 0; i < this.#count; i++) {
      for (; tick < this.#ticks.length && this.#ticks[tick] === i; tick++) this.#ticks[tick] = keptOccurrences;
      const key = newPlaces[this.#occurrences[i] as number] as number;
      if (key === 0) continue;
      this.#occurrences[keptOccurrences] = key - 1;
      this.#cells[keptOccurrences++] = this.#cells[i] as number;
    }
    for (; tick < this.#ticks.length; tick++) this.#ticks[tick] = keptOccurrences;
    this.#count = keptOccurrences;
  }

  #endTick(): void {
    this.#ticks.push(this.#count);
    if (this.#ticks.length < 2 * MIN_TICKS) return;
    this.#ticks = this.#ticks.filter((_, tick) => tick % 2 === 1);
    this.#tickElements *= 2;
  }
}

/** The table's length is a power of two. The slice takes the low hashes, so the slot is from their low bits. */
function slotOf(hash: number, slots: Uint32Array): number {
  return hash & (slots.length - 1);
}
