// BSBF (bera-2012, algorithm 2): what is reported distinct clears one random bit in each filter, then sets its own.

import { observeLayout, PLACE_BYTES, testLayout } from '../lib/batch';
import { Blocked, Classic, configureFilters, FilterRule, filterCount, filtersLoad, Layout } from '../lib/filters';

class BsbfRule<L extends Layout> extends FilterRule<L> {
  listBytes(): u32 {
    return 2 * this.ownBytes();
  }

  touchBytes(): u32 {
    return changetype<L>(0).lines(2 * filterCount) * PLACE_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const layout = changetype<L>(0);
    const anchor = layout.anchor(fingerprint);
    const home = layout.home(anchor);
    this.listDrawn(home, index, this.listOwn(home, anchor, at));
  }

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
