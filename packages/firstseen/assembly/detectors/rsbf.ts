// RSBF (dutta-2012, algorithm 1; bera-2012, algorithm 1): Bloom filters filled by reservoir sampling. The pseudo-code
// of the two papers differs, and neither version reproduces the published tables. The rule that does reproduce them
// inserts every element (docs/ALGORITHMS.md).

import { testLayout } from '../lib/batch';
import {
  AnyCount,
  Blocked,
  Classic,
  configureFilters,
  FILTER_COUNT_PARAMETER,
  FilterRule,
  filterBits,
  filterCount,
  filtersAreValid,
  filtersLoad,
  Layout,
  OneEach,
  observeFilters,
  Two,
} from '../lib/filters';
import { parameter } from '../lib/memory';
import { chance, draw } from '../lib/random';

/** Slots of the parameters. */
export const RSBF_VARIANT_PARAMETER: u32 = FILTER_COUNT_PARAMETER + 1;
export const RSBF_THRESHOLD_PARAMETER: u32 = FILTER_COUNT_PARAMETER + 2;

/** Variants: the published tables, and the pseudo-code of either paper. */
export const RSBF_TABLE: u32 = 0;
export const RSBF_BERA: u32 = 1;
export const RSBF_DUTTA: u32 = 2;

let variant: u32 = 0;
/** p*: below this insertion probability, every element reported distinct is inserted. */
let threshold: f64 = 0;

class RsbfRule<L extends Layout> extends FilterRule<L, OneEach<L>> {
  observe(at: u32, index: u64): u32 {
    if (variant == RSBF_TABLE) return this.answerAndReplace(at, 1);
    const verdict = this.test(at);
    if (variant == RSBF_BERA) this.addBera(at, index);
    else this.addDutta(at, index, verdict);
    return verdict;
  }

  /** bera-2012, algorithm 1. */
  addBera(at: u32, index: u64): void {
    const position = <f64>(index + 1);
    const size = <f64>filterBits;
    if (position <= size) {
      this.setOwn(at);
    } else if (size / position <= threshold) {
      this.exchange(at);
    } else if (chance(draw(index, filterCount), size, position)) {
      this.setOwn(at);
      changetype<OneEach<L>>(0).clear(at, changetype<L>(0).cacheLine(at), 1);
    }
  }

  /** dutta-2012, algorithm 1: one draw serves both comparisons, and an insertion resets nothing. */
  addDutta(at: u32, index: u64, verdict: u32): void {
    const position = <f64>(index + 1);
    const size = <f64>filterBits;
    const drawn = draw(index, filterCount);
    if (position <= size || chance(drawn, size, position)) this.setOwn(at);
    else if (!verdict && !chance(drawn, threshold, 1)) this.exchange(at);
  }

  setOwn(at: u32): void {
    const layout = changetype<L>(0);
    for (let i: u32 = 0; i < layout.filters(); i++) layout.set(layout.cacheLine(at), layout.own(at, i), 1);
  }

  /**
   * In both versions of the pseudo-code, each bit that is still 0 is set in exchange for a set bit of the same filter.
   */
  exchange(at: u32): void {
    const layout = changetype<L>(0);
    const cacheLine = layout.cacheLine(at);
    for (let i: u32 = 0; i < layout.filters(); i++) {
      const own = layout.own(at, i);
      if (layout.isSet(cacheLine, own)) continue;
      layout.clearNextSet(cacheLine, layout.victim(at, i, i, i), i);
      layout.set(cacheLine, own, 1);
    }
  }
}

export function rsbfConfigure(): void {
  configureFilters();
  variant = <u32>parameter(RSBF_VARIANT_PARAMETER);
  threshold = parameter(RSBF_THRESHOLD_PARAMETER);
}

export function rsbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeFilters<RsbfRule<Classic>, RsbfRule<Blocked<AnyCount>>, RsbfRule<Blocked<Two>>>(
    fingerprints,
    verdicts,
    count,
  );
}

export function rsbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<RsbfRule<Classic>, RsbfRule<Blocked<AnyCount>>>(fingerprints, verdicts, count);
}

export function rsbfCheck(): u32 {
  return u32(filtersAreValid());
}

export function rsbfLoad(): f64 {
  return filtersLoad();
}
