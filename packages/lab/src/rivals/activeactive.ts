// Active-Active Buffering: a Bloom filter that is filled, and the one before it. In double buffering, the second one warms up; here both
// answer, so all of the memory is used.

import { BloomFilter } from './bloom.js';
import { parameterOf, type Rival, type RivalParameters, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';
import { around, bestHashes, bloomRate, meanOver } from './rates.js';

/** Bits of each of the two filters; a counter of adds is left. */
function filterBits({ memoryBits }: RivalRequest): number {
  return Math.floor((memoryBits - 32) / 2);
}

/** A duplicate is in one of the two filters. What is not in the first one is added to it, also if it is in the second. */
class ActiveActiveBuffering implements Rival {
  readonly #capacityElements: number;
  #first: BloomFilter;
  #second: BloomFilter;
  #adds = 0;
  readonly memoryBits: number;

  constructor(parameters: RivalParameters, request: RivalRequest, seed: number) {
    const hashes = new Hashes(seed);
    const k = parameterOf(parameters, 'k');
    this.#capacityElements = request.window.mostElements;
    this.#first = new BloomFilter(filterBits(request), k, hashes);
    this.#second = new BloomFilter(filterBits(request), k, hashes);
    this.memoryBits = 2 * filterBits(request) + 32;
  }

  observe(element: number): boolean {
    if (this.#first.has(element)) return true;
    const isDuplicate = this.#second.has(element);
    if (this.#adds === this.#capacityElements) {
      [this.#first, this.#second] = [this.#second, this.#first];
      this.#first.clear();
      this.#adds = 0;
    }
    this.#first.add(element);
    this.#adds++;
    return isDuplicate;
  }
}

export const activeActive: RivalRow = {
  name: 'a2',
  paper: {
    authors: 'Yoon',
    title: 'Aging Bloom Filter with Two Active Buffers for Dynamic Sets',
    venue: 'IEEE Transactions on Knowledge and Data Engineering 22(1)',
    year: 2010,
    source: 'the abstract, and the code of the benchmark of Géraud-Stewart and others (2020)',
  },
  wholeWindows: ['elements'],
  create: (parameters, request, seed) => new ActiveActiveBuffering(parameters, request, seed),
  published: (request) => ({ k: bestHashes(filterBits(request), request.window.mostElements) }),
  candidates: (request) =>
    around((filterBits(request) / request.window.mostElements) * Math.LN2, 60).map((k) => ({ k })),
  // An element is found in the filter that is full, or in the one that is being filled. What the latter takes for a duplicate is not
  // added, which changes no bit: after as many new elements, it has the bits of a Bloom filter. It takes `elements` of them for n adds.
  falsePositiveRate(parameters, request) {
    const [n, k] = [request.window.mostElements, parameterOf(parameters, 'k')];
    const rateAfter = (elements: number) => bloomRate(filterBits(request), k, elements);
    let elements = n;
    for (let step = 0; step < 50; step++) elements = n / (1 - meanOver((share) => rateAfter(share * elements)));
    return 1 - (1 - rateAfter(elements)) * (n / elements);
  },
};
