// BSBF (bera-2012, algorithm 2): what is reported distinct clears one random bit in each filter, then sets its own.

import { observeLayout, testLayout } from '../lib/batch';
import { Blocked, Classic, configureFilters, filtersLoad, Layout, OneEachRule } from '../lib/filters';

class BsbfRule<L extends Layout> extends OneEachRule<L> {
  observe(at: u32, index: u64): u32 {
    const verdict = this.test(at);
    this.clearDrawn(at + this.ownBytes(), verdict ^ 1);
    this.setOwn(at, verdict ^ 1);
    return verdict;
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
