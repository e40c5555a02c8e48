import type { DetectorSettings } from '../../src/detectors/settings.js';
import { Cells } from './cells.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

/** deng-2006, algorithm 1. Every element, duplicate or not, decrements and sets cells. */
class SbfTwin implements Twin {
  readonly #settings: DetectorSettings;
  readonly #cells: Cells;
  #index = 0;

  constructor(settings: DetectorSettings) {
    this.#settings = settings;
    this.#cells = new Cells(settings, numberOf(settings, 'Max'));
  }

  #cellsOf(fingerprint: bigint): number[] {
    return this.#cells.cellsOf(fingerprint, numberOf(this.#settings, 'K'));
  }

  #victimsFor(fingerprint: bigint): number[] {
    const region = this.#cells.regionOf(fingerprint);
    const P = numberOf(this.#settings, 'P');
    return this.#settings.parameters.values.victims === 'adjacent'
      ? this.#cells.adjacentVictims(region, this.#index, P)
      : this.#cells.independentVictims(region, this.#index, P);
  }

  test(fingerprint: bigint): Answer {
    return this.#cellsOf(fingerprint).every((cell) => this.#cells.isSet(cell)) ? 1 : 0;
  }

  load(): number {
    return this.#cells.load();
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    for (const cell of this.#victimsFor(fingerprint)) this.#cells.decrement(cell);
    for (const cell of this.#cellsOf(fingerprint)) this.#cells.fill(cell);
    this.#index++;
    return answer;
  }
}

export const sbf: TwinRow = {
  create: (settings) => new SbfTwin(settings),
  parameterSets: [
    {},
    { Max: 1, K: 2, P: 4 },
    { Max: 3, K: 3, P: 37 },
    { Max: 7, K: 5, P: 150 },
    { Max: 1, K: 3, P: 11, victims: 'independent' },
    { Max: 3, K: 2, P: 60, victims: 'independent' },
    { Max: 7, K: 1, P: 168, victims: 'independent' },
    { Max: 1, K: 64, P: 0 },
  ],
  // Cache lines fill unevenly, which adds up to a twentieth to a rate of 0.001 or more.
  falsePositiveBound: (settings) => numberOf(settings, 'FPS'),
};
