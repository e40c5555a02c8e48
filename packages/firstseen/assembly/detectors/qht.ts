// Quotient Hash Tables (geraud-2019, arXiv 1901.04358): buckets of k slots of s bits; each slot holds a fingerprint, or
// 0 if it is empty. Eviction `random` is the paper's QHT, `fifo` its QQHTD; `lru` and the entry depth are our own.

import {
  LOCATION_BYTES,
  listLocation,
  locationDetail,
  locationWord,
  observeBatch,
  observeTouched,
  Rule,
  Touch,
  testLayout,
} from '../lib/batch';
import {
  CACHE_LINE_BITS,
  CACHE_LINE_BYTES,
  cacheLineAnchor,
  configureCacheLines,
  foldedHash,
  homeCacheLine,
} from '../lib/cachelines';
import { cellsOffset, FAMILY_PARAMETER, isBlocked, parameter } from '../lib/memory';
import { packedSlot, setPackedSlot } from '../lib/packed';
import {
  configurePlanes,
  insertSlot,
  isLastByteSpare,
  isSlotUsed,
  pushSlot,
  putSlot,
  slotsThatHold,
} from '../lib/planes';
import { addressHash, draw, multiplyHigh, reduce, seedRandom } from '../lib/random';
import { sampled } from '../lib/sample';
import {
  Count,
  Count0,
  Count1,
  Count2,
  Count3,
  Count4,
  Count5,
  Count6,
  Count7,
  FixedWidth,
  FullWidth,
  Width,
} from '../lib/widths';

/** Slots of the parameters. */
export const QHT_SLOT_BITS_PARAMETER: u32 = FAMILY_PARAMETER;
export const QHT_SLOTS_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const QHT_BUCKETS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const QHT_EVICTION_PARAMETER: u32 = FAMILY_PARAMETER + 3;
export const QHT_ENTRY_DEPTH_PARAMETER: u32 = FAMILY_PARAMETER + 4;

/** Widths of a slot: a cache line stores at least one whole byte of each slot, and a value has at most 32 bits. */
export const QHT_MIN_CACHE_LINE_SLOT_BITS: u32 = 8;
export const QHT_MAX_SLOT_BITS: u32 = 32;

/** With this width, a cache line holds as many slots as it has bits for. With others, each bit plane takes whole bytes. */
export const QHT_FULL_SLOT_BITS: u32 = 12;
/** The slots of a cache line of this width whose bit planes take whole bytes. */
const WHOLE_PLANES_SLOTS: u32 = 40;

/** The eviction policies of a full bucket. */
export const QHT_LRU: u32 = 0;
export const QHT_FIFO: u32 = 1;
export const QHT_RANDOM: u32 = 2;

/** s. */
let slotBits: u32 = 0;
/** k. */
let slotCount: u32 = 0;
/** N. */
let bucketCount: u64 = 0;
let eviction: u32 = 0;
/** j: the slot that a miss takes in a full bucket under `lru`; a hit takes slot 0. */
let entryDepth: u32 = 0;

/**
 * The value that represents an element in its slot, 1 to 2^s - 1, from 32 bits of its hash that are independent of its
 * bucket.
 */
function slotValue(hash: u32, bits: u32): u32 {
  return 1 + <u32>((<u64>hash * (~(<u64>0) >> <u64>(64 - bits))) >> 32);
}

/** The slot that an element replaces in a full bucket under `random`. */
function drawnSlot(index: u64): u32 {
  return reduce(draw(index, 0), slotCount);
}

/**
 * The papers' layout: buckets of k slots without gaps. A list has two locations: the word where the bucket begins, with
 * the element's slot value as its detail, and the word where it ends, with the bit of the first word where the bucket
 * begins as its detail. More locations follow for the cache lines between them.
 */
class ClassicRule extends Rule {
  listBytes(): u32 {
    return (2 + cacheLinesBetween()) * LOCATION_BYTES;
  }

  touchBytes(): u32 {
    return this.listBytes();
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const hash = addressHash(fingerprint, 0);
    const bits = slotCount * slotBits;
    const first = multiplyHigh(hash, bucketCount) * <u64>bits;
    const end = listLocation(at, wordOfBit(first), slotValue(<u32>(foldedHash(hash) >> 32), slotBits));
    let more = listLocation(end, wordOfBit(first + bits - 1), <u32>first & 63);
    for (let cacheLine: u32 = 1; cacheLine <= cacheLinesBetween(); cacheLine++) {
      more = listLocation(more, wordOfBit(first + cacheLine * CACHE_LINE_BITS), 0);
    }
  }

  slot(at: u32, i: u32): u32 {
    return packedSlot(locationWord(at), locationDetail(at + LOCATION_BYTES) + i * slotBits, slotBits);
  }

  setSlot(at: u32, i: u32, value: u32): void {
    setPackedSlot(locationWord(at), locationDetail(at + LOCATION_BYTES) + i * slotBits, slotBits, value);
  }

  /** The first slot that holds the value; k if there is none. */
  find(at: u32, value: u32): u32 {
    let i: u32 = 0;
    while (i < slotCount && this.slot(at, i) != value) i++;
    return i;
  }

  test(at: u32): u32 {
    return u32(this.find(at, locationDetail(at)) < slotCount);
  }

  observe(at: u32, index: u64): u32 {
    const value = locationDetail(at);
    const held = this.find(at, value);
    const isHeld = held < slotCount;
    if (eviction == QHT_LRU && isHeld) {
      this.push(at, 0, held, value);
    } else if (eviction != QHT_RANDOM) {
      const isFull = entryDepth > 0 && this.slot(at, slotCount - 1) != 0;
      this.push(at, isFull ? entryDepth : 0, slotCount - 1, value);
    } else if (!isHeld) {
      const free = this.find(at, 0);
      this.setSlot(at, free < slotCount ? free : drawnSlot(index), value);
    }
    return u32(isHeld);
  }

  /** Moves the slots from `first` to below `last` up by one, over slot `last`, and stores the value in slot `first`. */
  push(at: u32, first: u32, last: u32, value: u32): void {
    for (let i = last; i > first; i--) this.setSlot(at, i, this.slot(at, i - 1));
    this.setSlot(at, first, value);
  }
}

/** Cache lines that the words of a classic bucket may have between its first and its last. */
function cacheLinesBetween(): u32 {
  return (slotCount * slotBits - 1) / CACHE_LINE_BITS;
}

function wordOfBit(bit: u64): u32 {
  return cellsOffset() + ((<u32>(bit >> 6)) << 3);
}

/** A width known only when the detector is configured, for code that does not need to be fast. */
class AnyWidth extends Width {
  bytes(): u32 {
    return slotBits >> 3;
  }

  bits(): u32 {
    return slotBits & 7;
  }

  slots(): u32 {
    return slotCount;
  }
}

/** A bucket is a cache line. A list is the location of the cache line, with the element's slot value as its detail. */
abstract class CacheLineRule<W extends Width> extends Rule {
  listBytes(): u32 {
    return LOCATION_BYTES;
  }

  touchBytes(): u32 {
    return LOCATION_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const width = changetype<W>(0);
    const anchor = cacheLineAnchor(fingerprint);
    // There are at most 2^26 cache lines, and the upper bits of the hash select the cache line.
    listLocation(at, homeCacheLine(anchor), slotValue(<u32>anchor, 8 * width.bytes() + width.bits()));
  }

  test(at: u32): u32 {
    return u32(slotsThatHold<W>(locationWord(at), locationDetail(at)) != 0);
  }
}

/**
 * Stores a value at the entry depth of a full cache line; returns whether the cache line is full. It is compiled once for all
 * widths.
 */
function entersFullCacheLine(cacheLine: u32, value: u32): bool {
  if (!isSlotUsed<AnyWidth>(cacheLine, slotCount - 1)) return false;
  insertSlot<AnyWidth>(cacheLine, entryDepth, value);
  return true;
}

/** Slot 0 is the newest. `lru` and `fifo` differ in the slot that is pushed out. */
class QueueRule<W extends Width> extends CacheLineRule<W> {
  observe(at: u32, index: u64): u32 {
    const cacheLine = locationWord(at);
    const value = locationDetail(at);
    const held = slotsThatHold<W>(cacheLine, value);
    if (entryDepth > 0 && held == 0 && entersFullCacheLine(cacheLine, value)) return 0;
    const lastSlot = (<u64>1) << (<u64>(changetype<W>(0).slots() - 1));
    pushSlot<W>(cacheLine, <u32>ctz((eviction == QHT_LRU ? held : 0) | lastSlot), value);
    return u32(held != 0);
  }
}

class RandomRule extends CacheLineRule<AnyWidth> {
  observe(at: u32, index: u64): u32 {
    const cacheLine = locationWord(at);
    const value = locationDetail(at);
    const held = slotsThatHold<AnyWidth>(cacheLine, value);
    const free = slotsThatHold<AnyWidth>(cacheLine, 0);
    const drawn = (<u64>1) << (<u64>drawnSlot(index));
    putSlot<AnyWidth>(cacheLine, <u32>ctz(held ? held : free ? free : drawn), value);
    return u32(held != 0);
  }
}

/**
 * A store retires before its cache line has arrived, a load does not. So the cache lines of stores can still arrive while the third
 * pass begins. The value to store must be known without the cache line: it goes to a byte that belongs to no slot.
 */
class CacheLineTouch<W extends Width> extends Touch {
  cacheLine(word: u32): u64 {
    if (!isLastByteSpare<W>()) return load<u64>(word);
    store<u8>(word, 0, CACHE_LINE_BYTES - 1);
    return 0;
  }
}

type Observer = (fingerprints: u32, verdicts: u32, count: u32) => u32;

function observer<R extends Rule>(): Observer {
  return (fingerprints: u32, verdicts: u32, count: u32): u32 => observeBatch<R>(fingerprints, verdicts, count);
}

function queueObserver<W extends Width>(): Observer {
  return (fingerprints: u32, verdicts: u32, count: u32): u32 =>
    observeTouched<QueueRule<W>, CacheLineTouch<W>>(fingerprints, verdicts, count);
}

function observerOfBits<Bytes extends Count>(): Observer {
  const bits = slotBits & 7;
  if (bits == 1) return queueObserver<FixedWidth<Bytes, Count1>>();
  if (bits == 2) return queueObserver<FixedWidth<Bytes, Count2>>();
  if (bits == 3) return queueObserver<FixedWidth<Bytes, Count3>>();
  if (bits == 4) return queueObserver<FixedWidth<Bytes, Count4>>();
  if (bits == 5) return queueObserver<FixedWidth<Bytes, Count5>>();
  if (bits == 6) return queueObserver<FixedWidth<Bytes, Count6>>();
  if (bits == 7) return queueObserver<FixedWidth<Bytes, Count7>>();
  return queueObserver<FixedWidth<Bytes, Count0>>();
}

function blockedObserver(): Observer {
  if (eviction == QHT_RANDOM) return observer<RandomRule>();
  if (slotBits == QHT_FULL_SLOT_BITS && slotCount != WHOLE_PLANES_SLOTS) {
    return queueObserver<FullWidth<Count1, Count4>>();
  }
  const bytes = slotBits >> 3;
  if (bytes == 1) return observerOfBits<Count1>();
  if (bytes == 2) return observerOfBits<Count2>();
  if (bytes == 3) return observerOfBits<Count3>();
  return queueObserver<FixedWidth<Count4, Count0>>();
}

/** Chosen once, as a reference: direct calls would be inlined into one function too large to be compiled well. */
let observeAll: Observer = observer<ClassicRule>();

export function qhtConfigure(): void {
  seedRandom();
  slotBits = <u32>parameter(QHT_SLOT_BITS_PARAMETER);
  slotCount = <u32>parameter(QHT_SLOTS_PARAMETER);
  bucketCount = <u64>parameter(QHT_BUCKETS_PARAMETER);
  eviction = <u32>parameter(QHT_EVICTION_PARAMETER);
  entryDepth = <u32>parameter(QHT_ENTRY_DEPTH_PARAMETER);
  if (isBlocked()) {
    configureCacheLines();
    configurePlanes<AnyWidth>();
    observeAll = blockedObserver();
  }
}

export function qhtObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeAll(fingerprints, verdicts, count);
}

export function qhtTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testLayout<ClassicRule, RandomRule>(fingerprints, verdicts, count);
}

/** Empty slots of the first buckets. */
function emptySlots(buckets: u64): u64 {
  let empty: u64 = 0;
  if (isBlocked()) {
    const end = cellsOffset() + <u32>buckets * CACHE_LINE_BYTES;
    for (let cacheLine = cellsOffset(); cacheLine < end; cacheLine += CACHE_LINE_BYTES)
      empty += popcnt(slotsThatHold<AnyWidth>(cacheLine, 0));
    return empty;
  }
  const slots = buckets * slotCount;
  for (let slot: u64 = 0; slot < slots; slot++) {
    const bit = slot * slotBits;
    empty += u64(packedSlot(wordOfBit(bit), <u32>bit & 63, slotBits) == 0);
  }
  return empty;
}

/** Fraction of the slots of the first buckets that hold an element. */
function loadOf(buckets: u64): f64 {
  const slots = buckets * slotCount;
  return <f64>(slots - emptySlots(buckets)) / <f64>slots;
}

/** Fraction of the slots that hold an element. */
export function qhtLoad(): f64 {
  return loadOf(bucketCount);
}

/** The same of a sample. */
export function qhtFullness(): f64 {
  return loadOf(sampled(bucketCount, isBlocked() ? CACHE_LINE_BITS : slotCount * slotBits));
}
