// The ages of elements as the window of the detector counts them: in elements of the stream, in elements that were
// added, or in milliseconds of the clock. The witness needs them to know which repeats the window covers. They follow from the
// verdicts and the times, so no family knows about them.

import { DUPLICATES_REGISTER, OBSERVED_REGISTER, register, TIMES_OFFSET } from './memory';

/** The units in which a window counts. */
export const WINDOW_NONE: u32 = 0;
export const WINDOW_ELEMENTS: u32 = 1;
export const WINDOW_ADDS: u32 = 2;
export const WINDOW_TIME: u32 = 3;

let unit: u32 = WINDOW_NONE;
/** The oldest age that the window covers. */
let oldest: u64 = 0;
let refreshes: u32 = 0;

/** The verdicts of the current batch, and whether its elements have their own times. */
let verdicts: u32 = 0;
let hasTimes: bool = false;
/** The index in the batch up to which was counted, and the count in the window's unit before it. */
let counted: u32 = 0;
let now: u64 = 0;

export function configureAges(windowUnit: u32, windowSize: f64, refresh: u32): void {
  unit = windowUnit;
  oldest = <u64>windowSize;
  refreshes = refresh;
}

/** Elements reported distinct, from index `from` of the batch up to `to`. A verdict is a byte, 0 or 1. */
function distinctIn(from: u32, to: u32): u64 {
  let duplicates: u64 = 0;
  let index = from;
  for (; index + 8 <= to; index += 8) duplicates += popcnt(load<u64>(verdicts + index));
  for (; index < to; index++) duplicates += load<u8>(verdicts + index);
  return <u64>(to - from) - duplicates;
}

/**
 * Starts to count a batch of `count` elements that the detector has just observed. `clock` is the detector's clock
 * before the batch.
 */
export function startAges(batchVerdicts: u32, count: u32, clock: f64, timed: bool): void {
  verdicts = batchVerdicts;
  hasTimes = timed;
  counted = 0;
  if (unit == WINDOW_ELEMENTS) now = register(OBSERVED_REGISTER) - count;
  if (unit == WINDOW_ADDS) now = register(OBSERVED_REGISTER) - register(DUPLICATES_REGISTER) - distinctIn(0, count);
  if (unit == WINDOW_TIME) now = <u64>clock;
}

/**
 * Returns the time of the element at `index` of the batch, in the window's unit: one more than the window had counted
 * before it, so never 0. Calls must have ascending indexes.
 */
export function cameAt(index: u32): u64 {
  if (unit == WINDOW_ELEMENTS) now += index - counted;
  if (unit == WINDOW_ADDS) now += distinctIn(counted, index);
  if (unit == WINDOW_TIME && hasTimes) {
    // The clock never goes back: a late element counts as current.
    for (let i = counted; i <= index; i++) now = max(now, <u64>load<f64>(TIMES_OFFSET + (i << 3)));
  }
  counted = index;
  return now + 1;
}

/**
 * Returns the time at which an element was last added, if it was added at `before` (0: never) and came again at `came`.
 */
export function addedAt(before: u64, came: u64, verdict: u32): u64 {
  return select<u64>(came, before, <bool>((verdict ^ 1) | refreshes));
}

/** Tells if the window covers an element that was added at `added`, 0 if it never was. */
export function isCovered(added: u64, came: u64): u64 {
  return u64(i32(added != 0) & i32(came <= added + oldest));
}
