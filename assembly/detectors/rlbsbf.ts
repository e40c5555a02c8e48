// RLBSBF (bera-2012, algorithm 4): what is reported distinct picks one random bit in each filter and clears it with
// the probability of the filter's load, then sets its own.

import { observeLayout, Rule, testLayout } from '../lib/batch';
import {
  allSet,
  Blocked,
  Classic,
  clearDrawn,
  configureFilters,
  filterCount,
  filtersLoad,
  Layout,
  listBits,
  listVictims,
  setAll,
} from '../lib/filters';
import { chance, draw } from '../lib/random';

class RlbsbfRule<L extends Layout> extends Rule {
  lines(fingerprint: u64, index: u64, at: u32): u32 {
    return listVictims<L>(index, listBits<L>(fingerprint, at));
  }

  observe(fingerprint: u64, index: u64): u32 {
    const at = changetype<L>(0);
    const home = at.home(fingerprint);
    if (allSet<L>(home, fingerprint)) return 1;
    for (let i: u32 = 0; i < filterCount; i++) {
      if (chance(draw(index, filterCount + i), at.load(home, i), 1)) {
        clearDrawn<L>(home, at.drawn(index, i), i);
      }
    }
    setAll<L>(home, fingerprint);
    return 0;
  }

  test(fingerprint: u64): u32 {
    return allSet<L>(changetype<L>(0).home(fingerprint), fingerprint);
  }
}

export function rlbsbfConfigure(): void {
  configureFilters();
}

export function rlbsbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeLayout<RlbsbfRule<Classic>, RlbsbfRule<Blocked>>(fingerprints, verdicts, count);
}

export function rlbsbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<RlbsbfRule<Classic>, RlbsbfRule<Blocked>>(fingerprints, verdicts, count);
}

export function rlbsbfLoad(): f64 {
  return filtersLoad();
}
