import type { DetectorSettings } from '../../src/detectors/settings.js';
import { Filters } from './filters.js';
import type { Answer, Twin, TwinRow } from './twin.js';

/** bera-2012, algorithm 4; its first `if` is printed with the two answers exchanged. */
class RlbsbfTwin implements Twin {
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
    const filters = this.#filters;
    for (const i of filters.indices) {
      // Of the two draws for a filter, the first places a bit and the second decides whether it is reset.
      if (filters.sheds(i, fingerprint, this.#index, 2 * i + 1)) {
        filters.reset(i, filters.drawnPlace(fingerprint, this.#index, 2 * i));
      }
    }
    filters.setAll(fingerprint);
  }
}

export const rlbsbf: TwinRow = {
  create: (settings) => new RlbsbfTwin(settings),
  parameterSets: [{}, { k: 1 }, { k: 3 }, { k: 7 }, { k: 64 }],
};
