// What a detector of near-duplicates reports about itself.

import type { DetectorName } from '../kernel/abi.js';

/** What near-duplicate detection has done so far. */
export interface NearStats {
  /** Documents observed, and the number of them that were reported duplicate. */
  observed: number;
  /** Documents that were reported duplicate. */
  duplicates: number;
  /** Sets that were opened. */
  sets: number;
}

/** What is logged of a detector of near-duplicates. */
export interface NearDescription extends NearStats {
  /** The name of the family of hashes. */
  algorithm: string;
  /** Hashes of a signature. */
  hashes: number;
  /** Bands of a signature. */
  bands: number;
  /** The algorithm of the table. */
  table: DetectorName;
  /** Bytes of the table. */
  memoryBytes: number;
}
