// SHE over a Bloom filter: bits are cleared in groups, one after another, and bits that were cleared less than a window ago are ignored.

import { Bits } from './bits.js';
import { parameterOf, type Rival, type RivalParameters, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';

/** The cells of a group, w. */
const GROUP_CELLS = 64;

function groupCount({ memoryBits }: RivalRequest): number {
  return Math.floor(memoryBits / (GROUP_CELLS + 1));
}

/** Section 3.3. A group has a time mark of one bit, and is cleared when an access finds that its mark has turned. */
class SlidingHardwareEstimator implements Rival {
  readonly #hashes: Hashes;
  readonly #cells: Bits;
  readonly #marks: Uint8Array;
  readonly #k: number;
  readonly #window: number;
  readonly #cycle: number;
  readonly memoryBits: number;

  constructor(parameters: RivalParameters, request: RivalRequest, seed: number) {
    this.#hashes = new Hashes(seed);
    this.#k = parameterOf(parameters, 'k');
    this.#window = request.window.length;
    this.#cycle = Math.round((1 + parameterOf(parameters, 'alpha')) * request.window.length);
    this.#marks = new Uint8Array(groupCount(request));
    this.#cells = new Bits(groupCount(request) * GROUP_CELLS);
    this.memoryBits = groupCount(request) * (GROUP_CELLS + 1);
  }

  /** The time of a group: t + d, with d = -floor(T gid / G). */
  #timeOf(group: number, now: number): number {
    return now + 2 * this.#cycle - Math.floor((this.#cycle * group) / this.#marks.length);
  }

  /** Algorithm 1, CheckGroup. */
  #check(group: number, now: number): void {
    const mark = Math.floor(this.#timeOf(group, now) / this.#cycle) % 2;
    if (this.#marks[group] === mark) return;
    this.#marks[group] = mark;
    for (let i = 0; i < GROUP_CELLS; i++) this.#cells.clear(group * GROUP_CELLS + i);
  }

  /** Algorithm 1, CheckMature: the group was cleared at least a window ago. */
  #isMature(group: number, now: number): boolean {
    return this.#timeOf(group, now) % this.#cycle >= this.#window;
  }

  observe(element: number, now: number): boolean {
    let isDuplicate = true;
    for (let i = 0; i < this.#k; i++) {
      const cell = this.#hashes.below(element, i, this.#cells.length);
      const group = Math.floor(cell / GROUP_CELLS);
      this.#check(group, now);
      if (this.#isMature(group, now) && !this.#cells.has(cell)) isDuplicate = false;
    }
    for (let i = 0; i < this.#k; i++) this.#cells.set(this.#hashes.below(element, i, this.#cells.length));
    return isDuplicate;
  }
}

/** Section 5.2: ln Q, where Q is the share of zeros that the elements of a window leave in a group. */
function logarithmOfQ(k: number, request: RivalRequest): number {
  return (Math.log1p(-1 / GROUP_CELLS) * request.window.mostElements * k) / groupCount(request);
}

/** Equation (2): alpha = R - 1, where R solves Q^R (R ln Q - 1) + Q = 0. The left side rises with R. */
function bestAlpha(k: number, request: RivalRequest): number {
  const logQ = logarithmOfQ(k, request);
  let [low, high] = [1, 1000];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (Math.exp(logQ * middle) * (middle * logQ - 1) + Math.exp(logQ) < 0) low = middle;
    else high = middle;
  }
  return Number((low - 1).toPrecision(3));
}

export const she: RivalRow = {
  name: 'she-bf',
  paper: {
    authors: 'Wu, Fan, Shi, Zhang, Yang, Cheng, Zhong, Li, Shtul, Tu',
    title: 'SHE: A Generic Framework for Data Stream Mining over Sliding Windows',
    venue: 'ICPP',
    year: 2022,
    source: "the authors' technical report and code",
  },
  wholeWindows: ['elements', 'milliseconds'],
  create: (parameters, request, seed) => new SlidingHardwareEstimator(parameters, request, seed),
  // Section 7.1: 8 hash functions, and alpha by equation (2).
  published: (request) => ({ k: 8, alpha: bestAlpha(8, request) }),
  candidates: (request) =>
    [2, 3, 4, 6, 8, 11, 14, 16, 24, 32, 48].flatMap((k) => {
      const alpha = bestAlpha(k, request);
      return [0.7, 1, 1.4].map((factor) => ({ k, alpha: Number((factor * alpha).toPrecision(3)) }));
    }),
  // Section 5.2: FPR(R) = (1 - (Q^R - Q) / (R ln Q))^H.
  falsePositiveRate(parameters, request) {
    const k = parameterOf(parameters, 'k');
    const R = 1 + parameterOf(parameters, 'alpha');
    const logQ = logarithmOfQ(k, request);
    return (1 - (Math.exp(logQ * R) - Math.exp(logQ)) / (R * logQ)) ** k;
  },
};
