// The home of a detector in a memory that has several: a partition (partitions.ts), or a detector of a pool. The families know one
// detector, with its cells where the parameters say and its registers at REGISTERS_OFFSET.

import { CELLS_OFFSET_PARAMETER, REGISTERS_BYTES, REGISTERS_OFFSET, setParameter } from './memory';

/** Makes the detector with these cells and these registers the current one. The host must configure the family before it uses it. */
export function homeEnter(cells: u32, registers: u32): void {
  memory.copy(REGISTERS_OFFSET, registers, REGISTERS_BYTES);
  setParameter(CELLS_OFFSET_PARAMETER, <f64>cells);
}

/** Stores the registers of the current detector. */
export function homeLeave(registers: u32): void {
  memory.copy(registers, REGISTERS_OFFSET, REGISTERS_BYTES);
}
