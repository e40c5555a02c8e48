// A section of the report before anything is run: what it needs, and how its rows come of it.

import type { Plot, Rates, ReportRow, ReportSection, RowVerdict } from '../contract.js';
import type { Outcome } from './outcome.js';
import type { RunSettings, Trial } from './trial.js';

export interface RowPlan {
  /** As of `ReportRow`. */
  id: string;
  labels: string[];
  published: Partial<Rates>;
  /** What has to be run; the first is the one whose rates the row shows. None for what is worked out, or cannot be run. */
  trials: readonly Trial[];
  /** Its verdict from the outcomes of the trials, in their order, and the rates that were predicted of the first. */
  judge: (outcomes: readonly Outcome[], predicted: Partial<Rates>) => RowVerdict;
  /** Parameters that the paper does not state, where there are any. */
  unstated?: string;
}

/** What plots are made of. */
export interface PlotView {
  /** Undefined for a trial that was not run. */
  outcomeOf: (trial: Trial) => Outcome | undefined;
  /** Those that came of the plan's. */
  rows: readonly ReportRow[];
  /** The least FNR of any structure of the same memory over the same stream, by its FPR. */
  leastFnrOf: (outcome: Outcome) => Promise<(fpr: number) => number>;
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
  plots: (view: PlotView) => Plot[] | Promise<Plot[]>;
  /** Makes the section, with those of its rows that the plan has, where what is run is no detector over a stream. */
  repeat?: (plan: SectionPlan, settings: RunSettings) => Promise<ReportSection>;
}
