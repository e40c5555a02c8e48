import { BiasedTwin } from './biased.js';
import type { TwinRow } from './twin.js';

/** bera-2012, algorithm 2. */
class BsbfTwin extends BiasedTwin {
  protected insert(fingerprint: bigint): void {
    for (const i of this.filters.indices) {
      this.filters.reset(i, this.filters.drawnBit(fingerprint, this.index, i));
    }
    this.filters.setAll(fingerprint);
  }
}

export const bsbf: TwinRow = {
  create: (settings) => new BsbfTwin(settings),
  parameterSets: [{}, { k: 1 }, { k: 3 }, { k: 7 }, { k: 64 }],
};
