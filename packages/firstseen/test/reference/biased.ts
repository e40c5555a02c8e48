// Shared code of the twins of bera-2012's biased sampling: exactly the elements reported distinct are inserted. In all
// three algorithms of the paper, the first `if` is printed with its two answers swapped.

import type { DetectorSettings } from '../../src/detectors/settings.js';
import { Filters } from './filters.js';
import type { Answer, Twin } from './twin.js';

export abstract class BiasedTwin implements Twin {
  protected readonly filters: Filters;
  /** Number of elements observed before the current one. */
  protected index = 0;

  constructor(settings: DetectorSettings) {
    this.filters = new Filters(settings);
  }

  /** Clears bits as the algorithm requires, then sets the element's bits. */
  protected abstract insert(fingerprint: bigint): void;

  test(fingerprint: bigint): Answer {
    return this.filters.allSet(fingerprint) ? 1 : 0;
  }

  load(): number {
    return this.filters.load();
  }

  observe(fingerprint: bigint): Answer {
    const answer = this.test(fingerprint);
    if (answer === 0) this.insert(fingerprint);
    this.index++;
    return answer;
  }
}
