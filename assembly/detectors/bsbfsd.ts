// BSBFSD (bera-2012, algorithm 3): what is reported distinct clears one random bit in one random filter, then sets its own.

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
  setAll,
  touchBits,
} from '../lib/filters';
import { isBlocked } from '../lib/memory';
import { draw, reduce } from '../lib/random';

/** The filter that loses a bit; the draw behind those that place bits. */
function losingFilter(index: u64): u32 {
  return reduce(draw(index, filterCount), filterCount);
}

class BsbfsdRule<L extends Layout> extends Rule {
  touch(fingerprint: u64, index: u64): u64 {
    if (isBlocked()) return touchBits<L>(fingerprint);
    const at = changetype<L>(0);
    return touchBits<L>(fingerprint) + load<u64>(at.word(0, at.drawn(index, 0), losingFilter(index)));
  }

  observe(fingerprint: u64, index: u64): u32 {
    if (allSet<L>(fingerprint)) return 1;
    const at = changetype<L>(0);
    clearDrawn<L>(fingerprint, at.drawn(index, 0), losingFilter(index));
    setAll<L>(fingerprint);
    return 0;
  }

  test(fingerprint: u64): u32 {
    return allSet<L>(fingerprint);
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
