// The home of a detector in a memory that has several: a partition (partitions.ts), or a detector of a pool. The families know one
// detector, with its cells where the parameters say and its state at STATE_OFFSET.

import { CELLS_OFFSET_PARAMETER, STATE_BYTES, STATE_OFFSET, setParameter } from './memory';

/** Makes the detector with these cells and this state the current one. The host must configure the family before it uses it. */
export function homeEnter(cells: u32, state: u32): void {
  memory.copy(STATE_OFFSET, state, STATE_BYTES);
  setParameter(CELLS_OFFSET_PARAMETER, <f64>cells);
}

/** Stores the state of the current detector. */
export function homeLeave(state: u32): void {
  memory.copy(state, STATE_OFFSET, STATE_BYTES);
}
