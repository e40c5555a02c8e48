// Bloom filter (Bloom 1970): k bits per element in one array; nothing is ever cleared.

import { testLayout } from '../lib/batch';
import {
  AnyCell,
  Bit,
  BlockedRegion,
  Cell,
  CellRule,
  ClassicRegion,
  cellsLoad,
  configureCells,
  observeCells,
  Region,
} from '../lib/cells';
import { FAMILY_PARAMETER, parameter } from '../lib/memory';

/** Slots of the parameters. */
export const BLOOM_HASHES_PARAMETER: u32 = FAMILY_PARAMETER;

/** k. */
let hashCount: u32 = 0;

class BloomRule<R extends Region, C extends Cell> extends CellRule<R, C> {
  listBytes(): u32 {
    return changetype<R>(0).listBytes(hashCount, 0);
  }

  touchBytes(): u32 {
    return changetype<R>(0).touchBytes(hashCount, 0);
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    changetype<R>(0).listOwn(fingerprint, hashCount, at);
  }

  test(at: u32): u32 {
    return this.testOwn(at, hashCount);
  }

  observe(at: u32, index: u64): u32 {
    return this.fillOwn(at, hashCount);
  }
}

export function bloomConfigure(): void {
  configureCells(1);
  hashCount = <u32>parameter(BLOOM_HASHES_PARAMETER);
}

export function bloomObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeCells<
    BloomRule<ClassicRegion<AnyCell>, AnyCell>,
    BloomRule<BlockedRegion<AnyCell>, AnyCell>,
    BloomRule<BlockedRegion<Bit>, Bit>
  >(fingerprints, verdicts, count);
}

export function bloomTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<BloomRule<ClassicRegion<AnyCell>, AnyCell>, BloomRule<BlockedRegion<AnyCell>, AnyCell>>(
    fingerprints,
    verdicts,
    count,
  );
}

export function bloomLoad(): f64 {
  return cellsLoad();
}
