// Bloom filter (Bloom 1970): k bits an element in one array, nothing ever cleared.

import { observeLayout, Rule, testLayout } from '../lib/batch';
import {
  allCellsSet,
  BlockedRegion,
  ClassicRegion,
  cellsLoad,
  configureCells,
  fillCells,
  listCells,
  Region,
} from '../lib/cells';
import { familyParameter } from '../lib/memory';

/** k. */
let hashCount: u32 = 0;

class BloomRule<R extends Region> extends Rule {
  lines(fingerprint: u64, index: u64, at: u32): u32 {
    return listCells<R>(fingerprint, hashCount, at);
  }

  observe(fingerprint: u64, index: u64): u32 {
    const base = changetype<R>(0).base(fingerprint);
    if (allCellsSet<R>(base, fingerprint, hashCount)) return 1;
    fillCells<R>(base, fingerprint, hashCount);
    return 0;
  }

  test(fingerprint: u64): u32 {
    return allCellsSet<R>(changetype<R>(0).base(fingerprint), fingerprint, hashCount);
  }
}

export function bloomConfigure(): void {
  configureCells(1);
  hashCount = <u32>familyParameter(0);
}

export function bloomObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeLayout<BloomRule<ClassicRegion>, BloomRule<BlockedRegion>>(fingerprints, verdicts, count);
}

export function bloomTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<BloomRule<ClassicRegion>, BloomRule<BlockedRegion>>(fingerprints, verdicts, count);
}

export function bloomLoad(): f64 {
  return cellsLoad();
}
