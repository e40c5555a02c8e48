// Bloom filter (Bloom 1970): k bits an element in one array, nothing ever cleared.

import { observeLayout, PLACE_BYTES, testLayout } from '../lib/batch';
import { BlockedRegion, CellRule, ClassicRegion, cellsLoad, configureCells, Region } from '../lib/cells';
import { familyParameter } from '../lib/memory';

/** k. */
let hashCount: u32 = 0;

class BloomRule<R extends Region> extends CellRule<R> {
  listBytes(): u32 {
    return hashCount * PLACE_BYTES;
  }

  touchBytes(): u32 {
    return changetype<R>(0).lines(hashCount) * PLACE_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    this.listOwn(fingerprint, hashCount, at);
  }

  test(at: u32): u32 {
    return this.testOwn(at, hashCount);
  }

  observe(at: u32, index: u64): u32 {
    const verdict = this.testOwn(at, hashCount);
    this.fillOwn(at, hashCount);
    return verdict;
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
