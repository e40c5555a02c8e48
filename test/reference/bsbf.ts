import type { DetectorSettings } from '../../src/detectors/settings.js';
import { Filters } from './filters.js';
import type { Answer, Twin, TwinRow } from './twin.js';

/** bera-2012, algorithm 2; its first `if` is printed with the two answers exchanged. */
class BsbfTwin implements Twin {
  readonly #filters: Filters;
  #index = 0;

  constructor(settings: DetectorSettings) {
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
    if (answer === 0) this.#insert(fingerprint);
    this.#index++;
    return answer;
  }

  #insert(fingerprint: bigint): void {
    for (const i of this.#filters.indices) {
      this.#filters.reset(i, this.#filters.drawnPlace(fingerprint, this.#index, i));
    }
    this.#filters.setAll(fingerprint);
  }
}

export const bsbf: TwinRow = {
  create: (settings) => new BsbfTwin(settings),
  parameterSets: [{}, { k: 1 }, { k: 3 }, { k: 7 }, { k: 64 }],
};
