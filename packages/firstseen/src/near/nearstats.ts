// What a detector of near-duplicates reports about itself.

import type { DetectorName } from '../kernel/abi.js';

/** The counts of near-duplicate detection so far. */
export interface NearStats {
  /** Documents observed, and the number of them that were reported duplicate. */
  observed: number;
  /** Documents that were reported duplicate. */
  duplicates: number;
  /** Sets that were opened. */
  sets: number;
}

/** The description of a detector of near-duplicates, for logs. */
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
