// Bloom filter (Bloom 1970): k bits an element in one array, nothing ever cleared.

import { observeLayout, Rule, testLayout } from '../lib/batch';
import {
  allCellsSet,
  BlockedRegion,
  ClassicRegion,
  cellsLoad,
  configureCells,
  fillCells,
  Region,
  touchCells,
} from '../lib/cells';
import { familyParameter } from '../lib/memory';

/** k. */
let hashCount: u32 = 0;

class BloomRule<R extends Region> extends Rule {
  touch(fingerprint: u64, index: u64): u64 {
    return touchCells<R>(fingerprint, hashCount);
  }

  observe(fingerprint: u64, index: u64): u32 {
    if (allCellsSet<R>(fingerprint, hashCount)) return 1;
    fillCells<R>(fingerprint, hashCount);
    return 0;
  }

  test(fingerprint: u64): u32 {
    return allCellsSet<R>(fingerprint, hashCount);
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
