// Stable Bloom Filter (deng-2006, algorithm 1): every element, duplicate or not, takes one from P random cells, then sets
// its own K cells to Max. The P cells are adjacent, as in the paper's implementation (section 5.2), or different and
// independent, as in its pseudo-code.

import { list, observeLayout, Rule, testLayout } from '../lib/batch';
import {
  allCellsSet,
  BlockedRegion,
  ClassicRegion,
  cellsLoad,
  cellsPerWord,
  configureCells,
  decrementAdjacent,
  decrementCell,
  fillCells,
  listCells,
  Region,
} from '../lib/cells';
import { familyParameter, isBlocked, WORKSPACE_OFFSET } from '../lib/memory';
import { draw, multiplyHigh } from '../lib/random';

/** K, cells of an element. */
let hashCount: u32 = 0;
/** P, cells decremented for an element. */
let victimCount: u32 = 0;
let victimsAreAdjacent: bool = true;

/** What one element may list, so that a block's list fits the workspace. */
const MOST_VICTIMS_LISTED: u32 = 48;

/** Floyd's choice of P different cells among m (Bentley and Floyd 1987): P draws, each of the same weight. */
function decrementIndependent<R extends Region>(base: u32, index: u64): void {
  const region = changetype<R>(0);
  const total = <u64>region.words() * cellsPerWord;
  for (let i: u32 = 0; i < victimCount; i++) {
    const last = total - victimCount + i;
    const drawn = multiplyHigh(draw(index, i), last + 1);
    const cell = isAmong(drawn, i) ? last : drawn;
    store<u64>(WORKSPACE_OFFSET + (i << 3), cell);
    decrementCell(base, cell);
  }
}

function isAmong(cell: u64, count: u32): bool {
  for (let i: u32 = 0; i < count; i++) {
    if (load<u64>(WORKSPACE_OFFSET + (i << 3)) == cell) return true;
  }
  return false;
}

class SbfRule<R extends Region> extends Rule {
  lines(fingerprint: u64, index: u64, at: u32): u32 {
    let end = listCells<R>(fingerprint, hashCount, at);
    if (isBlocked()) return end;
    const region = changetype<R>(0);
    // A first guess is enough for independent victims: the rare one that falls twice is looked up without a head start.
    const victims: u32 = victimsAreAdjacent ? min<u32>(victimCount, 1) : min<u32>(victimCount, MOST_VICTIMS_LISTED);
    for (let i: u32 = 0; i < victims; i++) {
      end = list(end, region.base(fingerprint) + (region.word(draw(index, i)) << 3));
    }
    return end;
  }

  observe(fingerprint: u64, index: u64): u32 {
    const region = changetype<R>(0);
    const base = region.base(fingerprint);
    const verdict = allCellsSet<R>(base, fingerprint, hashCount);
    if (victimsAreAdjacent) {
      const start = draw(index, 0);
      decrementAdjacent(base, region.words(), region.word(start), region.slot(start), victimCount);
    } else {
      decrementIndependent<R>(base, index);
    }
    fillCells<R>(base, fingerprint, hashCount);
    return verdict;
  }

  test(fingerprint: u64): u32 {
    return allCellsSet<R>(changetype<R>(0).base(fingerprint), fingerprint, hashCount);
  }
}

export function sbfConfigure(): void {
  configureCells(<u32>familyParameter(0));
  hashCount = <u32>familyParameter(1);
  victimCount = <u32>familyParameter(2);
  victimsAreAdjacent = familyParameter(3) == 0;
}

export function sbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeLayout<SbfRule<ClassicRegion>, SbfRule<BlockedRegion>>(fingerprints, verdicts, count);
}

export function sbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<SbfRule<ClassicRegion>, SbfRule<BlockedRegion>>(fingerprints, verdicts, count);
}

export function sbfLoad(): f64 {
  return cellsLoad();
}
