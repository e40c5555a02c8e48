// What a run counts.

import type { ExceptionCounts } from './exceptions.js';

/** Counts of a run, over all its inputs and resumptions. */
export interface RunCounts extends ExceptionCounts {
  records: number;
  distinct: number;
  duplicates: number;
  passed: number;
  dropped: number;
  bytes_in: number;
  bytes_out: number;
}

export const noCounts: Readonly<RunCounts> = {
  records: 0,
  distinct: 0,
  duplicates: 0,
  passed: 0,
  dropped: 0,
  missing_key: 0,
  invalid: 0,
  too_long: 0,
  bytes_in: 0,
  bytes_out: 0,
};
