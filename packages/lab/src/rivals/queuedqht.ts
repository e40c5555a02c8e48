// The queuing construction over Queued Quotient Hash Tables with Duplicates, the filter with the fewest errors in the paper's benchmark.

import { parameterOf, type RivalParameters, type RivalRow } from './contract.js';
import type { Hashes } from './hashes.js';
import { type QueuedFilter, type QueuedKind, queueOf } from './queue.js';

/** Buckets of k fingerprints of s bits; an added element, new or not, takes the place of the oldest one of its bucket. */
class QueuedQuotientHashTable implements QueuedFilter {
  readonly #hashes: Hashes;
  readonly #fingerprints: Uint32Array;
  readonly #k: number;
  readonly #s: number;

  constructor(bits: number, parameters: RivalParameters, hashes: Hashes) {
    this.#hashes = hashes;
    this.#k = parameterOf(parameters, 'k');
    this.#s = parameterOf(parameters, 's');
    this.#fingerprints = new Uint32Array(Math.floor(bits / (this.#k * this.#s)) * this.#k);
  }

  get memoryBits(): number {
    return this.#fingerprints.length * this.#s;
  }

  #bucketOf(element: number): number {
    return this.#hashes.below(element, 0, this.#fingerprints.length / this.#k) * this.#k;
  }

  /** 0 is an empty slot. */
  #fingerprintOf(element: number): number {
    return 1 + this.#hashes.below(element, 1, 2 ** this.#s - 1);
  }

  has(element: number): boolean {
    const start = this.#bucketOf(element);
    return this.#fingerprints.subarray(start, start + this.#k).includes(this.#fingerprintOf(element));
  }

  add(element: number): void {
    const start = this.#bucketOf(element);
    this.#fingerprints.copyWithin(start, start + 1, start + this.#k);
    this.#fingerprints[start + this.#k - 1] = this.#fingerprintOf(element);
  }

  clear(): void {
    this.#fingerprints.fill(0);
  }
}

/** The numbers of adds of a bucket have a Poisson distribution, and each fingerprint in it matches with 1 / (2^s - 1). */
const quotientKind: QueuedKind = {
  create: (bits, parameters, hashes) => new QueuedQuotientHashTable(bits, parameters, hashes),
  rate(bits, parameters, adds) {
    const [k, s] = [parameterOf(parameters, 'k'), parameterOf(parameters, 's')];
    const mean = adds / Math.floor(bits / (k * s));
    let probability = Math.exp(-mean);
    let rate = 0;
    let rest = 1;
    for (let entries = 0; entries < k; entries++) {
      rate += probability * (1 - (1 - 1 / (2 ** s - 1)) ** entries);
      rest -= probability;
      probability *= mean / (entries + 1);
    }
    return rate + rest * (1 - (1 - 1 / (2 ** s - 1)) ** k);
  },
};

export const queuedQht: RivalRow = queueOf(quotientKind, {
  name: 'queue',
  paper: {
    authors: 'Géraud-Stewart, Lombard-Platet, Naccache',
    title: 'Approaching Optimal Duplicate Detection in a Sliding Window',
    venue: 'COCOON; arXiv 2005.04740',
    year: 2020,
    source: "the abstract, and the authors' code of the benchmark",
  },
  wholeWindows: [],
  // The authors' paper of 2019 has one fingerprint of 3 bits in a bucket (from memory). The number of filters is ours.
  published: () => ({ L: 10, k: 1, s: 3 }),
  candidates: () => [2, 3, 5, 10].flatMap((L) => [3, 4, 6, 9, 12].flatMap((s) => [1, 4, 16].map((k) => ({ L, k, s })))),
});
