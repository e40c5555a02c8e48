// The Stable Bloom Filter with Max 1, K 2, P 4 whose victims lie in the lower half of its cells alone. It is what becomes
// of deng-2006's algorithm when the victims of a filter of 2^32 cells are drawn with 31 random bits.

import { Random } from '../support/streams.js';

const VICTIMS = 4;

/** The finaliser of MurmurHash3 (Appleby 2011). */
function mix32(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A random function of the element: one bijection alone would spread elements more evenly than chance does. */
function hash32(element: number, i: number): number {
  return (mix32(element + i) ^ mix32(Math.imul(element, 0x9e3779b1) - i)) >>> 0;
}

export class LowerHalfFilter {
  readonly #cells: Uint8Array;
  readonly #random = new Random(11);

  constructor(memoryBytes: number) {
    this.#cells = new Uint8Array(memoryBytes * 8);
  }

  #place(hash: number): number {
    return Math.floor((hash / 2 ** 32) * this.#cells.length);
  }

  /** Verdicts as a detector gives them, for elements under 2^32. */
  observeBatch(elements: BigUint64Array, verdicts: Uint8Array): Uint8Array {
    const cells = this.#cells;
    const halves = new Uint32Array(elements.buffer, elements.byteOffset, 2 * elements.length);
    for (let i = 0; i < elements.length; i++) {
      const element = halves[2 * i] as number;
      const first = this.#place(hash32(element, 1));
      const second = this.#place(hash32(element, 1000));
      verdicts[i] = (cells[first] as number) & (cells[second] as number);
      const victim = this.#random.below(cells.length / 2);
      cells.fill(0, victim, victim + VICTIMS);
      cells[first] = 1;
      cells[second] = 1;
    }
    return verdicts;
  }
}
