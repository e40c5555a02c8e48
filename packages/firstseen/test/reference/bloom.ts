import type { DetectorSettings } from '../../src/detectors/settings.js';
import { Cells } from './cells.js';
import { type Answer, numberOf, type Twin, type TwinRow } from './twin.js';

class BloomTwin implements Twin {
  readonly #cells: Cells;
  readonly #k: number;

  constructor(settings: DetectorSettings) {
    this.#cells = new Cells(settings, 1);
    this.#k = numberOf(settings, 'k');
  }

  test(fingerprint: bigint): Answer {
    return this.#cells.cellsOf(fingerprint, this.#k).every((cell) => this.#cells.isSet(cell)) ? 1 : 0;
  }

  load(): number {
    return this.#cells.load();
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    for (const cell of this.#cells.cellsOf(fingerprint, this.#k)) this.#cells.fill(cell);
    return answer;
  }
}

/** deng-2006, section 2.3. Valid for one array; cache lines fill unevenly, so there is no such formula for `blocked`. */
function classicRate(settings: DetectorSettings, distinctElements: number): number {
  const k = numberOf(settings, 'k');
  return settings.layout === 'classic' ? (1 - Math.exp((-k * distinctElements) / numberOf(settings, 'm'))) ** k : 1;
}

export const bloom: TwinRow = {
  create: (settings) => new BloomTwin(settings),
  parameterSets: [{}, { k: 1 }, { k: 2 }, { k: 13 }, { k: 64 }],
  falsePositiveBound: classicRate,
};
