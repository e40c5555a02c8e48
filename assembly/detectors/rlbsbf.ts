// RLBSBF (bera-2012, algorithm 4): what is reported distinct picks one random bit in each filter and clears it with the
// probability of the filter's load, then sets its own.

import { observeLayout, PLACE_BYTES, testLayout } from '../lib/batch';
import { Blocked, Classic, configureFilters, FilterRule, filterCount, filtersLoad, Layout } from '../lib/filters';

class RlbsbfRule<L extends Layout> extends FilterRule<L> {
  listBytes(): u32 {
    return 3 * this.ownBytes();
  }

  touchBytes(): u32 {
    return changetype<L>(0).lines(2 * filterCount) * PLACE_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const layout = changetype<L>(0);
    const anchor = layout.anchor(fingerprint);
    const home = layout.home(anchor);
    const placed = this.listOwn(home, anchor, at);
    let drawn = this.listVictim(placed, home, 0, index, 0);
    if (filterCount == 1) return;
    drawn = this.listVictim(placed, home, drawn, index, 1);
    for (let i: u32 = 2; i < filterCount; i++) drawn = this.listVictim(placed, home, drawn, index, i);
  }

  /** Of the two draws for filter i, the first places a bit and the second decides; returns the second. */
  listVictim(places: u32, home: u32, before: u64, index: u64, i: u32): u64 {
    const layout = changetype<L>(0);
    const placed = layout.drawn(before, index, 2 * i);
    layout.list(places + i * PLACE_BYTES, home, placed, i);
    const decision = layout.drawn(placed, index, 2 * i + 1);
    layout.listDecision(places + this.ownBytes() + i * PLACE_BYTES, home, decision, i);
    return decision;
  }

  observe(at: u32, index: u64): u32 {
    const verdict = this.test(at);
    const change = verdict ^ 1;
    const placed = at + this.ownBytes();
    this.clearByLoad(placed, change, 0);
    if (filterCount > 1) this.clearByLoad(placed, change, 1);
    for (let i: u32 = 2; i < filterCount; i++) this.clearByLoad(placed, change, i);
    this.setOwn(at, change);
    return verdict;
  }

  clearByLoad(places: u32, change: u32, i: u32): void {
    const layout = changetype<L>(0);
    const at = places + i * PLACE_BYTES;
    layout.clear(at, change & layout.sheds(at + this.ownBytes(), i));
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
