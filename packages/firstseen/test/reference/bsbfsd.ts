import { BiasedTwin } from './biased.js';
import { fromLowBits } from './random.js';
import type { TwinRow } from './twin.js';

/** bera-2012, algorithm 3. */
class BsbfsdTwin extends BiasedTwin {
  protected insert(fingerprint: bigint): void {
    const losing = fromLowBits(this.filters.drawn(this.index, 1), this.filters.count);
    this.filters.reset(losing, this.filters.drawnBit(fingerprint, this.index, 0));
    this.filters.setAll(fingerprint);
  }
}

export const bsbfsd: TwinRow = {
  create: (settings) => new BsbfsdTwin(settings),
  parameterSets: [{}, { k: 1 }, { k: 3 }, { k: 7 }, { k: 64 }],
};
