// BSBFSD (bera-2012, algorithm 3): an element reported distinct clears one random bit in one random filter, then sets
// its own.

import { testLayout } from '../lib/batch';
import { BiasedSamplingRule } from '../lib/biased';
import {
  AnyCount,
  Blocked,
  Classic,
  configureFilters,
  Eviction,
  filtersAreValid,
  filtersLoad,
  Layout,
  observeFilters,
  Two,
} from '../lib/filters';

/** The first draw selects the bit, the second its filter. */
const DRAWS: u32 = 2;

class OneOfAll<L extends Layout> extends Eviction<L> {
  victims(): u32 {
    return 1;
  }

  decisions(): u32 {
    return 1;
  }

  list(index: u64, at: u32): void {
    const layout = changetype<L>(0);
    layout.listDraws(index, DRAWS, at);
    layout.listVictim(index, 0, 0, layout.drawnFilter(index, 1), at);
  }

  clear(at: u32, cacheLine: u32, change: u32): void {
    const layout = changetype<L>(0);
    layout.clear(cacheLine, layout.victim(at, 0, 0, layout.listedFilter(at, 1)), change);
  }
}

class BsbfsdRule<L extends Layout> extends BiasedSamplingRule<L, OneOfAll<L>> {}

export function bsbfsdConfigure(): void {
  configureFilters();
}

export function bsbfsdObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeFilters<BsbfsdRule<Classic>, BsbfsdRule<Blocked<AnyCount>>, BsbfsdRule<Blocked<Two>>>(
    fingerprints,
    verdicts,
    count,
  );
}

export function bsbfsdTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<BsbfsdRule<Classic>, BsbfsdRule<Blocked<AnyCount>>>(fingerprints, verdicts, count);
}

export function bsbfsdCheck(): u32 {
  return u32(filtersAreValid());
}

export function bsbfsdLoad(): f64 {
  return filtersLoad();
}
