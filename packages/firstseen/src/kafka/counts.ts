// What a worker has done, for a monitor.

import type { Answer } from './observing.js';
import type { TimeCounts } from './windowclock.js';

export interface WorkerCounts {
  /** Records that were given out, by what they are. */
  records: Record<Answer, number>;
  /** Messages whose times are far behind the window, or ahead of the clock. */
  times: TimeCounts;
  /** Records that were observed again. */
  replayed: number;
  committed: number;
  aborted: number;
  /** Time that commits took. */
  commitSeconds: number;
  snapshots: number;
  failedSnapshots: number;
}

export function newCounts(): WorkerCounts {
  return {
    records: { distinct: 0, duplicate: 0, passed: 0, dropped: 0, tombstone: 0 },
    times: { late: 0, early: 0 },
    ...{ replayed: 0, committed: 0, aborted: 0, commitSeconds: 0, snapshots: 0, failedSnapshots: 0 },
  };
}
