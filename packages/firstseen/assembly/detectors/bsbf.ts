// BSBF (bera-2012, algorithm 2): an element reported distinct clears one random bit in each filter, then sets its own.

import { testLayout } from '../lib/batch';
import { BiasedSamplingRule } from '../lib/biased';
import {
  AnyCount,
  Blocked,
  Classic,
  configureFilters,
  filtersAreValid,
  filtersLoad,
  Layout,
  OneEach,
  observeFilters,
  Two,
} from '../lib/filters';

class BsbfRule<L extends Layout> extends BiasedSamplingRule<L, OneEach<L>> {}

export function bsbfConfigure(): void {
  configureFilters();
}

export function bsbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeFilters<BsbfRule<Classic>, BsbfRule<Blocked<AnyCount>>, BsbfRule<Blocked<Two>>>(
    fingerprints,
    verdicts,
    count,
  );
}

export function bsbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<BsbfRule<Classic>, BsbfRule<Blocked<AnyCount>>>(fingerprints, verdicts, count);
}

export function bsbfCheck(): u32 {
  return u32(filtersAreValid());
}

export function bsbfLoad(): f64 {
  return filtersLoad();
}
