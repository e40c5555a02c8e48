// Stable Bloom Filter (deng-2006, algorithm 1): every element, duplicate or not, decrements P random cells, then sets
// its own K cells to Max. The P cells are adjacent, as in the paper's implementation (section 5.2), or distinct and
// independent, as in its pseudo-code.

import { LOCATION_BYTES, listLocation, locationDetail, locationWord, testLayout } from '../lib/batch';
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
import { draw, multiplyHigh } from '../lib/random';

/** K: cells of an element. */
let hashCount: u32 = 0;
/** P: cells decremented for an element. */
let victimCount: u32 = 0;
/** Slots of the parameters. */
export const SBF_CELL_BITS_PARAMETER: u32 = FAMILY_PARAMETER;
export const SBF_HASHES_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const SBF_VICTIMS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const SBF_VICTIM_CHOICE_PARAMETER: u32 = FAMILY_PARAMETER + 3;
/** Choices of victims. */
export const SBF_ADJACENT: u32 = 0;
export const SBF_INDEPENDENT: u32 = 1;

let victimsAreAdjacent: bool = true;

function isAmong(word: u32, slot: u32, from: u32, end: u32): bool {
  for (let at = from; at < end; at += LOCATION_BYTES) {
    if (locationWord(at) == word && locationDetail(at) == slot) return true;
  }
  return false;
}

class SbfRule<R extends Region, C extends Cell> extends CellRule<R, C> {
  /** Number of listed victims: only the first if the others are adjacent to it. */
  victimLocations(): u32 {
    return victimsAreAdjacent ? 1 : victimCount;
  }

  listBytes(): u32 {
    return changetype<R>(0).listBytes(hashCount, this.victimLocations());
  }

  touchBytes(): u32 {
    return changetype<R>(0).touchBytes(hashCount, this.victimLocations());
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const region = changetype<R>(0);
    region.listOwn(fingerprint, hashCount, at);
    const victims = region.victims(hashCount, at);
    if (victimsAreAdjacent) {
      const start = draw(index, 0);
      listLocation(victims, region.base(at) + (region.drawnWord(start) << 3), region.drawnSlot(start));
    } else {
      this.listIndependent(region.base(at), index, victims);
    }
  }

  /** Floyd's selection of P distinct cells among m (Bentley and Floyd 1987): P draws, all subsets equally likely. */
  listIndependent(base: u32, index: u64, from: u32): void {
    const total = <u64>changetype<R>(0).words() * changetype<C>(0).perWord();
    let end = from;
    for (let i: u32 = 0; i < victimCount; i++) {
      const last = total - victimCount + i;
      let cell = multiplyHigh(draw(index, i), last + 1);
      if (isAmong(this.wordOf(base, cell), this.slotOf(cell), from, end)) cell = last;
      end = listLocation(end, this.wordOf(base, cell), this.slotOf(cell));
    }
  }

  wordOf(base: u32, cell: u64): u32 {
    return base + ((<u32>(cell / changetype<C>(0).perWord())) << 3);
  }

  slotOf(cell: u64): u32 {
    return <u32>(cell % changetype<C>(0).perWord());
  }

  test(at: u32): u32 {
    return this.testOwn(at, hashCount);
  }

  observe(at: u32, index: u64): u32 {
    const region = changetype<R>(0);
    const verdict = this.testOwn(at, hashCount);
    const victims = region.victims(hashCount, at);
    if (victimsAreAdjacent) {
      this.decrementAdjacent(region.base(at), victims, victimCount);
    } else {
      for (let i: u32 = 0; i < victimCount; i++) this.decrementListed(victims + i * LOCATION_BYTES);
    }
    this.fillOwn(at, hashCount);
    return verdict;
  }
}

export function sbfConfigure(): void {
  configureCells(<u32>parameter(SBF_CELL_BITS_PARAMETER));
  hashCount = <u32>parameter(SBF_HASHES_PARAMETER);
  victimCount = <u32>parameter(SBF_VICTIMS_PARAMETER);
  victimsAreAdjacent = parameter(SBF_VICTIM_CHOICE_PARAMETER) == <f64>SBF_ADJACENT;
}

export function sbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeCells<
    SbfRule<ClassicRegion<AnyCell>, AnyCell>,
    SbfRule<BlockedRegion<AnyCell>, AnyCell>,
    SbfRule<BlockedRegion<Bit>, Bit>
  >(fingerprints, verdicts, count);
}

export function sbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<SbfRule<ClassicRegion<AnyCell>, AnyCell>, SbfRule<BlockedRegion<AnyCell>, AnyCell>>(
    fingerprints,
    verdicts,
    count,
  );
}

export function sbfLoad(): f64 {
  return cellsLoad();
}
