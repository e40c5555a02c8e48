// BSBFSD (bera-2012, algorithm 3): what is reported distinct clears one random bit in one random filter, then sets its own.

import { list, observeLayout, Rule, testLayout } from '../lib/batch';
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
  setAll,
} from '../lib/filters';
import { isBlocked } from '../lib/memory';
import { draw, reduce } from '../lib/random';

/** The filter that loses a bit; the draw behind those that place bits. */
function losingFilter(index: u64): u32 {
  return reduce(draw(index, filterCount), filterCount);
}

class BsbfsdRule<L extends Layout> extends Rule {
  lines(fingerprint: u64, index: u64, at: u32): u32 {
    const end = listBits<L>(fingerprint, at);
    if (isBlocked()) return end;
    const place = changetype<L>(0);
    return list(end, place.word(0, place.drawn(index, 0), losingFilter(index)));
  }

  observe(fingerprint: u64, index: u64): u32 {
    const at = changetype<L>(0);
    const home = at.home(fingerprint);
    if (allSet<L>(home, fingerprint)) return 1;
    clearDrawn<L>(home, at.drawn(index, 0), losingFilter(index));
    setAll<L>(home, fingerprint);
    return 0;
  }

  test(fingerprint: u64): u32 {
    return allSet<L>(changetype<L>(0).home(fingerprint), fingerprint);
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
