// The sliding Bloom filter of Naor and Yogev: a dictionary of fingerprints with the generation of each. "Our construction has the best
// possible space consumption up to an additive lower order term" (abstract).

import { parameterOf, type Rival, type RivalParameters, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';
import { meanOver } from './rates.js';

interface Shape {
  generationElements: number;
  /** The size of the universe of fingerprints. */
  fingerprints: number;
}

/**
 * The paper's dictionary takes (1 + o(1)) times the least memory, for n + n / c fingerprints and as many generations. We
 * count o(1) as 0, so this is less than any program needs: n' (log2(u / n') + log2 e + log2(c + 1)) bits for u fingerprints.
 */
function shapeOf(c: number, { memoryBits, window }: RivalRequest): Shape {
  const generationElements = Math.ceil(window.length / c);
  const held = (c + 1) * generationElements;
  const remainderBits = memoryBits / held - Math.log2(c + 1) - Math.LOG2E;
  return { generationElements, fingerprints: Math.floor(held * 2 ** Math.min(30, remainderBits)) };
}

class SlidingBloomFilter implements Rival {
  readonly #hashes: Hashes;
  readonly #generations: number;
  readonly #shape: Shape;
  readonly #held = new Map<number, number>();
  /** The fingerprints that each generation has stamped, to find those that expire; the paper visits the dictionary for this. */
  readonly #stamped: number[][] = [[]];
  #generation = 0;
  readonly memoryBits: number;

  constructor(parameters: RivalParameters, request: RivalRequest, seed: number) {
    this.#hashes = new Hashes(seed);
    this.#generations = parameterOf(parameters, 'c');
    this.#shape = shapeOf(this.#generations, request);
    this.memoryBits = request.memoryBits;
  }

  /** Begins a generation, and removes what only the oldest one has stamped. */
  #begin(): void {
    this.#generation++;
    this.#stamped.push([]);
    if (this.#stamped.length <= this.#generations + 1) return;
    const oldest = this.#generation - this.#generations - 1;
    for (const fingerprint of this.#stamped.shift() as number[]) {
      if (this.#held.get(fingerprint) === oldest) this.#held.delete(fingerprint);
    }
  }

  observe(element: number, now: number): boolean {
    while (Math.floor(now / this.#shape.generationElements) > this.#generation) this.#begin();
    const fingerprint = this.#hashes.fingerprint(element, this.#shape.fingerprints);
    const isDuplicate = this.#held.has(fingerprint);
    if (this.#held.get(fingerprint) !== this.#generation) (this.#stamped.at(-1) as number[]).push(fingerprint);
    this.#held.set(fingerprint, this.#generation);
    return isDuplicate;
  }
}

/** More fingerprints than elements, at least. */
function isPossible(c: number, request: RivalRequest): boolean {
  return shapeOf(c, request).fingerprints > 2 * request.window.length && c <= request.window.length;
}

export const slidingBloom: RivalRow = {
  name: 'sliding',
  paper: {
    authors: 'Naor, Yogev',
    title: 'Sliding Bloom Filters',
    venue: 'ISAAC; arXiv 1304.5872',
    year: 2013,
    source: 'the abstract; the construction and the theorem from memory',
  },
  wholeWindows: ['elements'],
  create: (parameters, request, seed) => new SlidingBloomFilter(parameters, request, seed),
  // Theorem: n log(1 / e) + n max(log log(1 / e), log(n / m)): with log(1 / e) generations, neither term exceeds the other.
  published(request) {
    const c = Math.max(1, Math.round(request.memoryBits / request.window.length));
    return isPossible(c, request) ? { c } : undefined;
  },
  candidates: (request) =>
    Array.from({ length: 32 }, (_, i) => ({ c: i + 1 })).filter(({ c }) => isPossible(c, request)),
  falsePositiveRate(parameters, request) {
    const c = parameterOf(parameters, 'c');
    const { generationElements, fingerprints } = shapeOf(c, request);
    return meanOver((share) => 1 - (1 - 1 / fingerprints) ** ((c + share) * generationElements));
  },
};
