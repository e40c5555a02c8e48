// The facts that the report of a run shows: what it noted of its records, its summary, and what it said.

import type { RunReview } from '../../review/facts.js';
import type { RunStats } from '../../run/stats.js';
import type { LogEntry } from '../exit.js';
import type { RateFact } from '../summary.js';

/** The figures of a run that its report shows apart from the summary. */
export type ReportCounts = Pick<
  RunStats,
  'records' | 'distinct' | 'duplicates' | 'passed' | 'dropped' | 'seconds' | 'memoryBytes' | 'interrupted' | 'resumed'
> & { error: string | null };

export interface ReportFacts {
  /** The command without its options. */
  command: string;
  version: string;
  /** The time at which the run ended, as text. */
  endedAt: string;
  /** Undefined if the run did not begin. */
  counts?: ReportCounts | undefined;
  /** The summary, a label and a text each. */
  summary: readonly (readonly [string, string])[];
  /** The error rates that the witness measured. */
  rates: readonly RateFact[];
  /** True if the answers have no errors. */
  isExact: boolean;
  /** Undefined if the run did not begin, or had nothing to do. */
  review?: RunReview | undefined;
  /** Warnings, notices, and the message that ended the run. */
  messages: readonly LogEntry[];
  /** The style of the page. */
  style: string;
  /** The icon, as SVG. */
  icon: string;
}
