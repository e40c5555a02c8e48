// BSBFSD (bera-2012, algorithm 3): what is reported distinct clears one random bit in one random filter, then sets its own.

import { observeLayout, PLACE_BYTES, testLayout } from '../lib/batch';
import { Blocked, Classic, configureFilters, FilterRule, filterCount, filtersLoad, Layout } from '../lib/filters';
import { reduceLow } from '../lib/random';

class BsbfsdRule<L extends Layout> extends FilterRule<L> {
  listBytes(): u32 {
    return this.ownBytes() + PLACE_BYTES;
  }

  touchBytes(): u32 {
    return changetype<L>(0).lines(filterCount + 1) * PLACE_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const layout = changetype<L>(0);
    const anchor = layout.anchor(fingerprint);
    const home = layout.home(anchor);
    const end = this.listOwn(home, anchor, at);
    const placed = layout.drawn(0, index, 0);
    const losing = layout.drawn(placed, index, 1);
    layout.list(end, home, placed, reduceLow(losing, filterCount));
  }

  observe(at: u32, index: u64): u32 {
    const verdict = this.test(at);
    changetype<L>(0).clear(at + this.ownBytes(), verdict ^ 1);
    this.setOwn(at, verdict ^ 1);
    return verdict;
  }
}

export function bsbfsdConfigure(): void {
  configureFilters();
}

export function bsbfsdObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeLayout<BsbfsdRule<Classic>, BsbfsdRule<Blocked>>(fingerprints, verdicts, count);
}

export function bsbfsdTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<BsbfsdRule<Classic>, BsbfsdRule<Blocked>>(fingerprints, verdicts, count);
}

export function bsbfsdLoad(): f64 {
  return filtersLoad();
}
