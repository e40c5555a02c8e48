// Age-Partitioned Bloom Filter (arXiv 2001.03147): a ring of k + l slices. An add sets one bit in each of the k
// youngest slices. When the ring turns, its oldest slice is cleared and becomes the youngest. An element is a duplicate
// when k consecutive slices contain its bits. The ring turns after g adds. With a clock that the host sets, it also turns
// by the time; the kernel reads no clock.

import { LOCATION_BYTES, observeLayout, Rule, testLayout } from '../lib/batch';
import {
  CACHE_LINE_BYTES,
  cacheLineListBytes,
  configureCacheLines,
  listedCacheLine,
  listInCacheLine,
} from '../lib/cachelines';
import {
  cellsOffset,
  FAMILY_PARAMETER,
  FAMILY_REGISTER,
  isBlocked,
  parameter,
  register,
  setRegister,
} from '../lib/memory';
import { seedRandom } from '../lib/random';
import {
  addToYoung,
  chooseYoung,
  configureSlices,
  emptySlice,
  listSlices,
  MAX_SLICES,
  sliceListBytes,
  slicesHolding,
  slicesLoad,
} from '../lib/slices';
import { beginTimes, endTimes, hasTimes, ownTime } from '../lib/timedbatch';

/** Parameter slots. */
export const APBF_YOUNG_SLICES_PARAMETER: u32 = FAMILY_PARAMETER;
export const APBF_OLDER_SLICES_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const APBF_GENERATION_ELEMENTS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const APBF_REFRESH_PARAMETER: u32 = FAMILY_PARAMETER + 3;
export const APBF_GENERATION_MILLISECONDS_PARAMETER: u32 = FAMILY_PARAMETER + 4;
export const APBF_BUNDLED_SLICES_PARAMETER: u32 = FAMILY_PARAMETER + 5;

/**
 * Registers: turns so far, adds since the last turn, and the largest time seen, in milliseconds. With a clock also the turns that came
 * before their time, because a generation was full.
 */
const TURNS: u32 = FAMILY_REGISTER;
const ADDS: u32 = FAMILY_REGISTER + 1;
const CLOCK: u32 = FAMILY_REGISTER + 2;
export const APBF_SHORTENED_REGISTER: u32 = FAMILY_REGISTER + 3;

/**
 * A cache line of the blocked layout: four planes with one byte for each slice, then the number of turns at its last write.
 */
export const APBF_CACHE_LINE_SLICES: u32 = 15;
const STAMP_BYTE: u32 = 60;
/** 16-bit hashes that an element lists after its cache line: one byte per slice selects the element's bit. */
const HASHES: u32 = 8;
const LISTED_HASHES: u32 = 8;
/** Bits of one slice in one cache line: one byte in each of the four planes. */
export const APBF_PART_BITS: u32 = 32;

/** k. */
let youngCount: u32 = 0;
/** k + l. */
let sliceCount: u32 = 0;
/** g. */
let maxAdds: u64 = 0;
/** 1 if duplicates are added again, else 0. */
let refreshes: u32 = 0;
/** Milliseconds between two turns by the clock; 0 if only adds turn the ring. */
let generationMilliseconds: u64 = 0;

let cells: u32 = 0;
let cacheLineCount: u32 = 0;

/** The youngest slice; older slices follow it in the ring. */
let youngest: u32 = 0;

function locateYoungest(): void {
  const turned = <u32>(register(TURNS) % sliceCount);
  youngest = turned == 0 ? 0 : sliceCount - turned;
  if (!isBlocked()) chooseYoung(youngest);
}

/** Turns the ring. As many turns as it has slices, or more, clear it. */
function turn(turns: u64): void {
  const emptied = <u32>min<u64>(turns, sliceCount);
  for (let i: u32 = 0; i < emptied; i++) {
    setRegister(TURNS, register(TURNS) + 1);
    locateYoungest();
    // Cache lines are cleared when they are next used: clearing all of them would cost more than the adds of a generation.
    if (!isBlocked()) emptySlice(youngest);
  }
  setRegister(ADDS, 0);
}

/** The clock never goes back: a late element counts as current. */
function advance(time: u64): void {
  const before = register(CLOCK);
  if (time <= before) return;
  setRegister(CLOCK, time);
  const turns = time / generationMilliseconds - before / generationMilliseconds;
  // An unused ring does not need to turn, for example when the first time moves the clock from zero to today.
  const isFresh = register(TURNS) == 0 && register(ADDS) == 0;
  if (turns > 0 && !isFresh) turn(turns);
}

/** Converts bits by slice (bit s for slice s) to bits by age (bit a for the slice of age a). */
function byAge(hits: u64): u64 {
  const slices = ~(<u64>0) >> <u64>(MAX_SLICES - sliceCount);
  const bySlice = hits & slices;
  return ((bySlice >> <u64>youngest) | (bySlice << (<u64>(sliceCount - youngest)))) & slices;
}

/** Returns 1 if k consecutive bits are set, else 0. */
function hasRun(hits: u64): u32 {
  let runs = hits;
  for (let length: u32 = 1; length < youngCount; ) {
    const step = min(length, youngCount - length);
    runs &= runs >> <u64>step;
    length += step;
  }
  return u32(runs != 0);
}

/** Counts an add. If the generation is full, turns the ring first: more adds would exceed the rate, and new elements be lost. */
function countAdd(added: u32): void {
  if (added && register(ADDS) >= maxAdds) {
    turn(1);
    if (generationMilliseconds > 0) setRegister(APBF_SHORTENED_REGISTER, register(APBF_SHORTENED_REGISTER) + 1);
  }
  setRegister(ADDS, register(ADDS) + added);
}

function keepTime(index: u64): void {
  if (hasTimes) advance(ownTime(index));
}

/** Slices with independent hashes, in bundles. A list holds the element's location in each bundle. */
class Classic extends Rule {
  listBytes(): u32 {
    return sliceListBytes();
  }

  touchBytes(): u32 {
    return sliceListBytes();
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    listSlices(fingerprint, at);
  }

  test(at: u32): u32 {
    return hasRun(byAge(slicesHolding(at)));
  }

  observe(at: u32, index: u64): u32 {
    keepTime(index);
    const verdict = this.test(at);
    const added = (verdict ^ 1) | refreshes;
    countAdd(added);
    addToYoung(at, added);
    return verdict;
  }
}

/** The age of each lane's slice; 255 for lanes without a slice. */
function lanesByAge(): v128 {
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const first = i8x16.splat(<i8>youngest);
  const count = i8x16.splat(<i8>sliceCount);
  const around = v128.and(i8x16.lt_u(lanes, first), count);
  return v128.or(i8x16.add(i8x16.sub(lanes, first), around), i8x16.ge_u(lanes, count));
}

/** The lanes whose age is less than `age`. */
function lanesUnder(age: u32): v128 {
  return i8x16.lt_u(lanesByAge(), i8x16.splat(<i8>age));
}

/** The bits of an element in plane `plane`, given its bit in each slice, 0 to 31. */
function planeBits(bits: v128, plane: u32): v128 {
  const powers = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  return i8x16.swizzle(powers, i8x16.sub(bits, i8x16.splat(<i8>(plane << 3))));
}

/**
 * The number of turns since a cache line was written, at most the number of slices. The cache line stores the count of turns modulo
 * 2^32. The slices that turned since contain outdated bits.
 */
function turnsMissed(cacheLine: u32): u32 {
  return min(<u32>register(TURNS) - load<u32>(cacheLine, STAMP_BYTE), sliceCount);
}

/**
 * Clears the outdated slices of a plane and sets bits in it. The last lane of the vector is the first byte of the next
 * plane and stays unchanged.
 */
function writePlane(cacheLine: u32, plane: u32, forgotten: v128, bits: v128, young: v128): void {
  const at = cacheLine + plane * APBF_CACHE_LINE_SLICES;
  const kept = v128.andnot(v128.load(at), forgotten);
  v128.store(at, v128.or(kept, v128.and(planeBits(bits, plane), young)));
}

/**
 * Every cache line contains a part of every slice. A list is the element's cache line, then one byte per slice that selects the
 * element's bit.
 */
class Blocked extends Rule {
  listBytes(): u32 {
    return cacheLineListBytes(HASHES, 0);
  }

  touchBytes(): u32 {
    return LOCATION_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    listInCacheLine(fingerprint, HASHES, at);
  }

  bits(at: u32): v128 {
    return v128.and(v128.load(at + LISTED_HASHES), i8x16.splat(<i8>(APBF_PART_BITS - 1)));
  }

  test(at: u32): u32 {
    const cacheLine = listedCacheLine(at);
    const bits = this.bits(at);
    const low = v128.or(
      v128.and(v128.load(cacheLine), planeBits(bits, 0)),
      v128.and(v128.load(cacheLine, 15), planeBits(bits, 1)),
    );
    const high = v128.or(
      v128.and(v128.load(cacheLine, 30), planeBits(bits, 2)),
      v128.and(v128.load(cacheLine, 45), planeBits(bits, 3)),
    );
    const hits = <u64>i8x16.bitmask(i8x16.ne(v128.or(low, high), i8x16.splat(0)));
    return hasRun(byAge(hits) & (~(<u64>0) << (<u64>turnsMissed(cacheLine))));
  }

  observe(at: u32, index: u64): u32 {
    keepTime(index);
    const verdict = this.test(at);
    const added = (verdict ^ 1) | refreshes;
    countAdd(added);
    const cacheLine = listedCacheLine(at);
    const bits = this.bits(at);
    const forgotten = lanesUnder(turnsMissed(cacheLine));
    const young = lanesUnder(added ? youngCount : 0);
    for (let plane: u32 = 0; plane < 4; plane++) writePlane(cacheLine, plane, forgotten, bits, young);
    store<u32>(cacheLine, <u32>register(TURNS), STAMP_BYTE);
    return verdict;
  }
}

export function apbfConfigure(): void {
  seedRandom();
  youngCount = <u32>parameter(APBF_YOUNG_SLICES_PARAMETER);
  sliceCount = youngCount + <u32>parameter(APBF_OLDER_SLICES_PARAMETER);
  generationMilliseconds = <u64>parameter(APBF_GENERATION_MILLISECONDS_PARAMETER);
  maxAdds = <u64>parameter(APBF_GENERATION_ELEMENTS_PARAMETER);
  refreshes = <u32>parameter(APBF_REFRESH_PARAMETER);
  cells = cellsOffset();
  cacheLineCount = configureCacheLines();
  if (!isBlocked()) configureSlices(youngCount, sliceCount, <u32>parameter(APBF_BUNDLED_SLICES_PARAMETER));
}

/** Moves the clock forward, and turns the ring accordingly. Only valid for a detector whose clock turns the ring. */
export function apbfAdvance(milliseconds: f64): void {
  locateYoungest();
  advance(<u64>milliseconds);
}

/** The number of elements for which the ring cannot turn, whatever they are. */
export function apbfSteady(): f64 {
  const adds = register(ADDS);
  return adds < maxAdds ? <f64>(maxAdds - adds) : 0;
}

/** Turns that came before their time, because a generation was full. */
export function apbfShortened(): f64 {
  return <f64>register(APBF_SHORTENED_REGISTER);
}

/** The largest time seen, in milliseconds; 0 before the first. */
export function apbfClock(): f64 {
  return <f64>register(CLOCK);
}

/** Sets the clock back. What is in the ring stays, and ages from then on. */
export function apbfSetClock(milliseconds: f64): void {
  setRegister(CLOCK, <u64>milliseconds);
}

export function apbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  locateYoungest();
  return observeLayout<Classic, Blocked>(fingerprints, verdicts, count);
}

/** Observes each element at its time, which the host has stored at TIMES_OFFSET. */
export function apbfObserveTimed(fingerprints: u32, verdicts: u32, count: u32): u32 {
  beginTimes();
  const taken = apbfObserve(fingerprints, verdicts, count);
  endTimes();
  return taken;
}

export function apbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  locateYoungest();
  testLayout<Classic, Blocked>(fingerprints, verdicts, count);
}

function cacheLineOnes(cacheLine: u32): u64 {
  const kept = v128.not(v128.or(lanesUnder(turnsMissed(cacheLine)), i8x16.eq(lanesByAge(), i8x16.splat(-1))));
  let ones: u64 = 0;
  for (let plane: u32 = 0; plane < 4; plane++) {
    const bits = v128.and(v128.load(cacheLine + plane * APBF_CACHE_LINE_SLICES), kept);
    ones += popcnt(i64x2.extract_lane(bits, 0)) + popcnt(i64x2.extract_lane(bits, 1));
  }
  return ones;
}

/** Fraction of set bits over all slices. */
export function apbfLoad(): f64 {
  locateYoungest();
  if (!isBlocked()) return slicesLoad();
  let ones: u64 = 0;
  for (let i: u32 = 0; i < cacheLineCount; i++) ones += cacheLineOnes(cells + i * CACHE_LINE_BYTES);
  return <f64>ones / (<f64>cacheLineCount * <f64>sliceCount * <f64>APBF_PART_BITS);
}
