// A section of the report before anything is run: what it needs, and how its rows come of it.

import type { Plot, Rates, ReportRow, ReportSection, Verdict } from '../contract.js';
import type { Outcome } from './outcome.js';
import type { RunSettings, Trial } from './trial.js';

export interface RowPlan {
  /** As of `ReportRow`. */
  id: string;
  labels: string[];
  published: Partial<Rates>;
  /** What has to be run; the first is the one whose rates the row shows. None for what is worked out, or cannot be run. */
  trials: readonly Trial[];
  /** Its verdict from the outcomes of the trials, in their order. */
  judge: (outcomes: readonly Outcome[]) => Verdict;
  /** Parameters that the paper does not state, where there are any. */
  unstated?: string;
}

export interface SectionPlan {
  id: string;
  paper: string;
  title: string;
  notes: readonly string[];
  columns: string[];
  rows: readonly RowPlan[];
  /** What the plots need beside what the rows do. */
  trials: readonly Trial[];
  /** From the outcomes of trials, undefined for one that was not run, and the rows that came of them. */
  plots: (outcomeOf: (trial: Trial) => Outcome | undefined, rows: readonly ReportRow[]) => Plot[];
  /** Makes the section, with those of its rows that the plan has, where what is run is no detector over a stream. */
  repeat?: (plan: SectionPlan, settings: RunSettings) => Promise<ReportSection>;
}
