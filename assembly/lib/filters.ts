// k Bloom filters of s bits each, one bit of each for an element: what RSBF, BSBF, BSBFSD and RLBSBF share
// (bera-2012, section 3). A layout says where filter i keeps the bit of a hash. In `classic` the filters lie
// one behind the other. In `blocked` every line of 64 bytes holds a slice of each filter, and an element keeps
// to one line, so its bits and its victims cost one cache miss.

import { listPlace, PLACE_BYTES, placeSpot, placeWord, Rule } from './batch';
import { bitAt, clearBitIf, clearFirstSet, countOnes, setBitIf } from './bits';
import { configureLines, homeLine, LINE_BITS, LINE_BYTES, lineAnchor, lineDraw, lineHash } from './lines';
import { cellsBytes, cellsOffset, FAMILY_SLOT, familyParameter, isBlocked, setState, state } from './memory';
import { addressHash, draw, reduce, reduceLow, seedRandom } from './random';

/** k. */
export let filterCount: u32 = 0;
/** s: bits of one filter over the whole memory. */
export let filterBits: u64 = 0;

let cells: u32 = 0;
let wordsPerFilter: u32 = 0;
/** Bits that one filter has in one line. */
let sliceBits: u32 = 0;

export function configureFilters(): void {
  seedRandom();
  filterCount = <u32>familyParameter(0);
  cells = cellsOffset();
  wordsPerFilter = (cellsBytes() >> 3) / filterCount;
  const lineCount = configureLines();
  sliceBits = LINE_BITS / filterCount;
  filterBits = isBlocked() ? <u64>lineCount * <u64>sliceBits : (<u64>wordsPerFilter) << 6;
}

/** Fraction of ones over all filters; counted afresh, as only `classic` keeps counts. */
export function filtersLoad(): f64 {
  return <f64>countOnes(cells, cellsBytes() >> 3) / (<f64>filterBits * <f64>filterCount);
}

// A place of a filter has its bit in the low six bits of the spot, which is all that a shift takes of it, and above them the
// number of the filter.

const FILTER_SHIFT: u32 = 6;

/** Where a layout keeps bits. */
export abstract class Layout {
  /** What of an element its places are made from. */
  abstract anchor(fingerprint: u64): u64;
  /** The element's line in `blocked`; nothing in `classic`. */
  abstract home(anchor: u64): u32;
  /** The hash that places an element's bit in filter i, from the one for filter i - 1. */
  abstract hash(before: u64, anchor: u64, i: u32): u64;
  /** Draw number `lane` for the element at `index`, from the one before. */
  abstract drawn(before: u64, index: u64, lane: u32): u64;
  /** Lists the bit of filter i that a hash or draw places; returns the end of the list. */
  abstract list(at: u32, home: u32, hash: u64, i: u32): u32;
  /** Lists what `sheds` needs of a draw. */
  abstract listDecision(at: u32, home: u32, drawn: u64, i: u32): u32;
  /** How many of the places of an element name different lines. */
  abstract lines(places: u32): u32;
  /** Sets the bit of a place if `change` is 1, leaves it if 0. */
  abstract set(at: u32, change: u32): void;
  /** Clears the bit of a place if `change` is 1, leaves it if 0. */
  abstract clear(at: u32, change: u32): void;
  /** Clears the first set bit of a place's filter at or after the place, going round; nothing if there is none. */
  abstract clearNextSet(at: u32): void;
  /** 1 with the probability of the filter's load, else 0: the whole filter's in `classic`, the line's slice's in `blocked`. */
  abstract sheds(decision: u32, i: u32): u32;
}

/** The papers' layout. Keeps the number of ones of filter i in the state, slot FAMILY_SLOT + i. */
export class Classic extends Layout {
  anchor(fingerprint: u64): u64 {
    return fingerprint;
  }
  home(anchor: u64): u32 {
    return 0;
  }
  hash(before: u64, anchor: u64, i: u32): u64 {
    return addressHash(anchor, i);
  }
  drawn(before: u64, index: u64, lane: u32): u64 {
    return draw(index, lane);
  }
  list(at: u32, home: u32, hash: u64, i: u32): u32 {
    const word = cells + ((i * wordsPerFilter + reduce(hash, wordsPerFilter)) << 3);
    return listPlace(at, word, (i << FILTER_SHIFT) | (<u32>hash & 63));
  }
  listDecision(at: u32, home: u32, drawn: u64, i: u32): u32 {
    // 29 bits of the draw times a filter of at most 2^35 bits fit 64 bits.
    store<u64>(at, ((drawn >> 35) * filterBits) >> 29);
    return at + PLACE_BYTES;
  }
  lines(places: u32): u32 {
    return places;
  }
  set(at: u32, change: u32): void {
    const slot = FAMILY_SLOT + (placeSpot(at) >> FILTER_SHIFT);
    setState(slot, state(slot) + (change & (1 - bitAt(placeWord(at), placeSpot(at)))));
    setBitIf(placeWord(at), placeSpot(at), change);
  }
  clear(at: u32, change: u32): void {
    const slot = FAMILY_SLOT + (placeSpot(at) >> FILTER_SHIFT);
    setState(slot, state(slot) - (change & bitAt(placeWord(at), placeSpot(at))));
    clearBitIf(placeWord(at), placeSpot(at), change);
  }
  clearNextSet(at: u32): void {
    const i = placeSpot(at) >> FILTER_SHIFT;
    const base = cells + ((i * wordsPerFilter) << 3);
    const from = ((<u64>(placeWord(at) - base)) << 3) + (placeSpot(at) & 63);
    if (clearFirstSet(base, from, filterBits) || clearFirstSet(base, 0, from)) {
      setState(FAMILY_SLOT + i, state(FAMILY_SLOT + i) - 1);
    }
  }
  sheds(decision: u32, i: u32): u32 {
    return u32(load<u64>(decision) < state(FAMILY_SLOT + i));
  }
}

/** One line an element: filter i owns the bits [i * sliceBits, (i + 1) * sliceBits) of every line. */
export class Blocked extends Layout {
  anchor(fingerprint: u64): u64 {
    return lineAnchor(fingerprint);
  }
  home(anchor: u64): u32 {
    return homeLine(anchor);
  }
  hash(before: u64, anchor: u64, i: u32): u64 {
    return lineHash(before, anchor, i);
  }
  drawn(before: u64, index: u64, lane: u32): u64 {
    return lineDraw(before, index, lane);
  }
  list(at: u32, home: u32, hash: u64, i: u32): u32 {
    const bit = i * sliceBits + reduceLow(hash, sliceBits);
    return listPlace(at, home + ((bit >> 6) << 3), (i << FILTER_SHIFT) | (bit & 63));
  }
  listDecision(at: u32, home: u32, drawn: u64, i: u32): u32 {
    return this.list(at, home, drawn, i);
  }
  lines(places: u32): u32 {
    return 1;
  }
  set(at: u32, change: u32): void {
    setBitIf(placeWord(at), placeSpot(at), change);
  }
  clear(at: u32, change: u32): void {
    clearBitIf(placeWord(at), placeSpot(at), change);
  }
  clearNextSet(at: u32): void {
    const start = (placeSpot(at) >> FILTER_SHIFT) * sliceBits;
    const from = ((placeWord(at) & (LINE_BYTES - 1)) << 3) + (placeSpot(at) & 63);
    const home = placeWord(at) & ~(LINE_BYTES - 1);
    if (!clearFirstSet(home, from, start + sliceBits)) clearFirstSet(home, start, from);
  }
  sheds(decision: u32, i: u32): u32 {
    // A random bit is set with the probability of the load, and it is at hand: nothing needs counting.
    return bitAt(placeWord(decision), placeSpot(decision));
  }
}

/**
 * What the rules of all families of filters share. A list begins with the k places of the element itself. The first two
 * filters are written out before the loop over the rest: k is mostly 2, and a loop around so little would cost half the time.
 */
export abstract class FilterRule<L extends Layout> extends Rule {
  listOwn(home: u32, anchor: u64, at: u32): u32 {
    const layout = changetype<L>(0);
    let hash = layout.hash(0, anchor, 0);
    let end = layout.list(at, home, hash, 0);
    if (filterCount == 1) return end;
    hash = layout.hash(hash, anchor, 1);
    end = layout.list(end, home, hash, 1);
    for (let i: u32 = 2; i < filterCount; i++) {
      hash = layout.hash(hash, anchor, i);
      end = layout.list(end, home, hash, i);
    }
    return end;
  }

  /** A random bit of each filter. */
  listDrawn(home: u32, index: u64, at: u32): u32 {
    const layout = changetype<L>(0);
    let drawn = layout.drawn(0, index, 0);
    let end = layout.list(at, home, drawn, 0);
    if (filterCount == 1) return end;
    drawn = layout.drawn(drawn, index, 1);
    end = layout.list(end, home, drawn, 1);
    for (let i: u32 = 2; i < filterCount; i++) {
      drawn = layout.drawn(drawn, index, i);
      end = layout.list(end, home, drawn, i);
    }
    return end;
  }

  /** Whether all k bits of an element are set. */
  test(at: u32): u32 {
    let set = bitAt(placeWord(at), placeSpot(at));
    if (filterCount == 1) return set;
    set &= bitAt(placeWord(at + PLACE_BYTES), placeSpot(at + PLACE_BYTES));
    for (let i: u32 = 2; i < filterCount; i++) {
      set &= bitAt(placeWord(at + i * PLACE_BYTES), placeSpot(at + i * PLACE_BYTES));
    }
    return set;
  }

  setOwn(at: u32, change: u32): void {
    const layout = changetype<L>(0);
    layout.set(at, change);
    if (filterCount == 1) return;
    layout.set(at + PLACE_BYTES, change);
    for (let i: u32 = 2; i < filterCount; i++) layout.set(at + i * PLACE_BYTES, change);
  }

  clearDrawn(at: u32, change: u32): void {
    const layout = changetype<L>(0);
    layout.clear(at, change);
    if (filterCount == 1) return;
    layout.clear(at + PLACE_BYTES, change);
    for (let i: u32 = 2; i < filterCount; i++) layout.clear(at + i * PLACE_BYTES, change);
  }

  /** Bytes of the k places of the element itself. */
  ownBytes(): u32 {
    return filterCount * PLACE_BYTES;
  }
}

/** What BSBF and RSBF share: behind its own places, an element lists a random bit of each filter. */
export abstract class OneEachRule<L extends Layout> extends FilterRule<L> {
  listBytes(): u32 {
    return 2 * this.ownBytes();
  }

  touchBytes(): u32 {
    return changetype<L>(0).lines(2 * filterCount) * PLACE_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const layout = changetype<L>(0);
    const anchor = layout.anchor(fingerprint);
    const home = layout.home(anchor);
    this.listDrawn(home, index, this.listOwn(home, anchor, at));
  }
}
