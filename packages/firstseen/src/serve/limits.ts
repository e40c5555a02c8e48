// The memory that a server takes for its detectors if it is not told.

import { totalmem } from 'node:os';
import { limitsHere } from '../io/system/limits.js';

/** The rest is for connections, for snapshots and for what Node needs. */
const SHARE_OF_DETECTORS = 0.7;

/** A share of the memory of the container, or of the machine. */
export function defaultMemoryBytes(): number {
  return Math.floor((limitsHere().memoryBytes ?? totalmem()) * SHARE_OF_DETECTORS);
}
