// Batches whose elements have their own times. The host stores the times at TIMES_OFFSET.

import { OBSERVED_REGISTER, register, TIMES_OFFSET } from './memory';

/** True if the elements of the current batch have their own times. */
export let hasTimes: bool = false;
/** Index of the first element of the current batch. */
let batchStart: u64 = 0;

export function beginTimes(): void {
  hasTimes = true;
  batchStart = register(OBSERVED_REGISTER);
}

export function endTimes(): void {
  hasTimes = false;
}

/** The time of element number `index`, which is in a batch with times, in milliseconds. */
export function ownTime(index: u64): u64 {
  return <u64>load<f64>(TIMES_OFFSET + ((<u32>(index - batchStart)) << 3));
}
