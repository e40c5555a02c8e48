import { BiasedTwin } from './biased.js';
import type { TwinRow } from './twin.js';

/** bera-2012, algorithm 4. */
class RlbsbfTwin extends BiasedTwin {
  protected insert(fingerprint: bigint): void {
    const filters = this.filters;
    for (const i of filters.indices) {
      // Of the two draws for a filter, the first selects a bit and the second decides whether it is reset.
      if (filters.sheds(i, fingerprint, this.index, 2 * i + 1)) {
        filters.reset(i, filters.drawnBit(fingerprint, this.index, 2 * i));
      }
    }
    filters.setAll(fingerprint);
  }
}

export const rlbsbf: TwinRow = {
  create: (settings) => new RlbsbfTwin(settings),
  parameterSets: [{}, { k: 1 }, { k: 3 }, { k: 7 }, { k: 64 }],
};
