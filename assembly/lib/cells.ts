// Cells of d bits each, whole in their 64-bit words: 64, 32 or 21 of them for d of 1, 2 or 3. What Bloom filters (d = 1)
// and Stable Bloom Filters share.

import { list } from './batch';
import { configureLines, homeLine, LINE_WORDS, lineHash } from './lines';
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

function isCellSet(word: u32, slot: u32): bool {
  return ((load<u64>(word) >> <u64>(slot * cellBits)) & full) != 0;
}

function fillCell(word: u32, slot: u32): void {
  store<u64>(word, load<u64>(word) | (full << (<u64>(slot * cellBits))));
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

/** Takes one from `count` cells that follow one another from cell `slot` of word `word`, going round after `words` words. */
export function decrementAdjacent(base: u32, words: u32, word: u32, slot: u32, count: u32): void {
  let at = word;
  let from = slot;
  for (let left = count; left > 0; ) {
    const here = min(left, cellsPerWord - from);
    decrementInWord(base + (at << 3), from, here);
    left -= here;
    from = 0;
    at = at + 1 == words ? 0 : at + 1;
  }
}

/** Takes one from cell number `cell` of a region, unless it is zero. */
export function decrementCell(base: u32, cell: u64): void {
  decrementInWord(base + ((<u32>(cell / cellsPerWord)) << 3), <u32>(cell % cellsPerWord), 1);
}

/** Fraction of cells that are not zero. */
export function cellsLoad(): f64 {
  let set: u64 = 0;
  for (let i: u32 = 0; i < wordCount; i++) set += popcnt(nonZeroCells(load<u64>(cells + (i << 3))));
  return <f64>set / (<f64>wordCount * <f64>cellsPerWord);
}

/** Where a layout keeps the cells of an element, and its victims: a run of words, and places in it. */
export abstract class Region {
  abstract base(fingerprint: u64): u32;
  abstract words(): u32;
  abstract hash(fingerprint: u64, i: u32): u64;
  /** The word, counted from the base, that a hash or draw chooses. */
  abstract word(hash: u64): u32;
  /** The cell in its word. */
  abstract slot(hash: u64): u32;
}

export class ClassicRegion extends Region {
  base(fingerprint: u64): u32 {
    return cells;
  }
  words(): u32 {
    return wordCount;
  }
  hash(fingerprint: u64, i: u32): u64 {
    return addressHash(fingerprint, i);
  }
  word(hash: u64): u32 {
    return reduce(hash, wordCount);
  }
  slot(hash: u64): u32 {
    return reduceLow(hash, cellsPerWord);
  }
}

export class BlockedRegion extends Region {
  base(fingerprint: u64): u32 {
    return homeLine(fingerprint);
  }
  words(): u32 {
    return LINE_WORDS;
  }
  // The words of an element's cells follow one another at an odd distance, so that no two of the first eight are the same:
  // in a line of few cells, an element of fewer different ones would be matched by chance far more often.
  hash(fingerprint: u64, i: u32): u64 {
    const firstWord = lineHash(fingerprint, 0) >> 13;
    const distance = ((lineHash(fingerprint, 1) >> 13) << 1) | 1;
    return (lineHash(fingerprint, i) & 0x1fff) | (((firstWord + distance * i) & 7) << 13);
  }
  word(hash: u64): u32 {
    return (<u32>hash >> 13) & 7;
  }
  slot(hash: u64): u32 {
    return ((<u32>hash & 0x1fff) * cellsPerWord) >> 13;
  }
}

/** Whether `count` cells of an element are all set; `base` is the element's. */
export function allCellsSet<R extends Region>(base: u32, fingerprint: u64, count: u32): u32 {
  const region = changetype<R>(0);
  for (let i: u32 = 0; i < count; i++) {
    const hash = region.hash(fingerprint, i);
    if (!isCellSet(base + (region.word(hash) << 3), region.slot(hash))) return 0;
  }
  return 1;
}

/** Sets `count` cells of an element to Max. */
export function fillCells<R extends Region>(base: u32, fingerprint: u64, count: u32): void {
  const region = changetype<R>(0);
  for (let i: u32 = 0; i < count; i++) {
    const hash = region.hash(fingerprint, i);
    fillCell(base + (region.word(hash) << 3), region.slot(hash));
  }
}

/** Lists the lines of `count` cells of an element. */
export function listCells<R extends Region>(fingerprint: u64, count: u32, at: u32): u32 {
  const region = changetype<R>(0);
  const base = region.base(fingerprint);
  if (region.words() == LINE_WORDS) return list(at, base);
  let end = at;
  for (let i: u32 = 0; i < count; i++) end = list(end, base + (region.word(region.hash(fingerprint, i)) << 3));
  return end;
}
