// What a detector tells about itself.

import type { ParameterValue } from './contract.js';
import type { PartitionsStats } from './partitions.js';
import type { WitnessStats } from './witness.js';

export interface DetectorStats {
  algorithm: string;
  layout: string;
  fingerprint: string;
  seed: bigint;
  /** Parameters by the papers' letters, including derived ones. */
  parameters: Record<string, ParameterValue>;
  /** Elements observed or added, and the number of them that were reported duplicate. */
  observed: number;
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
