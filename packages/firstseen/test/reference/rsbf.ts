import type { DetectorSettings } from '../../src/detectors/settings.js';
import { Filters } from './filters.js';
import { chance, Generator } from './random.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

class RsbfTwin implements Twin {
  readonly #settings: DetectorSettings;
  readonly #generator: Generator;
  readonly #filters: Filters;
  /** The paper's iter: 1 for the first element. */
  #iter = 1;

  constructor(settings: DetectorSettings) {
    this.#settings = settings;
    this.#generator = new Generator(settings.seed);
    this.#filters = new Filters(settings);
  }

  test(fingerprint: bigint): Answer {
    return this.#filters.allSet(fingerprint) ? 1 : 0;
  }

  load(): number {
    return this.#filters.load();
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    const { variant } = this.#settings.parameters.values;
    if (variant === 'table') this.#addTable(fingerprint);
    else if (variant === 'bera-2012') this.#addBera(fingerprint);
    else this.#addDutta(fingerprint, answer === 0);
    this.#iter++;
    return answer;
  }

  /** s. The elements of a partition are counted in it, so the bits of it alone count. */
  get #filterBits(): number {
    return this.#filters.bitsEach / (this.#settings.partitions?.count ?? 1);
  }

  /** Every element is inserted, in exchange for one random bit in each filter: the rule of the published tables. */
  #addTable(fingerprint: bigint): void {
    this.#resetOneEach(fingerprint);
    this.#filters.setAll(fingerprint);
  }

  /** bera-2012, algorithm 1. */
  #addBera(fingerprint: bigint): void {
    const s = this.#filterBits;
    if (this.#iter <= s) {
      this.#filters.setAll(fingerprint);
    } else if (s / this.#iter <= numberOf(this.#settings, 'p*')) {
      this.#exchange(fingerprint);
    } else if (chance(this.#insertionDraw, s, this.#iter)) {
      this.#filters.setAll(fingerprint);
      this.#resetOneEach(fingerprint);
    }
  }

  /** dutta-2012, algorithm 1; P_e is one number for both comparisons. */
  #addDutta(fingerprint: bigint, isDistinct: boolean): void {
    const s = this.#filterBits;
    if (chance(this.#insertionDraw, s, this.#iter) || this.#iter <= s) {
      this.#filters.setAll(fingerprint);
    } else if (!chance(this.#insertionDraw, numberOf(this.#settings, 'p*'), 1) && isDistinct) {
      this.#exchange(fingerprint);
    }
  }

  /** The draw after those that select one bit in each filter. */
  get #insertionDraw(): bigint {
    return this.#generator.draw(this.#iter - 1, this.#filters.count);
  }

  #resetOneEach(fingerprint: bigint): void {
    for (const i of this.#filters.indices) this.#filters.reset(i, this.#drawnBit(fingerprint, i));
  }

  /** For each bit of the element that is 0: a bit that is 1 becomes 0, and the element's bit becomes 1. */
  #exchange(fingerprint: bigint): void {
    const filters = this.#filters;
    for (const i of filters.indices) {
      const bit = filters.bitOf(fingerprint, i);
      if (filters.isSet(i, bit)) continue;
      filters.resetNextOne(i, filters.rangeOf(fingerprint), this.#drawnBit(fingerprint, i));
      filters.set(i, bit);
    }
  }

  #drawnBit(fingerprint: bigint, i: number): number {
    return this.#filters.drawnBit(fingerprint, this.#iter - 1, i);
  }
}

export const rsbf: TwinRow = {
  create: (settings) => new RsbfTwin(settings),
  // With p* near 1, the exchange begins right after s elements; with a small p*, it never begins in a short stream.
  parameterSets: [
    {},
    { k: 2, variant: 'table' },
    { k: 64, variant: 'table' },
    { k: 1, variant: 'bera-2012', 'p*': 0.9 },
    { k: 16, variant: 'bera-2012' },
    { k: 16, variant: 'bera-2012', 'p*': 0.9 },
    { k: 16, variant: 'bera-2012', 'p*': 0.3 },
    { k: 16, variant: 'dutta-2012' },
    { k: 16, variant: 'dutta-2012', 'p*': 0.9 },
    { k: 5, variant: 'dutta-2012', 'p*': 0.3 },
  ],
  forgetsAtOnce: (settings) => settings.parameters.values.variant !== 'table',
};
