// Age-Partitioned Bloom Filter (arXiv 2001.03147): a ring of k + l slices. An add sets one bit in each of the k youngest; when
// the ring turns, its oldest slice is emptied and is the youngest. An element is seen when k slices that follow one another
// in age hold its bits. The ring turns after g adds, or by a clock that the host sets: no clock is read here.

import { observeLayout, PLACE_BYTES, Rule, testLayout } from '../lib/batch';
import { configureLines, LINE_BYTES, lineListBytes, listedLine, listInLine } from '../lib/lines';
import {
  cellsOffset,
  FAMILY_PARAMETER,
  FAMILY_SLOT,
  isBlocked,
  OBSERVED_SLOT,
  parameter,
  setState,
  state,
  TIMES_OFFSET,
} from '../lib/memory';
import { seedRandom } from '../lib/random';
import {
  addToYoung,
  chooseYoung,
  configureSlices,
  emptySlice,
  listSlices,
  sliceListBytes,
  slicesHolding,
  slicesLoad,
} from '../lib/slices';

/** Slots of the state: turns so far, adds since the last turn, and the largest time seen, in milliseconds. */
/** Slots of the parameters. */
export const APBF_YOUNG_SLICES_PARAMETER: u32 = FAMILY_PARAMETER;
export const APBF_OLDER_SLICES_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const APBF_GENERATION_ELEMENTS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const APBF_REFRESH_PARAMETER: u32 = FAMILY_PARAMETER + 3;
export const APBF_GENERATION_MILLISECONDS_PARAMETER: u32 = FAMILY_PARAMETER + 4;
export const APBF_BUNDLED_SLICES_PARAMETER: u32 = FAMILY_PARAMETER + 5;

const TURNS: u32 = FAMILY_SLOT;
const ADDS: u32 = FAMILY_SLOT + 1;
const CLOCK: u32 = FAMILY_SLOT + 2;

/** A line of the blocked layout: four planes of a byte for each slice, then the number of turns when it was last written. */
const PLANE_BYTES: u32 = 15;
const STAMP_BYTE: u32 = 60;
/** Hashes of 16 bits that an element lists behind its line: a byte for each slice says which of the bits is its own. */
const HASHES: u32 = 8;
const LISTED_HASHES: u32 = 8;
/** Bits of one slice in one line: a byte in each plane. */
const PART_BITS: u32 = 32;

/** k. */
let youngCount: u32 = 0;
/** k + l. */
let sliceCount: u32 = 0;
/** g; without bound when the clock turns the ring. */
let mostAdds: u64 = 0;
/** 1 when duplicates are added again, else 0. */
let refreshes: u32 = 0;
/** Time between two turns by the clock; 0 when adds turn the ring. */
let generationMilliseconds: u64 = 0;

let cells: u32 = 0;
let lineCount: u32 = 0;

/** The youngest slice; the older ones follow it, round the ring. */
let youngest: u32 = 0;
/** Whether the elements of the batch at hand come at times of their own. */
let hasTimes: bool = false;
/** Number of the first element of the batch at hand. */
let batchStart: u64 = 0;

function placeRing(): void {
  const turned = <u32>(state(TURNS) % sliceCount);
  youngest = turned == 0 ? 0 : sliceCount - turned;
  if (!isBlocked()) chooseYoung(youngest);
}

/** Turns the ring; as many turns as it has slices, or more, empty it. */
function turn(turns: u64): void {
  const emptied = <u32>min<u64>(turns, sliceCount);
  for (let i: u32 = 0; i < emptied; i++) {
    setState(TURNS, state(TURNS) + 1);
    placeRing();
    // Lines are emptied when they are next met: going over all of them would cost more than the adds of a generation.
    if (!isBlocked()) emptySlice(youngest);
  }
  setState(ADDS, 0);
}

/** The clock never goes back: what comes late counts as coming now. */
function advance(time: u64): void {
  const before = state(CLOCK);
  if (time <= before) return;
  setState(CLOCK, time);
  const turns = time / generationMilliseconds - before / generationMilliseconds;
  // A ring that never held anything need not turn, as when the first time takes the clock from zero to today.
  const isFresh = state(TURNS) == 0 && state(ADDS) == 0;
  if (turns > 0 && !isFresh) turn(turns);
}

/** Bit a of the result is the slice of age a, given bit s for slice s. */
function byAge(hits: u64): u64 {
  const slices = ~(<u64>0) >> <u64>(64 - sliceCount);
  const bySlice = hits & slices;
  return ((bySlice >> <u64>youngest) | (bySlice << (<u64>(sliceCount - youngest)))) & slices;
}

/** 1 when k bits that follow one another are set, else 0. */
function hasRun(hits: u64): u32 {
  let runs = hits;
  for (let length: u32 = 1; length < youngCount; ) {
    const step = min(length, youngCount - length);
    runs &= runs >> <u64>step;
    length += step;
  }
  return u32(runs != 0);
}

/** Counts an add, and turns the ring before it when the generation is full. */
function countAdd(added: u32): void {
  if (added && state(ADDS) >= mostAdds) turn(1);
  setState(ADDS, state(ADDS) + added);
}

function keepTime(index: u64): void {
  if (hasTimes) advance(<u64>load<f64>(TIMES_OFFSET + ((<u32>(index - batchStart)) << 3)));
}

/** Slices of their own hashes, in bundles; a list holds an element's place in each bundle. */
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

/** For each lane the age of its slice; 255 where there is none. */
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

/** The bits of plane `plane` that an element has, given its bit in each slice, 0 to 31. */
function planeBits(bits: v128, plane: u32): v128 {
  const powers = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  return i8x16.swizzle(powers, i8x16.sub(bits, i8x16.splat(<i8>(plane << 3))));
}

/** How many slices turned since a line was written, its own count read modulo 2^32; these hold what is long forgotten. */
function turnsMissed(line: u32): u32 {
  return min(<u32>state(TURNS) - load<u32>(line, STAMP_BYTE), sliceCount);
}

/** Empties the forgotten slices of a plane and sets bits in it. A plane's last lane is the first of the next, left as it is. */
function writePlane(line: u32, plane: u32, forgotten: v128, bits: v128, young: v128): void {
  const at = line + plane * PLANE_BYTES;
  const kept = v128.andnot(v128.load(at), forgotten);
  v128.store(at, v128.or(kept, v128.and(planeBits(bits, plane), young)));
}

/** A part of every slice in every line; a list is the element's line, then a byte for its bit in each slice. */
class Blocked extends Rule {
  listBytes(): u32 {
    return lineListBytes(HASHES, 0);
  }

  touchBytes(): u32 {
    return PLACE_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    listInLine(fingerprint, HASHES, at);
  }

  bits(at: u32): v128 {
    return v128.and(v128.load(at + LISTED_HASHES), i8x16.splat(<i8>(PART_BITS - 1)));
  }

  test(at: u32): u32 {
    const line = listedLine(at);
    const bits = this.bits(at);
    const low = v128.or(
      v128.and(v128.load(line), planeBits(bits, 0)),
      v128.and(v128.load(line, 15), planeBits(bits, 1)),
    );
    const high = v128.or(
      v128.and(v128.load(line, 30), planeBits(bits, 2)),
      v128.and(v128.load(line, 45), planeBits(bits, 3)),
    );
    const hits = <u64>i8x16.bitmask(i8x16.ne(v128.or(low, high), i8x16.splat(0)));
    return hasRun(byAge(hits) & (~(<u64>0) << (<u64>turnsMissed(line))));
  }

  observe(at: u32, index: u64): u32 {
    keepTime(index);
    const verdict = this.test(at);
    const added = (verdict ^ 1) | refreshes;
    countAdd(added);
    const line = listedLine(at);
    const bits = this.bits(at);
    const forgotten = lanesUnder(turnsMissed(line));
    const young = lanesUnder(added ? youngCount : 0);
    for (let plane: u32 = 0; plane < 4; plane++) writePlane(line, plane, forgotten, bits, young);
    store<u32>(line, <u32>state(TURNS), STAMP_BYTE);
    return verdict;
  }
}

export function apbfConfigure(): void {
  seedRandom();
  youngCount = <u32>parameter(APBF_YOUNG_SLICES_PARAMETER);
  sliceCount = youngCount + <u32>parameter(APBF_OLDER_SLICES_PARAMETER);
  generationMilliseconds = <u64>parameter(APBF_GENERATION_MILLISECONDS_PARAMETER);
  mostAdds = generationMilliseconds > 0 ? u64.MAX_VALUE : <u64>parameter(APBF_GENERATION_ELEMENTS_PARAMETER);
  refreshes = <u32>parameter(APBF_REFRESH_PARAMETER);
  cells = cellsOffset();
  lineCount = configureLines();
  if (!isBlocked()) configureSlices(youngCount, sliceCount, <u32>parameter(APBF_BUNDLED_SLICES_PARAMETER));
}

/** Moves the clock forward, and the ring with it; only for a detector whose clock turns the ring. */
export function apbfAdvance(milliseconds: f64): void {
  placeRing();
  advance(<u64>milliseconds);
}

export function apbfObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  placeRing();
  return observeLayout<Classic, Blocked>(fingerprints, verdicts, count);
}

/** Observes each element at its time, which stands at TIMES_OFFSET. */
export function apbfObserveTimed(fingerprints: u32, verdicts: u32, count: u32): u32 {
  hasTimes = true;
  batchStart = state(OBSERVED_SLOT);
  const taken = apbfObserve(fingerprints, verdicts, count);
  hasTimes = false;
  return taken;
}

export function apbfTest(fingerprints: u32, verdicts: u32, count: u32): void {
  placeRing();
  testLayout<Classic, Blocked>(fingerprints, verdicts, count);
}

function lineOnes(line: u32): u64 {
  const kept = v128.not(v128.or(lanesUnder(turnsMissed(line)), i8x16.eq(lanesByAge(), i8x16.splat(-1))));
  let ones: u64 = 0;
  for (let plane: u32 = 0; plane < 4; plane++) {
    const bits = v128.and(v128.load(line + plane * PLANE_BYTES), kept);
    ones += popcnt(i64x2.extract_lane(bits, 0)) + popcnt(i64x2.extract_lane(bits, 1));
  }
  return ones;
}

/** Fraction of ones over all slices. */
export function apbfLoad(): f64 {
  placeRing();
  if (!isBlocked()) return slicesLoad();
  let ones: u64 = 0;
  for (let i: u32 = 0; i < lineCount; i++) ones += lineOnes(cells + i * LINE_BYTES);
  return <f64>ones / (<f64>lineCount * <f64>sliceCount * <f64>PART_BITS);
}
