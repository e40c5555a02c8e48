// k Bloom filters of s bits each, one bit of each for an element: what RSBF, BSBF, BSBFSD and RLBSBF share
// (bera-2012, section 3). A layout says where filter i keeps the bit of a hash. In `classic` the filters lie
// one behind the other. In `blocked` every line of 64 bytes holds a slice of each filter, and an element keeps
// to one line, so its bits and its victims cost one cache miss.

import { list } from './batch';
import { bitAt, clearBit, clearFirstSet, countOnes, countOnesBetween, setBit } from './bits';
import { configureLines, homeLine, LINE_BITS, lineDraw, lineHash } from './lines';
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

/** Where a layout keeps bits. `home` is the element's line in `blocked`, and nothing in `classic`. */
export abstract class Layout {
  abstract home(fingerprint: u64): u32;
  /** The hash that places an element's bit in filter i. */
  abstract hash(fingerprint: u64, i: u32): u64;
  /** The draw that places a random bit in filter i. */
  abstract drawn(index: u64, i: u32): u64;
  abstract word(home: u32, hash: u64, i: u32): u32;
  abstract bit(hash: u64, i: u32): u32;
  abstract set(word: u32, bit: u32, i: u32): void;
  abstract clear(word: u32, bit: u32, i: u32): void;
  /** Clears the first set bit of filter i at or after the one placed by `hash`, going round; nothing if there is none. */
  abstract clearNextSet(home: u32, hash: u64, i: u32): void;
  /** Fraction of ones in filter i: over the whole filter in `classic`, over the line's slice in `blocked`. */
  abstract load(home: u32, i: u32): f64;
}

/** The papers' layout. Keeps the number of ones of filter i in the state, slot FAMILY_SLOT + i. */
export class Classic extends Layout {
  home(fingerprint: u64): u32 {
    return 0;
  }
  hash(fingerprint: u64, i: u32): u64 {
    return addressHash(fingerprint, i);
  }
  drawn(index: u64, i: u32): u64 {
    return draw(index, i);
  }
  word(home: u32, hash: u64, i: u32): u32 {
    return cells + ((i * wordsPerFilter + reduce(hash, wordsPerFilter)) << 3);
  }
  bit(hash: u64, i: u32): u32 {
    return <u32>hash & 63;
  }
  set(word: u32, bit: u32, i: u32): void {
    setState(FAMILY_SLOT + i, state(FAMILY_SLOT + i) + (1 - bitAt(word, bit)));
    setBit(word, bit);
  }
  clear(word: u32, bit: u32, i: u32): void {
    setState(FAMILY_SLOT + i, state(FAMILY_SLOT + i) - bitAt(word, bit));
    clearBit(word, bit);
  }
  clearNextSet(home: u32, hash: u64, i: u32): void {
    const from = ((<u64>reduce(hash, wordsPerFilter)) << 6) + this.bit(hash, i);
    const base = cells + ((i * wordsPerFilter) << 3);
    if (clearFirstSet(base, from, filterBits) || clearFirstSet(base, 0, from)) {
      setState(FAMILY_SLOT + i, state(FAMILY_SLOT + i) - 1);
    }
  }
  load(home: u32, i: u32): f64 {
    return <f64>state(FAMILY_SLOT + i) / <f64>filterBits;
  }
}

/** One line an element: filter i owns the bits [i * sliceBits, (i + 1) * sliceBits) of every line. */
export class Blocked extends Layout {
  home(fingerprint: u64): u32 {
    return homeLine(fingerprint);
  }
  hash(fingerprint: u64, i: u32): u64 {
    return lineHash(fingerprint, i);
  }
  drawn(index: u64, i: u32): u64 {
    return lineDraw(index, i);
  }
  word(home: u32, hash: u64, i: u32): u32 {
    return home + (((i * sliceBits + reduceLow(hash, sliceBits)) >> 6) << 3);
  }
  bit(hash: u64, i: u32): u32 {
    return (i * sliceBits + reduceLow(hash, sliceBits)) & 63;
  }
  set(word: u32, bit: u32, i: u32): void {
    setBit(word, bit);
  }
  clear(word: u32, bit: u32, i: u32): void {
    clearBit(word, bit);
  }
  clearNextSet(home: u32, hash: u64, i: u32): void {
    const start = i * sliceBits;
    const from = start + reduceLow(hash, sliceBits);
    if (!clearFirstSet(home, from, start + sliceBits)) clearFirstSet(home, start, from);
  }
  load(home: u32, i: u32): f64 {
    return <f64>countOnesBetween(home, i * sliceBits, (i + 1) * sliceBits) / <f64>sliceBits;
  }
}

/** Whether all k bits of an element are set; `home` is the element's. */
export function allSet<L extends Layout>(home: u32, fingerprint: u64): u32 {
  const at = changetype<L>(0);
  for (let i: u32 = 0; i < filterCount; i++) {
    const hash = at.hash(fingerprint, i);
    if (!bitAt(at.word(home, hash, i), at.bit(hash, i))) return 0;
  }
  return 1;
}

/** Sets all k bits of an element. */
export function setAll<L extends Layout>(home: u32, fingerprint: u64): void {
  const at = changetype<L>(0);
  for (let i: u32 = 0; i < filterCount; i++) {
    const hash = at.hash(fingerprint, i);
    at.set(at.word(home, hash, i), at.bit(hash, i), i);
  }
}

/** Clears in filter i the bit that `drawn` places, in the line of the element where there are lines. */
export function clearDrawn<L extends Layout>(home: u32, drawn: u64, i: u32): void {
  const at = changetype<L>(0);
  at.clear(at.word(home, drawn, i), at.bit(drawn, i), i);
}

/** Lists the lines of an element's bits. */
export function listBits<L extends Layout>(fingerprint: u64, at: u32): u32 {
  const place = changetype<L>(0);
  const home = place.home(fingerprint);
  if (home) return list(at, home);
  let end = at;
  for (let i: u32 = 0; i < filterCount; i++) end = list(end, place.word(home, place.hash(fingerprint, i), i));
  return end;
}

/** Lists the lines of one victim in each filter; none in `blocked`, where they lie in the element's line. */
export function listVictims<L extends Layout>(index: u64, at: u32): u32 {
  if (isBlocked()) return at;
  const place = changetype<L>(0);
  let end = at;
  for (let i: u32 = 0; i < filterCount; i++) end = list(end, place.word(0, place.drawn(index, i), i));
  return end;
}
