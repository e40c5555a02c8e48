// Cells of d bits that never cross a 64-bit word: 64, 32 or 21 of them per word for d = 1, 2 or 3. Bloom filters (d =
// 1) and Stable Bloom Filters share this code.

import { LOCATION_BYTES, listLocation, locationDetail, locationWord, observeBatch, observeLayout, Rule } from './batch';
import {
  CACHE_LINE_BYTES,
  CACHE_LINE_WORDS,
  cacheLineListBytes,
  configureCacheLines,
  listedCacheLine,
  listedHash,
  listInCacheLine,
} from './cachelines';
import { cellsBytes, cellsOffset, isBlocked } from './memory';
import { addressHash, reduce, reduceLow, seedRandom } from './random';

/** d, bits of one cell. */
let cellBits: u32 = 1;
export let cellsPerWord: u32 = 64;

/** The lowest bit of every cell of a word. */
let lowBits: u64 = 0;

let cells: u32 = 0;
let wordCount: u32 = 0;

export function configureCells(bits: u32): void {
  seedRandom();
  configureCacheLines();
  cells = cellsOffset();
  wordCount = cellsBytes() >> 3;
  cellBits = bits;
  cellsPerWord = 64 / bits;
  lowBits = 0;
  for (let slot: u32 = 0; slot < cellsPerWord; slot++) lowBits |= (<u64>1) << (<u64>(slot * bits));
}

/**
 * The kind of cell: any width, or one bit. One bit is the usual case; as a separate class it lets the compiler fold the
 * constants.
 */
export abstract class Cell {
  /** d. */
  abstract bits(): u32;
  abstract perWord(): u32;
  /** The cell of a word that 13 bits select. */
  abstract slot(number: u32): u32;
  /** A word with the lowest bit of every cell that is not zero. */
  abstract nonZero(word: u64): u64;
  /** Nonzero if the cell of the word is zero. */
  abstract missing(word: u64, cell: u64): u64;
}

export class AnyCell extends Cell {
  bits(): u32 {
    return cellBits;
  }
  perWord(): u32 {
    return cellsPerWord;
  }
  slot(number: u32): u32 {
    return ((number & 0x1fff) * cellsPerWord) >> 13;
  }
  nonZero(word: u64): u64 {
    let any = word;
    if (cellBits > 1) any |= word >> 1;
    if (cellBits > 2) any |= word >> 2;
    return any & lowBits;
  }
  missing(word: u64, cell: u64): u64 {
    return u64((word & cell) == 0);
  }
}

export class Bit extends Cell {
  bits(): u32 {
    return 1;
  }
  perWord(): u32 {
    return 64;
  }
  slot(number: u32): u32 {
    return (number >> 7) & 63;
  }
  nonZero(word: u64): u64 {
    return word;
  }
  missing(word: u64, cell: u64): u64 {
    return cell & ~word;
  }
}

/** Fraction of cells that are not zero. */
export function cellsLoad(): f64 {
  const cell = changetype<AnyCell>(0);
  let set: u64 = 0;
  for (let i: u32 = 0; i < wordCount; i++) set += popcnt(cell.nonZero(load<u64>(cells + (i << 3))));
  return <f64>set / (<f64>wordCount * <f64>cellsPerWord);
}

/** The place of an element's cells and victims in a layout: a run of words, and cells in them. */
export abstract class Region {
  /** Bytes of the list of an element with `count` cells and the given number of listed victims. */
  abstract listBytes(count: u32, victims: u32): u32;
  /** Bytes at the front of the list whose locations name every cache line. */
  abstract touchBytes(count: u32, victims: u32): u32;
  /** Lists the `count` own cells of an element. */
  abstract listOwn(fingerprint: u64, count: u32, at: u32): void;
  /** The address in a list at which the locations of the victims begin. */
  abstract victims(count: u32, at: u32): u32;
  /** The address at which the region of the element listed at `at` begins. */
  abstract base(at: u32): u32;
  abstract words(): u32;
  /** The offset in the cache line of the word of cell 0, and the distance from one cell's word to the next, in bytes. */
  abstract first(at: u32): u32;
  abstract step(at: u32): u32;
  /** The address of the word of cell i. It is `offset` bytes from the base, modulo the size of the cache line. */
  abstract word(at: u32, base: u32, offset: u32, i: u32): u32;
  /** The slot of cell i in its word. */
  abstract slot(at: u32, i: u32): u32;
  /** The index of the word in the region that a draw selects. */
  abstract drawnWord(drawn: u64): u32;
  /** The slot in the word that a draw selects. */
  abstract drawnSlot(drawn: u64): u32;
}

/** Lists a location for each cell; its detail is the slot of the cell in its word. */
export class ClassicRegion<C extends Cell> extends Region {
  listBytes(count: u32, victims: u32): u32 {
    return (count + victims) * LOCATION_BYTES;
  }
  touchBytes(count: u32, victims: u32): u32 {
    return (count + victims) * LOCATION_BYTES;
  }
  listOwn(fingerprint: u64, count: u32, at: u32): void {
    this.listCell(fingerprint, 0, at);
    if (count > 1) this.listCell(fingerprint, 1, at);
    for (let i: u32 = 2; i < count; i++) this.listCell(fingerprint, i, at);
  }
  listCell(fingerprint: u64, i: u32, at: u32): void {
    const hash = addressHash(fingerprint, i);
    listLocation(at + i * LOCATION_BYTES, cells + (this.drawnWord(hash) << 3), this.drawnSlot(hash));
  }
  victims(count: u32, at: u32): u32 {
    return at + count * LOCATION_BYTES;
  }
  base(at: u32): u32 {
    return cells;
  }
  words(): u32 {
    return wordCount;
  }
  first(at: u32): u32 {
    return 0;
  }
  step(at: u32): u32 {
    return 0;
  }
  word(at: u32, base: u32, offset: u32, i: u32): u32 {
    return locationWord(at + i * LOCATION_BYTES);
  }
  slot(at: u32, i: u32): u32 {
    return locationDetail(at + i * LOCATION_BYTES);
  }
  drawnWord(drawn: u64): u32 {
    return reduce(drawn, wordCount);
  }
  drawnSlot(drawn: u64): u32 {
    return reduceLow(drawn, changetype<C>(0).perWord());
  }
}

/**
 * One cache line for each element. Of the 16 bits of a hash, 13 select the slot. The other three bits of the first two hashes
 * select the words.
 */
export class BlockedRegion<C extends Cell> extends Region {
  listBytes(count: u32, victims: u32): u32 {
    return cacheLineListBytes(count, 0) + victims * LOCATION_BYTES;
  }
  touchBytes(count: u32, victims: u32): u32 {
    return LOCATION_BYTES;
  }
  listOwn(fingerprint: u64, count: u32, at: u32): void {
    listInCacheLine(fingerprint, count, at);
  }
  victims(count: u32, at: u32): u32 {
    return at + cacheLineListBytes(count, 0);
  }
  base(at: u32): u32 {
    return listedCacheLine(at);
  }
  words(): u32 {
    return CACHE_LINE_WORDS;
  }
  // The words of an element's cells are an odd number of words apart, so the first eight are all different. If they
  // coincided, an element would have fewer distinct cells, and would be matched by chance far more often.
  first(at: u32): u32 {
    return (listedHash(at, 0) >> 13) << 3;
  }
  step(at: u32): u32 {
    return ((listedHash(at, 1) >> 13) << 4) | 8;
  }
  word(at: u32, base: u32, offset: u32, i: u32): u32 {
    return base + (offset & (CACHE_LINE_BYTES - 8));
  }
  slot(at: u32, i: u32): u32 {
    return changetype<C>(0).slot(listedHash(at, i));
  }
  drawnWord(drawn: u64): u32 {
    return (<u32>drawn >> 13) & 7;
  }
  drawnSlot(drawn: u64): u32 {
    return changetype<C>(0).slot(<u32>drawn);
  }
}

/**
 * Shared code of the rules of all families of cells. The first two cells are unrolled, as in the rules of filters, and
 * the values that all cells of an element share are read from its list once.
 */
export abstract class CellRule<R extends Region, C extends Cell> extends Rule {
  /** Returns 1 if all `count` cells of an element are set, else 0. */
  testOwn(at: u32, count: u32): u32 {
    const region = changetype<R>(0);
    const base = region.base(at);
    let offset = region.first(at);
    const step = region.step(at);
    let missing = this.missing(at, base, offset, 0);
    offset += step;
    if (count > 1) missing |= this.missing(at, base, offset, 1);
    if (count > 2) {
      for (let i: u32 = 2; i < count; i++) {
        offset += step;
        missing |= this.missing(at, base, offset, i);
      }
    }
    return u32(missing == 0);
  }

  missing(at: u32, base: u32, offset: u32, i: u32): u64 {
    const word = changetype<R>(0).word(at, base, offset, i);
    return changetype<C>(0).missing(load<u64>(word), this.cell(at, i));
  }

  /** Sets the `count` cells of an element to Max; returns 1 if they were all set before, as `testOwn` does. */
  fillOwn(at: u32, count: u32): u32 {
    const region = changetype<R>(0);
    const base = region.base(at);
    let offset = region.first(at);
    const step = region.step(at);
    let missing = this.fill(at, base, offset, 0);
    offset += step;
    if (count > 1) missing |= this.fill(at, base, offset, 1);
    if (count > 2) {
      for (let i: u32 = 2; i < count; i++) {
        offset += step;
        missing |= this.fill(at, base, offset, i);
      }
    }
    return u32(missing == 0);
  }

  /** Sets cell i to Max; returns nonzero if it was zero. */
  fill(at: u32, base: u32, offset: u32, i: u32): u64 {
    const word = changetype<R>(0).word(at, base, offset, i);
    const cell = this.cell(at, i);
    const before = load<u64>(word);
    store<u64>(word, before | cell);
    return changetype<C>(0).missing(before, cell);
  }

  /** A mask of all bits of cell i in its word. */
  cell(at: u32, i: u32): u64 {
    const bits = changetype<C>(0).bits();
    const full = ((<u64>1) << bits) - 1;
    return full << (<u64>(changetype<R>(0).slot(at, i) * bits));
  }

  /**
   * Decrements each nonzero cell of [slot, slot + count) of a word. One subtraction serves all of them, as no cell
   * borrows.
   */
  decrementInWord(at: u32, slot: u32, count: u32): void {
    const bits = changetype<C>(0).bits();
    const word = load<u64>(at);
    const range = (~(<u64>0) >> <u64>(64 - count * bits)) << (<u64>(slot * bits));
    store<u64>(at, word - (changetype<C>(0).nonZero(word) & range));
  }

  /** Decrements `count` adjacent cells from the listed one on, modulo the size of the region that begins at `base`. */
  decrementAdjacent(base: u32, first: u32, count: u32): void {
    const words = changetype<R>(0).words();
    let at = (locationWord(first) - base) >> 3;
    let from = locationDetail(first);
    for (let left = count; left > 0; ) {
      const here = min(left, changetype<C>(0).perWord() - from);
      this.decrementInWord(base + (at << 3), from, here);
      left -= here;
      from = 0;
      at = at + 1 == words ? 0 : at + 1;
    }
  }

  /** Decrements the listed cell unless it is zero. */
  decrementListed(location: u32): void {
    this.decrementInWord(locationWord(location), locationDetail(location), 1);
  }
}

/** `observeBatch` with the rule for the detector's layout and cell width. */
export function observeCells<C extends Rule, B extends Rule, O extends Rule>(
  fingerprints: u32,
  verdicts: u32,
  count: u32,
): u32 {
  if (isBlocked() && cellBits == 1) return observeBatch<O>(fingerprints, verdicts, count);
  return observeLayout<C, B>(fingerprints, verdicts, count);
}
