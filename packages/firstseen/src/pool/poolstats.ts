// What a pool reports about itself.

import type { LayoutName } from '../detectors/contract.js';
import type { DetectorName } from '../kernel/abi.js';

/** The contents of a pool, and its counts so far. */
export interface PoolStats {
  /** The detectors that are in the pool. */
  detectors: number;
  /** The detectors for which the memory has room. */
  maxDetectors: number;
  /** Bytes that one detector takes of the memory: those of its cells, its witness and its registers. */
  detectorBytes: number;
  /** The memory asked for. */
  memoryBytes: number;
  /** Bytes that were taken for detectors so far, used or free. They are given back when the pool is cleared. */
  takenBytes: number;
  /** The detectors that left the pool because it was full. */
  evicted: number;
}

/** A pool in logs. */
export interface PoolDescription extends PoolStats {
  /** The algorithm of each detector. */
  algorithm: DetectorName;
  /** The arrangement of its cells in memory. */
  layout: LayoutName;
}
