// RSBF (dutta-2012, algorithm 1; bera-2012, algorithm 1): Bloom filters filled as a reservoir is. The two papers' pseudo-codes
// differ, and neither gives the published tables; the rule that does inserts every element (docs/ALGORITHMS.md).

import { observeLayout, PLACE_BYTES, placeSpot, placeWord, testLayout } from '../lib/batch';
import { bitAt } from '../lib/bits';
import {
  Blocked,
  Classic,
  configureFilters,
  filterBits,
  filterCount,
  filtersLoad,
  Layout,
  OneEachRule,
} from '../lib/filters';
import { familyParameter } from '../lib/memory';
import { chance, draw } from '../lib/random';

const VARIANT_TABLE: u32 = 0;
const VARIANT_BERA: u32 = 1;

let variant: u32 = 0;
/** p*, the insertion probability below which whatever is reported distinct is inserted. */
let threshold: f64 = 0;

class RsbfRule<L extends Layout> extends OneEachRule<L> {
  observe(at: u32, index: u64): u32 {
    const verdict = this.test(at);
    if (variant == VARIANT_TABLE) {
      this.clearDrawn(at + this.ownBytes(), 1);
      this.setOwn(at, 1);
    } else if (variant == VARIANT_BERA) {
      this.addBera(at, index);
    } else {
      this.addDutta(at, index, verdict);
    }
    return verdict;
  }

  /** bera-2012, algorithm 1. */
  addBera(at: u32, index: u64): void {
    const position = <f64>(index + 1);
    const size = <f64>filterBits;
    if (position <= size) {
      this.setOwn(at, 1);
    } else if (size / position <= threshold) {
      this.exchange(at);
    } else if (chance(draw(index, filterCount), size, position)) {
      this.setOwn(at, 1);
      this.clearDrawn(at + this.ownBytes(), 1);
    }
  }

  /** dutta-2012, algorithm 1: one draw serves both of its comparisons, and what it inserts resets nothing. */
  addDutta(at: u32, index: u64, verdict: u32): void {
    const position = <f64>(index + 1);
    const size = <f64>filterBits;
    const drawn = draw(index, filterCount);
    if (position <= size || chance(drawn, size, position)) this.setOwn(at, 1);
    else if (!verdict && !chance(drawn, threshold, 1)) this.exchange(at);
  }

  /** Both pseudo-codes: each bit that is still 0 is set, at the cost of a set bit of the same filter. */
  exchange(at: u32): void {
    const layout = changetype<L>(0);
    for (let i: u32 = 0; i < filterCount; i++, at += PLACE_BYTES) {
      if (bitAt(placeWord(at), placeSpot(at))) continue;
      layout.clearNextSet(at + this.ownBytes());
      layout.set(at, 1);
    }
  }
}

export function rsbfConfigure(): void {
  configureFilters();
  variant = <u32>familyParameter(1);
  threshold = familyParameter(2);
}

export function rsbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeLayout<RsbfRule<Classic>, RsbfRule<Blocked>>(fingerprints, verdicts, count);
}

export function rsbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<RsbfRule<Classic>, RsbfRule<Blocked>>(fingerprints, verdicts, count);
}

export function rsbfLoad(): f64 {
  return filtersLoad();
}
