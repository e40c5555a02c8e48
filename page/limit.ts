// The limit of the stream so far, from a sample of its keys.

import { GapSample } from 'firstseen/plan';
import { COARSE, gridOf } from '../packages/firstseen/src/plan/grid.js';
import { minFnrOf } from '../packages/firstseen/src/plan/limit.js';
import type { LimitPoint } from './messages.js';

/** Rates of false positives for which the limit is computed, from 10^-6 to 1: eight in each decade. */
const DECADES = 6;
const RATES_PER_DECADE = 8;
const rates = Array.from({ length: DECADES * RATES_PER_DECADE + 1 }, (_, i) => 10 ** (i / RATES_PER_DECADE - DECADES));

/** Fewer records tell too little about the stream. */
const FIRST_RECORDS = 20_000;
/** The limit is computed again when the stream is this many times as long, so that it takes a small part of the time. */
const GROWTH = 1.4;

export class LimitWatch {
  readonly #bits: number;
  readonly #sample: GapSample;
  #next = FIRST_RECORDS;

  /** Follows one key of so many, a power of two, for structures of so many bytes. */
  constructor(memoryBytes: number, oneIn: number) {
    this.#bits = 8 * memoryBytes;
    this.#sample = new GapSample({ oneIn });
  }

  add(fingerprints: BigUint64Array): void {
    this.#sample.addBatch(fingerprints);
  }

  /** True if the limit is to be computed again. */
  get isDue(): boolean {
    return this.#sample.elements >= this.#next && this.#sample.distinctElements > 0;
  }

  compute(): LimitPoint[] {
    this.#next = Math.ceil(this.#sample.elements * GROWTH);
    const least = minFnrOf(gridOf(this.#sample.stream('the stream'), COARSE), this.#bits);
    return rates.map((fpr) => ({ fpr, fnr: least(fpr) }));
  }
}
