// k Bloom filters of s bits each, with one bit per element in each: the shared code of RSBF, BSBF, BSBFSD and RLBSBF
// (bera-2012, section 3). A layout determines where filter i keeps the bit of a hash. In `classic`, the filters follow
// one another in memory. In `blocked`, every cache line of 64 bytes holds a slice of each filter, and an element uses a
// single cache line, so its bits and its victims cost one cache miss.

import { LOCATION_BYTES, listLocation, observeBatch, observeLayout, Rule } from './batch';
import { bitAt, clearBitIf, clearFirstSet, countOnes, setBitIf } from './bits';
import {
  CACHE_LINE_BITS,
  CACHE_LINE_BYTES,
  cacheLineListBytes,
  configureCacheLines,
  listCacheLineDraws,
  listedCacheLine,
  listedDraw,
  listedHash,
  listInCacheLine,
} from './cachelines';
import {
  cellsBytes,
  cellsOffset,
  FAMILY_PARAMETER,
  FAMILY_REGISTER,
  isBlocked,
  parameter,
  register,
  setRegister,
} from './memory';
import { addressHash, draw, reduce, reduceLow, seedRandom } from './random';

/** k. */
export let filterCount: u32 = 0;
/** s: bits of one filter in the whole memory. */
export let filterBits: u64 = 0;

/** The slot of the parameter k. */
export const FILTER_COUNT_PARAMETER: u32 = FAMILY_PARAMETER;

let cells: u32 = 0;
let wordsPerFilter: u32 = 0;
/** Bits that one filter has in one cache line. */
let sliceBits: u32 = 0;

export function configureFilters(): void {
  seedRandom();
  filterCount = <u32>parameter(FILTER_COUNT_PARAMETER);
  cells = cellsOffset();
  wordsPerFilter = (cellsBytes() >> 3) / filterCount;
  const cacheLineCount = configureCacheLines();
  sliceBits = CACHE_LINE_BITS / filterCount;
  filterBits = isBlocked() ? <u64>cacheLineCount * <u64>sliceBits : (<u64>wordsPerFilter) << 6;
}

/** Fraction of set bits over all filters. Counts the bits, as only `classic` maintains counts. */
export function filtersLoad(): f64 {
  return <f64>countOnes(cells, cellsBytes() >> 3) / (<f64>filterBits * <f64>filterCount);
}

/**
 * Tells if a loaded snapshot is valid: no bit is set outside the filters, and in `classic` each filter has as many set bits
 * as its register says.
 */
export function filtersAreValid(): bool {
  if (isBlocked()) return areCacheLineEndsEmpty();
  for (let i: u32 = 0; i < filterCount; i++) {
    const filter = cells + ((i * wordsPerFilter) << 3);
    if (countOnes(filter, wordsPerFilter) != register(FAMILY_REGISTER + i)) return false;
  }
  const words = filterCount * wordsPerFilter;
  return countOnes(cells + (words << 3), (cellsBytes() >> 3) - words) == 0;
}

/** The bits of a cache line that belong to no slice are its last ones; there are fewer of them than filters. */
function areCacheLineEndsEmpty(): bool {
  const spareBits = CACHE_LINE_BITS % filterCount;
  if (spareBits == 0) return true;
  const end = cells + cellsBytes();
  for (let cacheLine = cells; cacheLine < end; cacheLine += CACHE_LINE_BYTES) {
    if (load<u64>(cacheLine, CACHE_LINE_BYTES - 8) >> <u64>(64 - spareBits)) return false;
  }
  return true;
}

/** The number of filters: any, or two, the usual number, for which the compiler can fold the constants. */
export abstract class Count {
  abstract filters(): u32;
  /** Bits that one filter has in one cache line. */
  abstract sliceBits(): u32;
}

export class AnyCount extends Count {
  filters(): u32 {
    return filterCount;
  }
  sliceBits(): u32 {
    return sliceBits;
  }
}

export class Two extends Count {
  filters(): u32 {
    return 2;
  }
  sliceBits(): u32 {
    return CACHE_LINE_BITS / 2;
  }
}

/**
 * The arrangement of the bits in memory. An element has its own bit in each filter, and victims: random bits that its
 * insertion may clear. The rules pass everything that either layout needs to find a bit again; each layout ignores what
 * it has listed. A location identifies a bit as the layout sees it, within the cache line of the element if it has one.
 */
export abstract class Layout {
  /** k. */
  abstract filters(): u32;
  /** Bytes of the list of an element. */
  abstract listBytes(victims: u32, decisions: u32): u32;
  /** Bytes at the front of the list whose locations name every cache line. */
  abstract touchBytes(victims: u32): u32;
  /** Lists the own bits of an element. */
  abstract listOwn(fingerprint: u64, at: u32): void;
  /** Begins the list of the `draws` draws of an element. */
  abstract listDraws(index: u64, draws: u32, at: u32): void;
  /** Lists victim `victim`: a bit of filter i that draw number `lane` selects. */
  abstract listVictim(index: u64, lane: u32, victim: u32, i: u32, at: u32): void;
  /** Lists what `sheds` needs from draw number `lane` for decision i; there are as many decisions as filters. */
  abstract listDecision(index: u64, lane: u32, i: u32, at: u32): void;
  /** The filter that draw number `lane` selects: `drawnFilter` while the list is written, `listedFilter` afterwards. */
  abstract drawnFilter(index: u64, lane: u32): u32;
  abstract listedFilter(at: u32, lane: u32): u32;
  /** The address of the element's cache line. */
  abstract cacheLine(at: u32): u32;
  /** The location of the element's bit in filter i. */
  abstract own(at: u32, i: u32): u64;
  /** The location of a victim: the bit of filter i that draw number `lane` selected. */
  abstract victim(at: u32, lane: u32, victim: u32, i: u32): u64;
  /** Tells if the bit at a location is set, as 1 or 0. */
  abstract isSet(cacheLine: u32, location: u64): u32;
  /** Sets the bit at a location if `change` is 1; does nothing if it is 0. */
  abstract set(cacheLine: u32, location: u64, change: u32): void;
  /** Clears the bit at a location if `change` is 1; does nothing if it is 0. */
  abstract clear(cacheLine: u32, location: u64, change: u32): void;
  /** Clears the first set bit of filter i at or after a location, with wrap-around; does nothing if none is set. */
  abstract clearNextSet(cacheLine: u32, location: u64, i: u32): void;
  /** Returns 1 with the probability of the load (of filter i in `classic`, of its slice in `blocked`), else 0. */
  abstract sheds(at: u32, cacheLine: u32, lane: u32, i: u32): u32;
}

const FILTER_SHIFT: u64 = 6;

/**
 * The papers' layout. Lists a location for each bit: the lower half is the address of its word, the upper half its bit
 * (six bits) and, above, its filter. Register FAMILY_REGISTER + i has the number of set bits of filter i.
 */
export class Classic extends Layout {
  filters(): u32 {
    return filterCount;
  }
  listBytes(victims: u32, decisions: u32): u32 {
    return (filterCount + victims + decisions) * LOCATION_BYTES;
  }
  touchBytes(victims: u32): u32 {
    return (filterCount + victims) * LOCATION_BYTES;
  }
  listOwn(fingerprint: u64, at: u32): void {
    this.listBit(addressHash(fingerprint, 0), 0, at);
    if (filterCount == 1) return;
    this.listBit(addressHash(fingerprint, 1), 1, at + LOCATION_BYTES);
    for (let i: u32 = 2; i < filterCount; i++) this.listBit(addressHash(fingerprint, i), i, at + i * LOCATION_BYTES);
  }
  listBit(hash: u64, i: u32, at: u32): void {
    const word = cells + ((i * wordsPerFilter + reduce(hash, wordsPerFilter)) << 3);
    listLocation(at, word, (i << (<u32>FILTER_SHIFT)) | (<u32>hash & 63));
  }
  listDraws(index: u64, draws: u32, at: u32): void {}
  listVictim(index: u64, lane: u32, victim: u32, i: u32, at: u32): void {
    this.listBit(draw(index, lane), i, at + (filterCount + victim) * LOCATION_BYTES);
  }
  listDecision(index: u64, lane: u32, i: u32, at: u32): void {
    // A product of 29 bits of the draw and a filter size of at most 2^35 bits fits in 64 bits.
    store<u64>(this.decision(at, i), ((draw(index, lane) >> 35) * filterBits) >> 29);
  }
  drawnFilter(index: u64, lane: u32): u32 {
    return reduceLow(draw(index, lane), filterCount);
  }
  listedFilter(at: u32, lane: u32): u32 {
    return 0;
  }
  cacheLine(at: u32): u32 {
    return 0;
  }
  own(at: u32, i: u32): u64 {
    return load<u64>(at + i * LOCATION_BYTES);
  }
  victim(at: u32, lane: u32, victim: u32, i: u32): u64 {
    return this.own(at, filterCount + victim);
  }
  detail(location: u64): u32 {
    return <u32>(location >> 32);
  }
  ones(location: u64): u32 {
    return FAMILY_REGISTER + <u32>(location >> (32 + FILTER_SHIFT));
  }
  isSet(cacheLine: u32, location: u64): u32 {
    return bitAt(<u32>location, this.detail(location));
  }
  set(cacheLine: u32, location: u64, change: u32): void {
    setRegister(this.ones(location), register(this.ones(location)) + (change & (1 - this.isSet(cacheLine, location))));
    setBitIf(<u32>location, this.detail(location), change);
  }
  clear(cacheLine: u32, location: u64, change: u32): void {
    setRegister(this.ones(location), register(this.ones(location)) - (change & this.isSet(cacheLine, location)));
    clearBitIf(<u32>location, this.detail(location), change);
  }
  clearNextSet(cacheLine: u32, location: u64, i: u32): void {
    const base = cells + ((i * wordsPerFilter) << 3);
    const from = ((<u64>(<u32>location - base)) << 3) + (this.detail(location) & 63);
    if (clearFirstSet(base, from, filterBits) || clearFirstSet(base, 0, from)) {
      setRegister(FAMILY_REGISTER + i, register(FAMILY_REGISTER + i) - 1);
    }
  }
  sheds(at: u32, cacheLine: u32, lane: u32, i: u32): u32 {
    return u32(load<u64>(this.decision(at, i)) < register(FAMILY_REGISTER + i));
  }
  /** The address of decision i in the list, after as many victims as there are filters. */
  decision(at: u32, i: u32): u32 {
    return at + (2 * filterCount + i) * LOCATION_BYTES;
  }
}

/**
 * One cache line for each element; filter i owns its bits [i * sliceBits, (i + 1) * sliceBits). A location is a bit's index.
 */
export class Blocked<C extends Count> extends Layout {
  filters(): u32 {
    return changetype<C>(0).filters();
  }
  listBytes(victims: u32, decisions: u32): u32 {
    return cacheLineListBytes(this.filters(), victims + decisions);
  }
  touchBytes(victims: u32): u32 {
    return LOCATION_BYTES;
  }
  listOwn(fingerprint: u64, at: u32): void {
    listInCacheLine(fingerprint, this.filters(), at);
  }
  listDraws(index: u64, draws: u32, at: u32): void {
    listCacheLineDraws(index, this.filters(), draws, at);
  }
  listVictim(index: u64, lane: u32, victim: u32, i: u32, at: u32): void {}
  listDecision(index: u64, lane: u32, i: u32, at: u32): void {}
  drawnFilter(index: u64, lane: u32): u32 {
    return 0;
  }
  listedFilter(at: u32, lane: u32): u32 {
    return (listedDraw(at, this.filters(), lane) * this.filters()) >> 16;
  }
  cacheLine(at: u32): u32 {
    return listedCacheLine(at);
  }
  bitIndex(number: u32, i: u32): u64 {
    const slice = changetype<C>(0).sliceBits();
    return <u64>(i * slice + ((number * slice) >> 16));
  }
  own(at: u32, i: u32): u64 {
    return this.bitIndex(listedHash(at, i), i);
  }
  victim(at: u32, lane: u32, victim: u32, i: u32): u64 {
    return this.bitIndex(listedDraw(at, this.filters(), lane), i);
  }
  word(cacheLine: u32, location: u64): u32 {
    return cacheLine + ((<u32>location >> 6) << 3);
  }
  isSet(cacheLine: u32, location: u64): u32 {
    return bitAt(this.word(cacheLine, location), <u32>location);
  }
  set(cacheLine: u32, location: u64, change: u32): void {
    setBitIf(this.word(cacheLine, location), <u32>location, change);
  }
  clear(cacheLine: u32, location: u64, change: u32): void {
    clearBitIf(this.word(cacheLine, location), <u32>location, change);
  }
  clearNextSet(cacheLine: u32, location: u64, i: u32): void {
    const slice = changetype<C>(0).sliceBits();
    const start = i * slice;
    if (!clearFirstSet(cacheLine, location, start + slice)) clearFirstSet(cacheLine, start, location);
  }
  sheds(at: u32, cacheLine: u32, lane: u32, i: u32): u32 {
    // A random bit is set with the probability of the load, and the victim is one: no count is needed.
    return this.isSet(cacheLine, this.victim(at, lane, 0, i));
  }
}

/** The policy of eviction: the bits that the insertion of an element may clear. Bound at compile time, like rules. */
export abstract class Eviction<L extends Layout> {
  abstract victims(): u32;
  abstract decisions(): u32;
  abstract list(index: u64, at: u32): void;
  /** Clears the victims if `change` is 1; does nothing if it is 0. */
  abstract clear(at: u32, cacheLine: u32, change: u32): void;
}

/** A random bit of each filter (BSBF, RSBF). */
export class OneEach<L extends Layout> extends Eviction<L> {
  victims(): u32 {
    return changetype<L>(0).filters();
  }
  decisions(): u32 {
    return 0;
  }
  list(index: u64, at: u32): void {
    const layout = changetype<L>(0);
    layout.listDraws(index, layout.filters(), at);
    layout.listVictim(index, 0, 0, 0, at);
    if (layout.filters() > 1) layout.listVictim(index, 1, 1, 1, at);
    if (layout.filters() > 2) {
      for (let i: u32 = 2; i < layout.filters(); i++) layout.listVictim(index, i, i, i, at);
    }
  }
  clear(at: u32, cacheLine: u32, change: u32): void {
    const layout = changetype<L>(0);
    layout.clear(cacheLine, layout.victim(at, 0, 0, 0), change);
    if (layout.filters() > 1) layout.clear(cacheLine, layout.victim(at, 1, 1, 1), change);
    if (layout.filters() > 2) {
      for (let i: u32 = 2; i < layout.filters(); i++) layout.clear(cacheLine, layout.victim(at, i, i, i), change);
    }
  }
}

/**
 * Shared code of the rules of all families of filters. The first two filters are unrolled, as k is usually 2 and a loop
 * would take half of the time. If there is only one filter, it also takes the role of the second.
 */
export abstract class FilterRule<L extends Layout, E extends Eviction<L>> extends Rule {
  listBytes(): u32 {
    const eviction = changetype<E>(0);
    return changetype<L>(0).listBytes(eviction.victims(), eviction.decisions());
  }

  touchBytes(): u32 {
    return changetype<L>(0).touchBytes(changetype<E>(0).victims());
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    changetype<L>(0).listOwn(fingerprint, at);
    changetype<E>(0).list(index, at);
  }

  second(at: u32, first: u64): u64 {
    const layout = changetype<L>(0);
    return layout.filters() > 1 ? layout.own(at, 1) : first;
  }

  /** Returns 1 if all k bits of an element are set, else 0. */
  test(at: u32): u32 {
    const layout = changetype<L>(0);
    const first = layout.own(at, 0);
    return this.testFrom(at, layout.cacheLine(at), first, this.second(at, first));
  }

  testFrom(at: u32, cacheLine: u32, first: u64, second: u64): u32 {
    const layout = changetype<L>(0);
    let set = layout.isSet(cacheLine, first) & layout.isSet(cacheLine, second);
    if (layout.filters() > 2) {
      for (let i: u32 = 2; i < layout.filters(); i++) set &= layout.isSet(cacheLine, layout.own(at, i));
    }
    return set;
  }

  /**
   * Returns the answer for an element. If the answer is distinct or `always` is 1, clears its victims and sets its own
   * bits.
   */
  answerAndReplace(at: u32, always: u32): u32 {
    const layout = changetype<L>(0);
    const cacheLine = layout.cacheLine(at);
    const first = layout.own(at, 0);
    const second = this.second(at, first);
    const verdict = this.testFrom(at, cacheLine, first, second);
    const change = (verdict ^ 1) | always;
    changetype<E>(0).clear(at, cacheLine, change);
    layout.set(cacheLine, first, change);
    layout.set(cacheLine, second, change);
    if (layout.filters() > 2) {
      for (let i: u32 = 2; i < layout.filters(); i++) layout.set(cacheLine, layout.own(at, i), change);
    }
    return verdict;
  }
}

/** `observeBatch` with the rule for the detector's layout and number of filters. */
export function observeFilters<C extends Rule, B extends Rule, P extends Rule>(
  fingerprints: u32,
  verdicts: u32,
  count: u32,
): u32 {
  if (isBlocked() && filterCount == 2) return observeBatch<P>(fingerprints, verdicts, count);
  return observeLayout<C, B>(fingerprints, verdicts, count);
}
