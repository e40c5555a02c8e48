// Makes the report of a run of the command from its summary, from what it noted of its records, and from its messages.

import type { RunReview } from '../../review/facts.js';
import { REPORT_STYLE, readPageFile } from '../../serve/pagefiles.js';
import { packageVersion } from '../commandline.js';
import type { RunMessages } from '../report.js';
import { type AnyRunStats, isExactRun, summaryRows, witnessRates } from '../summary.js';
import type { ReportCounts } from './facts.js';
import { reportHtml } from './page.js';

export interface ReportedRun {
  command: string;
  /** Undefined if the run did not begin. */
  stats: AnyRunStats | undefined;
  review: RunReview | undefined;
  messages: RunMessages;
}

function countsOf({ records, distinct, duplicates, passed, dropped, seconds, ...stats }: AnyRunStats): ReportCounts {
  const { memoryBytes, interrupted, resumed, error } = stats;
  return { records, distinct, duplicates, passed, dropped, seconds, memoryBytes, interrupted, resumed, error };
}

/** The page, with the time of now. */
export async function reportOfRun({ command, stats, review, messages }: ReportedRun): Promise<string> {
  const { warnings, notices, ending } = messages;
  const [style, icon] = await Promise.all([readPageFile(REPORT_STYLE), readPageFile('icon.svg')]);
  return reportHtml({
    ...{ command, review },
    version: packageVersion(),
    endedAt: `Ended at ${new Date().toISOString()}.`,
    counts: stats && countsOf(stats),
    summary: stats ? summaryRows(stats) : [],
    rates: stats && !isExactRun(stats) ? witnessRates(stats.witness, stats.observed) : [],
    isExact: stats !== undefined && isExactRun(stats),
    messages: [...(ending ? [ending] : []), ...warnings, ...notices],
    style: style.toString(),
    icon: icon.toString(),
  });
}
