// The Decaying Bloom Filter. "Decaying Bloom Filter (DBF), as an extension of the Counting Bloom Filter, that effectively removes stale
// elements as new elements continuously arrive over sliding windows" (abstract).

import { parameterOf, type Rival, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';
import { around, bestHashes, bloomRate } from './rates.js';

/** Bits of a counter, whose values are 0 to W. */
function counterBits({ window }: RivalRequest): number {
  return Math.ceil(Math.log2(window.length + 1));
}

function counterCount(request: RivalRequest): number {
  return Math.floor(request.memoryBits / counterBits(request));
}

/**
 * An element sets its k counters to W, and each arrival takes one from every counter that is not 0. A new element is a
 * duplicate if none of its counters is 0. The paper visits all counters at each arrival. Here a counter is the number of
 * the arrival that set it, which gives its value by a subtraction; its bits are counted as the paper has them.
 */
class DecayingBloomFilter implements Rival {
  readonly #hashes: Hashes;
  readonly #setAt: Int32Array;
  readonly #k: number;
  readonly #window: number;
  readonly memoryBits: number;

  constructor(k: number, request: RivalRequest, seed: number) {
    this.#hashes = new Hashes(seed);
    this.#k = k;
    this.#window = request.window.length;
    this.#setAt = new Int32Array(counterCount(request)).fill(-request.window.length - 1);
    this.memoryBits = this.#setAt.length * counterBits(request);
  }

  #valueOf(counter: number, now: number): number {
    return Math.max(0, this.#window + 1 - (now - (this.#setAt[counter] as number)));
  }

  observe(element: number, now: number): boolean {
    let isDuplicate = true;
    for (let i = 0; i < this.#k; i++) {
      if (this.#valueOf(this.#hashes.below(element, i, this.#setAt.length), now) === 0) isDuplicate = false;
    }
    for (let i = 0; i < this.#k; i++) this.#setAt[this.#hashes.below(element, i, this.#setAt.length)] = now;
    return isDuplicate;
  }
}

export const decaying: RivalRow = {
  name: 'dbf',
  paper: {
    authors: 'Shen, Zhang',
    title: 'Improved Approximate Detection of Duplicates for Data Streams Over Sliding Windows',
    venue: 'Journal of Computer Science and Technology 23(6)',
    year: 2008,
    source: 'the abstract; the structure from memory',
  },
  wholeWindows: ['elements'],
  create: (parameters, request, seed) => new DecayingBloomFilter(parameterOf(parameters, 'k'), request, seed),
  published: (request) => ({ k: bestHashes(counterCount(request), request.window.length) }),
  candidates: (request) => around((counterCount(request) / request.window.length) * Math.LN2, 60).map((k) => ({ k })),
  // The bound of a Bloom filter of the W elements: (1 - (1 - 1/m)^(kW))^k.
  falsePositiveRate: (parameters, request) =>
    bloomRate(counterCount(request), parameterOf(parameters, 'k'), request.window.length),
};
