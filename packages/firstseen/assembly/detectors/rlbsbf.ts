// RLBSBF (bera-2012, algorithm 4): an element reported distinct draws one random bit in each filter and clears it with
// the probability of the filter's load, then sets its own.

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

/** Of the two draws for filter i, the first selects a bit and the second decides. */
class ByLoad<L extends Layout> extends Eviction<L> {
  victims(): u32 {
    return changetype<L>(0).filters();
  }

  decisions(): u32 {
    return changetype<L>(0).filters();
  }

  list(index: u64, at: u32): void {
    const layout = changetype<L>(0);
    layout.listDraws(index, 2 * layout.filters(), at);
    this.listOne(index, 0, at);
    if (layout.filters() > 1) this.listOne(index, 1, at);
    if (layout.filters() > 2) {
      for (let i: u32 = 2; i < layout.filters(); i++) this.listOne(index, i, at);
    }
  }

  listOne(index: u64, i: u32, at: u32): void {
    const layout = changetype<L>(0);
    layout.listVictim(index, 2 * i, i, i, at);
    layout.listDecision(index, 2 * i + 1, i, at);
  }

  clear(at: u32, cacheLine: u32, change: u32): void {
    const layout = changetype<L>(0);
    this.clearOne(at, cacheLine, 0, change);
    if (layout.filters() > 1) this.clearOne(at, cacheLine, 1, change);
    if (layout.filters() > 2) {
      for (let i: u32 = 2; i < layout.filters(); i++) this.clearOne(at, cacheLine, i, change);
    }
  }

  clearOne(at: u32, cacheLine: u32, i: u32, change: u32): void {
    const layout = changetype<L>(0);
    layout.clear(cacheLine, layout.victim(at, 2 * i, i, i), change & layout.sheds(at, cacheLine, 2 * i + 1, i));
  }
}

class RlbsbfRule<L extends Layout> extends BiasedSamplingRule<L, ByLoad<L>> {}

export function rlbsbfConfigure(): void {
  configureFilters();
}

export function rlbsbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeFilters<RlbsbfRule<Classic>, RlbsbfRule<Blocked<AnyCount>>, RlbsbfRule<Blocked<Two>>>(
    fingerprints,
    verdicts,
    count,
  );
}

export function rlbsbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<RlbsbfRule<Classic>, RlbsbfRule<Blocked<AnyCount>>>(fingerprints, verdicts, count);
}

export function rlbsbfCheck(): u32 {
  return u32(filtersAreValid());
}

export function rlbsbfLoad(): f64 {
  return filtersLoad();
}
