// Cells of d bits each, whole in their 64-bit words: 64, 32 or 21 of them for d of 1, 2 or 3. What Bloom filters (d = 1)
// and Stable Bloom Filters share.

import { listPlace, PLACE_BYTES, placeSpot, placeWord, Rule } from './batch';
import { configureLines, homeLine, LINE_BYTES, LINE_WORDS, lineAnchor, lineHash } from './lines';
import { cellsBytes, cellsOffset } from './memory';
import { addressHash, reduce, reduceLow, seedRandom } from './random';

/** d, bits of one cell. */
let cellBits: u32 = 1;
export let cellsPerWord: u32 = 64;

/** The lowest bit of every cell of a word. */
let lowBits: u64 = 0;
/** 2^d - 1, the value of a full cell. */
let full: u64 = 0;

let cells: u32 = 0;
let wordCount: u32 = 0;

export function configureCells(bits: u32): void {
  seedRandom();
  configureLines();
  cells = cellsOffset();
  wordCount = cellsBytes() >> 3;
  cellBits = bits;
  cellsPerWord = 64 / bits;
  full = ((<u64>1) << (<u64>bits)) - 1;
  lowBits = 0;
  for (let slot: u32 = 0; slot < cellsPerWord; slot++) lowBits |= (<u64>1) << (<u64>(slot * bits));
}

/** The lowest bit of every cell of a word that is not zero. */
function nonZeroCells(word: u64): u64 {
  let any = word;
  if (cellBits > 1) any |= word >> 1;
  if (cellBits > 2) any |= word >> 2;
  return any & lowBits;
}

/** Takes one from each of the cells [slot, slot + count) of a word that is not zero; all at once, as none borrows. */
function decrementInWord(at: u32, slot: u32, count: u32): void {
  const word = load<u64>(at);
  const range = (~(<u64>0) >> <u64>(64 - count * cellBits)) << (<u64>(slot * cellBits));
  store<u64>(at, word - (nonZeroCells(word) & range));
}

/** Takes one from `count` cells that follow one another from a place on, going round in `words` words from `base` on. */
export function decrementAdjacent(base: u32, words: u32, place: u32, count: u32): void {
  let at = (placeWord(place) - base) >> 3;
  let from = placeSpot(place);
  for (let left = count; left > 0; ) {
    const here = min(left, cellsPerWord - from);
    decrementInWord(base + (at << 3), from, here);
    left -= here;
    from = 0;
    at = at + 1 == words ? 0 : at + 1;
  }
}

/** Takes one from the cell of a place, unless it is zero. */
export function decrementPlace(place: u32): void {
  decrementInWord(placeWord(place), placeSpot(place), 1);
}

/** Fraction of cells that are not zero. */
export function cellsLoad(): f64 {
  let set: u64 = 0;
  for (let i: u32 = 0; i < wordCount; i++) set += popcnt(nonZeroCells(load<u64>(cells + (i << 3))));
  return <f64>set / (<f64>wordCount * <f64>cellsPerWord);
}

// A place of a cell has the number of the cell in its word for its spot.

/** Where a layout keeps the cells of an element, and its victims: a run of words, and places in it. */
export abstract class Region {
  /** What of an element its places are made from. */
  abstract anchor(fingerprint: u64): u64;
  abstract base(anchor: u64): u32;
  /** The base of the region that a word lies in. */
  abstract baseOf(word: u32): u32;
  abstract words(): u32;
  /** The hash that places cell i, from the one for cell i - 1. */
  abstract hash(before: u64, anchor: u64, i: u32): u64;
  /** The word of cell i, counted from the base; `first` is the hash of cell 0. */
  abstract word(first: u64, hash: u64, i: u32): u32;
  /** The word that a draw chooses. */
  abstract drawnWord(drawn: u64): u32;
  /** The cell in its word. */
  abstract slot(hash: u64): u32;
  /** How many of the places of an element name different lines. */
  abstract lines(places: u32): u32;
}

export class ClassicRegion extends Region {
  anchor(fingerprint: u64): u64 {
    return fingerprint;
  }
  base(anchor: u64): u32 {
    return cells;
  }
  baseOf(word: u32): u32 {
    return cells;
  }
  words(): u32 {
    return wordCount;
  }
  hash(before: u64, anchor: u64, i: u32): u64 {
    return addressHash(anchor, i);
  }
  word(first: u64, hash: u64, i: u32): u32 {
    return reduce(hash, wordCount);
  }
  drawnWord(drawn: u64): u32 {
    return reduce(drawn, wordCount);
  }
  slot(hash: u64): u32 {
    return reduceLow(hash, cellsPerWord);
  }
  lines(places: u32): u32 {
    return places;
  }
}

export class BlockedRegion extends Region {
  anchor(fingerprint: u64): u64 {
    return lineAnchor(fingerprint);
  }
  base(anchor: u64): u32 {
    return homeLine(anchor);
  }
  baseOf(word: u32): u32 {
    return word & ~(LINE_BYTES - 1);
  }
  words(): u32 {
    return LINE_WORDS;
  }
  hash(before: u64, anchor: u64, i: u32): u64 {
    return lineHash(before, anchor, i);
  }
  // The words of an element's cells follow one another at an odd distance, so that no two of the first eight are the same:
  // in a line of few cells, an element of fewer different ones would be matched by chance far more often.
  word(first: u64, hash: u64, i: u32): u32 {
    const distance = ((<u32>(first >> 29) & 7) << 1) | 1;
    return ((<u32>first >> 13) + distance * i) & 7;
  }
  drawnWord(drawn: u64): u32 {
    return (<u32>drawn >> 13) & 7;
  }
  slot(hash: u64): u32 {
    return ((<u32>hash & 0x1fff) * cellsPerWord) >> 13;
  }
  lines(places: u32): u32 {
    return 1;
  }
}

/**
 * What the rules of all families of cells share. A list begins with the places of the element's own cells. The first two are
 * written out before the loop over the rest, as in the rules of filters.
 */
export abstract class CellRule<R extends Region> extends Rule {
  /** Lists the `count` cells of an element; returns the end of the list. */
  listOwn(fingerprint: u64, count: u32, at: u32): u32 {
    const region = changetype<R>(0);
    const anchor = region.anchor(fingerprint);
    const base = region.base(anchor);
    const first = region.hash(0, anchor, 0);
    let end = this.listCell(base, first, first, 0, at);
    if (count == 1) return end;
    let hash = region.hash(first, anchor, 1);
    end = this.listCell(base, first, hash, 1, end);
    for (let i: u32 = 2; i < count; i++) {
      hash = region.hash(hash, anchor, i);
      end = this.listCell(base, first, hash, i, end);
    }
    return end;
  }

  listCell(base: u32, first: u64, hash: u64, i: u32, at: u32): u32 {
    const region = changetype<R>(0);
    return listPlace(at, base + (region.word(first, hash, i) << 3), region.slot(hash));
  }

  /** Whether the `count` cells of an element are all set. */
  testOwn(at: u32, count: u32): u32 {
    let set = this.isSet(at);
    if (count > 1) set &= this.isSet(at + PLACE_BYTES);
    for (let i: u32 = 2; i < count; i++) set &= this.isSet(at + i * PLACE_BYTES);
    return set;
  }

  isSet(at: u32): u32 {
    return u32(((load<u64>(placeWord(at)) >> <u64>(placeSpot(at) * cellBits)) & full) != 0);
  }

  /** Sets the `count` cells of an element to Max. */
  fillOwn(at: u32, count: u32): void {
    this.fill(at);
    if (count > 1) this.fill(at + PLACE_BYTES);
    for (let i: u32 = 2; i < count; i++) this.fill(at + i * PLACE_BYTES);
  }

  fill(at: u32): void {
    const word = placeWord(at);
    store<u64>(word, load<u64>(word) | (full << (<u64>(placeSpot(at) * cellBits))));
  }
}
