// The time-limited Bloom filter: an Age-Partitioned Bloom Filter whose slices expire by the clock. "The approach supports variable
// insertion rates while striving to keep a target false positive rate" (abstract): slices are added, and their size follows the rate.

import { PAIRS, pairRate } from './agepartitions.js';
import { Bits } from './bits.js';
import { parameterOf, type Rival, type RivalParameters, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';

/** Size, count and time of a slice. */
const SLICE_BITS = 96;

interface Slice {
  bits: Bits;
  hash: number;
  adds: number;
  lastAddAt: number;
}

/** Bits for adds after which a share of 1 / 2k of the youngest slice is set. */
function sliceBitsFor(k: number, adds: number): number {
  return Math.max(2 * k, Math.ceil(-(Math.ceil(adds) + 1) / Math.log1p(-1 / (2 * k))));
}

/** The names of functions are those of the authors' code. */
class TimeLimitedBloomFilter implements Rival {
  readonly #hashes: Hashes;
  readonly #k: number;
  readonly #l: number;
  readonly #window: number;
  /** The youngest first. */
  #slices: Slice[];
  #generationElements = 0;
  #addsLeft = 0;
  #peakBits = 0;

  constructor(parameters: RivalParameters, { window }: RivalRequest, seed: number) {
    this.#hashes = new Hashes(seed);
    this.#k = parameterOf(parameters, 'k');
    this.#l = parameterOf(parameters, 'l');
    this.#window = window.length;
    const bits = Math.ceil((window.mostElements * this.#k) / (this.#l * Math.LN2));
    this.#slices = Array.from({ length: this.#k + this.#l }, (_, i) => this.#newSlice(bits, i % this.#k));
    (this.#slices[this.#k] as Slice).lastAddAt = 0;
    this.#updateShiftTrigger();
  }

  get memoryBits(): number {
    return this.#peakBits;
  }

  #newSlice(bits: number, hash: number): Slice {
    return { bits: new Bits(bits), hash, adds: 0, lastAddAt: Number.NEGATIVE_INFINITY };
  }

  /** The adds until one of the k youngest slices, of index i, has a share of (i + 1) / 2k of its bits set. */
  #updateShiftTrigger(): void {
    const rooms = this.#slices.slice(0, this.#k).map(({ bits, adds }, i) => {
      const most = Math.log1p(-(i + 1) / (2 * this.#k)) / Math.log1p(-1 / bits.length);
      return Math.floor(most) - adds;
    });
    this.#generationElements = Math.max(1, Math.min(...rooms));
    this.#addsLeft = this.#generationElements;
    const bits = this.#slices.reduce((sum, slice) => sum + slice.bits.length + SLICE_BITS, 0);
    this.#peakBits = Math.max(this.#peakBits, bits);
  }

  /** The size of the next slice: for the adds in the l-th part of the window, at the rate of the last generation. */
  #predictSize(now: number): number {
    const elapsed = Math.max(1, now - (this.#slices[this.#k] as Slice).lastAddAt);
    return sliceBitsFor(this.#k, (this.#generationElements * this.#window) / this.#l / elapsed);
  }

  #shift(now: number): void {
    (this.#slices[this.#k - 1] as Slice).lastAddAt = now;
    const isExpired = (slice: Slice | undefined) => (slice?.lastAddAt ?? now) < now - this.#window;
    const bits = this.#predictSize(now);
    while (this.#slices.length > this.#k + this.#l && isExpired(this.#slices.at(-1))) this.#slices.pop();
    const oldest = this.#slices.at(-1);
    if (oldest?.adds === 0 || isExpired(oldest)) this.#slices.pop();
    const hash = ((this.#slices[0] as Slice).hash + this.#k - 1) % this.#k;
    this.#slices.unshift(this.#newSlice(bits, hash));
    this.#updateShiftTrigger();
  }

  #has(element: number): boolean {
    let run = 0;
    for (const { bits, hash } of this.#slices) {
      run = bits.has(this.#hashes.below(element, hash, bits.length)) ? run + 1 : 0;
      if (run === this.#k) return true;
    }
    return false;
  }

  observe(element: number, now: number): boolean {
    const isDuplicate = this.#has(element);
    if (this.#addsLeft === 0) this.#shift(now);
    for (let i = 0; i < this.#k; i++) {
      const slice = this.#slices[i] as Slice;
      slice.bits.set(this.#hashes.below(element, slice.hash, slice.bits.length));
      slice.adds++;
    }
    this.#addsLeft--;
    return isDuplicate;
  }
}

/** The bits at a constant rate: k + l slices, and the one by which their number varies. */
function usualBits({ k, l }: { k: number; l: number }, { window }: RivalRequest): number {
  return (k + l + 1) * (sliceBitsFor(k, window.mostElements / l) + SLICE_BITS);
}

function pairsIn(request: RivalRequest): { k: number; l: number }[] {
  return PAIRS.filter((pair) => usualBits(pair, request) <= request.memoryBits);
}

export const timeLimited: RivalRow = {
  name: 'tlbf',
  paper: {
    authors: 'Rodrigues, Shtul, Baquero, Almeida',
    title: 'Time-limited Bloom Filter',
    venue: 'SAC; arXiv 2306.06742',
    year: 2023,
    source: "the abstract, and the authors' code of a module of Redis",
  },
  wholeWindows: ['elements', 'milliseconds'],
  create: (parameters, request, seed) => new TimeLimitedBloomFilter(parameters, request, seed),
  // The pair with the lowest rate of those that fit. Memory is left for bursts, after which the sizes are too large for a while.
  published(request) {
    const pairs = pairsIn({ ...request, memoryBits: request.memoryBits / 1.25 });
    return pairs.reduce<{ k: number; l: number } | undefined>(
      (best, pair) => (best === undefined || pairRate(pair) < pairRate(best) ? pair : best),
      undefined,
    );
  },
  candidates: (request) => pairsIn(request),
  falsePositiveRate: (parameters) => pairRate({ k: parameterOf(parameters, 'k'), l: parameterOf(parameters, 'l') }),
};
