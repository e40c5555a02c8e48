// The memory that a server takes for its detectors if it is not told.

import { totalmem } from 'node:os';
import { limitsHere } from '../io/system/limits.js';

/** The rest is for connections, for snapshots and for what Node needs. */
const SHARE_OF_DETECTORS = 0.7;

/** The memory of the container, or of the machine. */
export function machineMemoryBytes(): number {
  return limitsHere().memoryBytes ?? totalmem();
}

/** A share of it. */
export function defaultMemoryBytes(): number {
  return Math.floor(machineMemoryBytes() * SHARE_OF_DETECTORS);
}
