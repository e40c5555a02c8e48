// BSBF (bera-2012, algorithm 2): what is reported distinct clears one random bit in each filter, then sets its own.

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

class BsbfRule<L extends Layout> extends Rule {
  lines(fingerprint: u64, index: u64, at: u32): u32 {
    return listVictims<L>(index, listBits<L>(fingerprint, at));
  }

  observe(fingerprint: u64, index: u64): u32 {
    const at = changetype<L>(0);
    const home = at.home(fingerprint);
    if (allSet<L>(home, fingerprint)) return 1;
    for (let i: u32 = 0; i < filterCount; i++) clearDrawn<L>(home, at.drawn(index, i), i);
    setAll<L>(home, fingerprint);
    return 0;
  }

  test(fingerprint: u64): u32 {
    return allSet<L>(changetype<L>(0).home(fingerprint), fingerprint);
  }
}

export function bsbfConfigure(): void {
  configureFilters();
}

export function bsbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeLayout<BsbfRule<Classic>, BsbfRule<Blocked>>(fingerprints, verdicts, count);
}

export function bsbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<BsbfRule<Classic>, BsbfRule<Blocked>>(fingerprints, verdicts, count);
}

export function bsbfLoad(): f64 {
  return filtersLoad();
}
