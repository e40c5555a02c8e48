import type { DetectorSettings } from '../../src/detectors/settings.js';
import { Filters } from './filters.js';
import { fromLowBits } from './random.js';
import type { Answer, Twin, TwinRow } from './twin.js';

/** bera-2012, algorithm 3; its first `if` is printed with the two answers exchanged. */
class BsbfsdTwin implements Twin {
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
    const losing = fromLowBits(this.#filters.drawn(this.#index, 1), this.#filters.count);
    this.#filters.reset(losing, this.#filters.drawnPlace(fingerprint, this.#index, 0));
    this.#filters.setAll(fingerprint);
  }
}

export const bsbfsd: TwinRow = {
  create: (settings) => new BsbfsdTwin(settings),
  parameterSets: [{}, { k: 1 }, { k: 3 }, { k: 7 }, { k: 64 }],
};
