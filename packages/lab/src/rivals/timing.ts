// The Timing Bloom Filter. "To insert timing information into TBF, each bit in the classical Bloom filter is replaced by an entry with
// O(log N) bits"; "the timestamps are represented by wraparound counters" (section "TBF Algorithm Description").

import { parameterOf, type Rival, type RivalParameters, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';
import { around, bestHashes, bloomRate } from './rates.js';

/** Times are counted modulo N + C + 1; the value of all ones means that an entry is empty. */
function entryBits({ window }: RivalRequest): number {
  return Math.ceil(Math.log2(2 * window.length + 2));
}

function entryCount(request: RivalRequest): number {
  return Math.floor(request.memoryBits / entryBits(request));
}

/**
 * C is N: each step of the time empties the entries that are no longer active in 1 / C of the entries, so that every one
 * is visited between its end and the moment at which its time would look new.
 */
class TimingBloomFilter implements Rival {
  readonly #hashes: Hashes;
  readonly #entries: Int32Array;
  readonly #k: number;
  readonly #window: number;
  readonly #refreshes: boolean;
  #swept = 0;
  #before = 0;
  readonly memoryBits: number;

  constructor(parameters: RivalParameters, request: RivalRequest, seed: number) {
    this.#hashes = new Hashes(seed);
    this.#k = parameterOf(parameters, 'k');
    this.#window = request.window.length;
    this.#refreshes = parameterOf(parameters, 'refresh') === 1;
    this.#entries = new Int32Array(entryCount(request)).fill(-1);
    this.memoryBits = this.#entries.length * entryBits(request);
  }

  #isActive(entry: number, now: number): boolean {
    const period = 2 * this.#window + 1;
    const time = this.#entries[entry] as number;
    return time >= 0 && (now - time + period) % period <= this.#window;
  }

  /** "Step 1 deletes expired information in TBF." */
  #sweep(now: number): void {
    const perStep = Math.ceil(this.#entries.length / this.#window);
    const count = Math.min(this.#entries.length, (now - this.#before) * perStep);
    for (let i = 0; i < count; i++) {
      if (!this.#isActive(this.#swept, now % (2 * this.#window + 1))) this.#entries[this.#swept] = -1;
      this.#swept = (this.#swept + 1) % this.#entries.length;
    }
    this.#before = now;
  }

  /**
   * "If it is present and active, then we just ignore it and report it as a duplicate click." A false positive is then not
   * added, and its repeat is missed, although the paper says that no repeat is. With `refresh`, every element is added.
   */
  observe(element: number, now: number): boolean {
    this.#sweep(now);
    const time = now % (2 * this.#window + 1);
    let isDuplicate = true;
    for (let i = 0; i < this.#k; i++) {
      if (!this.#isActive(this.#hashes.below(element, i, this.#entries.length), time)) isDuplicate = false;
    }
    if (isDuplicate && !this.#refreshes) return true;
    for (let i = 0; i < this.#k; i++) this.#entries[this.#hashes.below(element, i, this.#entries.length)] = time;
    return isDuplicate;
  }
}

export const timing: RivalRow = {
  name: 'tbf',
  paper: {
    authors: 'Zhang, Guan',
    title: 'Detecting Click Fraud in Pay-Per-Click Streams of Online Advertising Networks',
    venue: 'ICDCS',
    year: 2008,
    source: 'the section on the algorithm, as a thesis prints it',
  },
  wholeWindows: ['elements', 'milliseconds'],
  create: (parameters, request, seed) => new TimingBloomFilter(parameters, request, seed),
  published: (request) => ({ k: bestHashes(entryCount(request), request.window.mostElements), refresh: 1 }),
  candidates: (request) =>
    around((entryCount(request) / request.window.mostElements) * Math.LN2, 60).map((k) => ({ k, refresh: 1 })),
  falsePositiveRate: (parameters, request) =>
    bloomRate(entryCount(request), parameterOf(parameters, 'k'), request.window.mostElements),
};
