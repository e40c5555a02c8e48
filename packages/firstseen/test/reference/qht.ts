import { saturatedRate } from '../../src/detectors/qht.js';
import type { DetectorSettings } from '../../src/detectors/settings.js';
import { fromAllBits, fromTopBits, Generator } from './random.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

/**
 * Buckets as lists of the values of their used slots, newest first unless eviction is random. Once a bucket is full, a new value
 * enters after the first j.
 */
class QhtTwin implements Twin {
  readonly #settings: DetectorSettings;
  readonly #generator: Generator;
  readonly #buckets: number[][];
  readonly #k: number;
  readonly #j: number;
  #index = 0;

  constructor(settings: DetectorSettings) {
    this.#settings = settings;
    this.#generator = new Generator(settings.seed);
    this.#buckets = Array.from({ length: numberOf(settings, 'N') }, () => []);
    this.#k = numberOf(settings, 'k');
    this.#j = Number(settings.parameters.values.j ?? 0);
  }

  #bucketOf(fingerprint: bigint): number[] {
    const generator = this.#generator;
    const { length } = this.#buckets;
    const isBlocked = this.#settings.layout === 'blocked';
    const at = isBlocked
      ? generator.cacheLine(fingerprint, length)
      : fromAllBits(generator.hash(fingerprint, 0), length);
    return this.#buckets[at] as number[];
  }

  /** 1 to 2^s - 1, as 0 marks an empty slot. */
  #valueOf(fingerprint: bigint): number {
    const generator = this.#generator;
    const isBlocked = this.#settings.layout === 'blocked';
    const upper = (generator.cacheLineHash(fingerprint, 3) << 16n) | generator.cacheLineHash(fingerprint, 2);
    const hash = isBlocked ? BigInt.asUintN(32, generator.hash(fingerprint, 0)) : upper;
    const values = 2n ** BigInt(numberOf(this.#settings, 's')) - 1n;
    return 1 + Number((hash * values) >> 32n);
  }

  test(fingerprint: bigint): Answer {
    return this.#bucketOf(fingerprint).includes(this.#valueOf(fingerprint)) ? 1 : 0;
  }

  load(): number {
    const used = this.#buckets.reduce((sum, bucket) => sum + bucket.length, 0);
    return used / (this.#buckets.length * this.#k);
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    const bucket = this.#bucketOf(fingerprint);
    const value = this.#valueOf(fingerprint);
    if (this.#settings.parameters.values.eviction === 'random') {
      if (!answer) this.#enterAtRandom(bucket, value);
    } else {
      this.#enterInOrder(bucket, value);
    }
    this.#index++;
    return answer;
  }

  #enterInOrder(bucket: number[], value: number): void {
    const isRenewed = this.#settings.parameters.values.eviction === 'lru' && bucket.includes(value);
    const isFull = bucket.length === this.#k;
    if (isRenewed) bucket.splice(bucket.indexOf(value), 1);
    else if (isFull) bucket.pop();
    bucket.splice(isFull && !isRenewed ? this.#j : 0, 0, value);
  }

  #enterAtRandom(bucket: number[], value: number): void {
    const drawn = fromTopBits(this.#generator.draw(this.#index, 0), this.#k);
    bucket[bucket.length < this.#k ? bucket.length : drawn] = value;
  }
}

export const qht: TwinRow = {
  create: (settings) => new QhtTwin(settings),
  parameterSets: [
    {},
    { s: 8, eviction: 'random' },
    { s: 12 },
    { s: 13, eviction: 'fifo' },
    { s: 16, eviction: 'random' },
    { s: 24 },
    { eviction: 'fifo' },
    { eviction: 'random' },
    { s: 32, k: 16 },
    { s: 32, k: 16, j: 15 },
  ],
  layoutParameterSets: {
    blocked: [
      { s: 8, j: 63 },
      { s: 12, j: 1 },
      { s: 12, k: 40, j: 37 },
      { s: 25, j: 15 },
    ],
    classic: [
      { s: 3, k: 64 },
      { s: 32, k: 64, j: 48 },
      { s: 17, k: 32, eviction: 'random' },
      { s: 5, k: 2, j: 1 },
      { s: 2, k: 1, eviction: 'random' },
      { s: 3, k: 1 },
      { s: 2, k: 16 },
      { s: 31, k: 1 },
      { s: 3, k: 4, eviction: 'fifo' },
      { s: 11, k: 8 },
      { s: 32, k: 2, eviction: 'random' },
    ],
  },
  falsePositiveBound: (settings) => saturatedRate(numberOf(settings, 's'), numberOf(settings, 'k')),
};
