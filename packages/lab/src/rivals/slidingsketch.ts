// The Sliding Sketch over a Bloom filter: each cell has the bits of two time zones, and a pointer that visits every cell once in a window
// makes the newer zone the older one.

import { Bits } from './bits.js';
import { parameterOf, type Rival, type RivalParameters, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';
import { around, bestHashes, fillOf, meanOver } from './rates.js';

/** Cells of one of k arrays: an element has one cell in each. A number for the pointer is left. */
function arrayCells(k: number, { memoryBits }: RivalRequest): number {
  return Math.floor((memoryBits - 32) / 2 / k);
}

class SlidingSketchFilter implements Rival {
  readonly #hashes: Hashes;
  readonly #newer: Bits;
  readonly #older: Bits;
  readonly #k: number;
  readonly #window: number;
  /** Cells that the pointer has visited. */
  #visits = 0;
  readonly memoryBits: number;

  constructor(parameters: RivalParameters, request: RivalRequest, seed: number) {
    this.#hashes = new Hashes(seed);
    this.#k = parameterOf(parameters, 'k');
    this.#window = request.window.length;
    const cells = arrayCells(this.#k, request) * this.#k;
    this.#newer = new Bits(cells);
    this.#older = new Bits(cells);
    this.memoryBits = 2 * cells + 32;
  }

  #visitUntil(visits: number): void {
    const cells = this.#newer.length;
    for (this.#visits = Math.max(this.#visits, visits - 2 * cells); this.#visits < visits; this.#visits++) {
      const cell = this.#visits % cells;
      if (this.#newer.has(cell)) this.#older.set(cell);
      else this.#older.clear(cell);
      this.#newer.clear(cell);
    }
  }

  observe(element: number, now: number): boolean {
    this.#visitUntil(Math.floor((now / this.#window) * this.#newer.length));
    const arrayLength = this.#newer.length / this.#k;
    let isDuplicate = true;
    for (let i = 0; i < this.#k; i++) {
      const cell = i * arrayLength + this.#hashes.below(element, i, arrayLength);
      if (!this.#newer.has(cell) && !this.#older.has(cell)) isDuplicate = false;
      this.#newer.set(cell);
    }
    return isDuplicate;
  }
}

export const slidingSketch: RivalRow = {
  name: 'sl-bf',
  paper: {
    authors: 'Gou, He, Zhang, Wang, Liu, Yang, Wang, Cui',
    title: 'Sliding Sketches: A Framework using Time Zones for Data Stream Processing in Sliding Windows',
    venue: 'KDD',
    year: 2020,
    source: "the abstract, and the authors' code",
  },
  wholeWindows: ['elements', 'milliseconds'],
  create: (parameters, request, seed) => new SlidingSketchFilter(parameters, request, seed),
  // A cell has the elements of one and a half windows on average.
  published: (request) => ({ k: bestHashes(request.memoryBits / 2, 1.5 * request.window.mostElements) }),
  candidates: (request) =>
    around((request.memoryBits / 2 / request.window.mostElements) * Math.LN2, 60).map((k) => ({ k })),
  // A cell is set by the elements since the visit before the last one: between one window and two, equally likely.
  falsePositiveRate(parameters, request) {
    const k = parameterOf(parameters, 'k');
    const cells = arrayCells(k, request);
    return meanOver((share) => fillOf(cells, 1, (1 + share) * request.window.mostElements)) ** k;
  },
};
