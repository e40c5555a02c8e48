// What a detector tells about itself.

import type { FingerprintName } from '../fingerprint/fingerprint.js';
import type { DetectorName } from '../kernel/abi.js';
import type { LayoutName, ParameterValue } from './contract.js';
import type { PartitionsStats } from './partitions.js';
import type { WitnessStats } from './witness.js';

/** What a detector is, and what it has done so far. */
export interface DetectorStats {
  /** The name of the family. */
  algorithm: DetectorName;
  /** How the cells are arranged in memory. */
  layout: LayoutName;
  /** The hash function from a key to 64 bits. */
  fingerprint: FingerprintName;
  /** The seed of all randomness. */
  seed: bigint;
  /** Parameters by the papers' letters, including derived ones. */
  parameters: Record<string, ParameterValue>;
  /** Elements observed or added. */
  observed: number;
  /** Observed elements that were reported duplicate. */
  duplicates: number;
  /** Fraction of ones, or of occupied entries. Each call counts over the whole memory. */
  load: number;
  /** Bytes asked for. */
  memoryBytes: number;
  /** Bytes of the cells: the bytes asked for, rounded down, unless the family counts memory in another way. */
  cellsBytes: number;
  /** Elements that a window had no room for: they passed, and their repeats may pass. Only of `pocketwindow`. */
  unstored?: number;
  /** Error rates measured on the stream, if there is a witness. */
  witness?: WitnessStats;
  /** Only of a detector of more than one partition. */
  partitions?: PartitionsStats;
}
