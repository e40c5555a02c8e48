// The Decaying Bloom Filter in its block form, which takes one from the counters once for each block of elements, and so needs fewer bits
// for each.

import { parameterOf, type Rival, type RivalParameters, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';
import { around, bloomRate, meanOver } from './rates.js';

interface Shape {
  counters: number;
  blockElements: number;
  /** Blocks after its own in which an element is found. */
  laterBlocks: number;
}

/**
 * Half of the values of a counter of b bits are left for the running number of the block, so a window has up to
 * 2^(b-1) - 1 blocks.
 */
function shapeOf(b: number, { memoryBits, window }: RivalRequest): Shape {
  const blockElements = Math.ceil(window.length / (2 ** (b - 1) - 1));
  return {
    counters: Math.floor(memoryBits / b),
    blockElements,
    laterBlocks: Math.ceil(window.length / blockElements),
  };
}

/** A counter is the block that set it, which gives its value by a subtraction; its bits are counted as b. */
class BlockDecayingBloomFilter implements Rival {
  readonly #hashes: Hashes;
  readonly #setIn: Int32Array;
  readonly #k: number;
  readonly #shape: Shape;
  readonly memoryBits: number;

  constructor(parameters: RivalParameters, request: RivalRequest, seed: number) {
    const b = parameterOf(parameters, 'b');
    this.#hashes = new Hashes(seed);
    this.#k = parameterOf(parameters, 'k');
    this.#shape = shapeOf(b, request);
    this.#setIn = new Int32Array(this.#shape.counters).fill(-this.#shape.laterBlocks - 1);
    this.memoryBits = this.#shape.counters * b;
  }

  observe(element: number, now: number): boolean {
    const block = Math.floor(now / this.#shape.blockElements);
    let isDuplicate = true;
    for (let i = 0; i < this.#k; i++) {
      const counter = this.#hashes.below(element, i, this.#setIn.length);
      if (block - (this.#setIn[counter] as number) > this.#shape.laterBlocks) isDuplicate = false;
    }
    for (let i = 0; i < this.#k; i++) this.#setIn[this.#hashes.below(element, i, this.#setIn.length)] = block;
    return isDuplicate;
  }
}

export const blockDecaying: RivalRow = {
  name: 'b-dbf',
  paper: {
    authors: 'Shen, Zhang',
    title: 'Improved Approximate Detection of Duplicates for Data Streams Over Sliding Windows',
    venue: 'Journal of Computer Science and Technology 23(6)',
    year: 2008,
    source: 'the abstract, and the code of the benchmark of Géraud-Stewart and others (2020)',
  },
  wholeWindows: ['elements'],
  create: (parameters, request, seed) => new BlockDecayingBloomFilter(parameters, request, seed),
  // The time is O(sqrt(G / W)) for G bits and W elements: k = b = sqrt(G / W ln 2).
  published(request) {
    const b = Math.ceil(Math.sqrt((request.memoryBits / request.window.length) * Math.LN2));
    return b >= 2 && b <= 30 ? { b, k: b } : undefined;
  },
  candidates(request) {
    const sizes = [2, 3, 4, 5, 6].filter((b) => 2 ** (b - 1) - 1 <= request.window.length);
    return sizes.flatMap((b) =>
      around((request.memoryBits / b / request.window.length) * Math.LN2, 60, 20).map((k) => ({ b, k })),
    );
  },
  // A Bloom filter of the elements of the blocks that are kept, of which the current one is in part full.
  falsePositiveRate(parameters, request) {
    const { counters, blockElements, laterBlocks } = shapeOf(parameterOf(parameters, 'b'), request);
    return meanOver((share) =>
      bloomRate(counters, parameterOf(parameters, 'k'), (laterBlocks + share) * blockElements),
    );
  },
};
