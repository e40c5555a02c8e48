// RSBF (dutta-2012, algorithm 1; bera-2012, algorithm 1): Bloom filters filled as a reservoir is. The two papers' pseudo-codes
// differ, and neither gives the published tables; the rule that does inserts every element (docs/ALGORITHMS.md).

import { observeLayout, Rule, testLayout } from '../lib/batch';
import { bitAt } from '../lib/bits';
import {
  allSet,
  Blocked,
  Classic,
  clearDrawn,
  configureFilters,
  filterBits,
  filterCount,
  filtersLoad,
  Layout,
  setAll,
  touchBits,
  touchVictims,
} from '../lib/filters';
import { familyParameter } from '../lib/memory';
import { chance, draw } from '../lib/random';

const VARIANT_TABLE: u32 = 0;
const VARIANT_BERA: u32 = 1;

let variant: u32 = 0;
/** p*, the insertion probability below which whatever is reported distinct is inserted. */
let threshold: f64 = 0;

function insertThenReset<L extends Layout>(fingerprint: u64, index: u64): void {
  setAll<L>(fingerprint);
  resetOneEach<L>(fingerprint, index);
}

function resetOneEach<L extends Layout>(fingerprint: u64, index: u64): void {
  const at = changetype<L>(0);
  for (let i: u32 = 0; i < filterCount; i++) clearDrawn<L>(fingerprint, at.drawn(index, i), i);
}

/** Both pseudo-codes: each bit that is still 0 is set, at the cost of a set bit of the same filter. */
function exchangeBits<L extends Layout>(fingerprint: u64, index: u64): void {
  const at = changetype<L>(0);
  const home = at.home(fingerprint);
  for (let i: u32 = 0; i < filterCount; i++) {
    const hash = at.hash(fingerprint, i);
    const word = at.word(home, hash, i);
    const bit = at.bit(hash, i);
    if (bitAt(word, bit)) continue;
    at.clearNextSet(home, at.drawn(index, i), i);
    at.set(word, bit, i);
  }
}

/** bera-2012, algorithm 1. */
function addBera<L extends Layout>(fingerprint: u64, index: u64): void {
  const position = <f64>(index + 1);
  const size = <f64>filterBits;
  if (position <= size) setAll<L>(fingerprint);
  else if (size / position <= threshold) exchangeBits<L>(fingerprint, index);
  else if (chance(draw(index, filterCount), size, position)) insertThenReset<L>(fingerprint, index);
}

/** dutta-2012, algorithm 1: one draw serves both of its comparisons, and what it inserts resets nothing. */
function addDutta<L extends Layout>(fingerprint: u64, index: u64, verdict: u32): void {
  const position = <f64>(index + 1);
  const size = <f64>filterBits;
  const drawn = draw(index, filterCount);
  if (position <= size || chance(drawn, size, position)) setAll<L>(fingerprint);
  else if (!verdict && !chance(drawn, threshold, 1)) exchangeBits<L>(fingerprint, index);
}

class RsbfRule<L extends Layout> extends Rule {
  touch(fingerprint: u64, index: u64): u64 {
    return touchBits<L>(fingerprint) + touchVictims<L>(index);
  }

  observe(fingerprint: u64, index: u64): u32 {
    const verdict = allSet<L>(fingerprint);
    if (variant == VARIANT_TABLE) {
      resetOneEach<L>(fingerprint, index);
      setAll<L>(fingerprint);
    } else if (variant == VARIANT_BERA) {
      addBera<L>(fingerprint, index);
    } else {
      addDutta<L>(fingerprint, index, verdict);
    }
    return verdict;
  }

  test(fingerprint: u64): u32 {
    return allSet<L>(fingerprint);
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
