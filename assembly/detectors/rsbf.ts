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
  listBits,
  listVictims,
  setAll,
} from '../lib/filters';
import { familyParameter } from '../lib/memory';
import { chance, draw } from '../lib/random';

const VARIANT_TABLE: u32 = 0;
const VARIANT_BERA: u32 = 1;

let variant: u32 = 0;
/** p*, the insertion probability below which whatever is reported distinct is inserted. */
let threshold: f64 = 0;

function insertThenReset<L extends Layout>(home: u32, fingerprint: u64, index: u64): void {
  setAll<L>(home, fingerprint);
  resetOneEach<L>(home, index);
}

function resetOneEach<L extends Layout>(home: u32, index: u64): void {
  const at = changetype<L>(0);
  for (let i: u32 = 0; i < filterCount; i++) clearDrawn<L>(home, at.drawn(index, i), i);
}

/** Both pseudo-codes: each bit that is still 0 is set, at the cost of a set bit of the same filter. */
function exchangeBits<L extends Layout>(home: u32, fingerprint: u64, index: u64): void {
  const at = changetype<L>(0);
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
function addBera<L extends Layout>(home: u32, fingerprint: u64, index: u64): void {
  const position = <f64>(index + 1);
  const size = <f64>filterBits;
  if (position <= size) setAll<L>(home, fingerprint);
  else if (size / position <= threshold) exchangeBits<L>(home, fingerprint, index);
  else if (chance(draw(index, filterCount), size, position)) insertThenReset<L>(home, fingerprint, index);
}

/** dutta-2012, algorithm 1: one draw serves both of its comparisons, and what it inserts resets nothing. */
function addDutta<L extends Layout>(home: u32, fingerprint: u64, index: u64, verdict: u32): void {
  const position = <f64>(index + 1);
  const size = <f64>filterBits;
  const drawn = draw(index, filterCount);
  if (position <= size || chance(drawn, size, position)) setAll<L>(home, fingerprint);
  else if (!verdict && !chance(drawn, threshold, 1)) exchangeBits<L>(home, fingerprint, index);
}

class RsbfRule<L extends Layout> extends Rule {
  lines(fingerprint: u64, index: u64, at: u32): u32 {
    return listVictims<L>(index, listBits<L>(fingerprint, at));
  }

  observe(fingerprint: u64, index: u64): u32 {
    const home = changetype<L>(0).home(fingerprint);
    const verdict = allSet<L>(home, fingerprint);
    if (variant == VARIANT_TABLE) {
      resetOneEach<L>(home, index);
      setAll<L>(home, fingerprint);
    } else if (variant == VARIANT_BERA) {
      addBera<L>(home, fingerprint, index);
    } else {
      addDutta<L>(home, fingerprint, index, verdict);
    }
    return verdict;
  }

  test(fingerprint: u64): u32 {
    return allSet<L>(changetype<L>(0).home(fingerprint), fingerprint);
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
