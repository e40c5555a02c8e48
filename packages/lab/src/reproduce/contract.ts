// The specification of a report section: the trials that it needs, and how it makes rows from their outcomes.

import type { Plot, Rates, ReportRow, ReportSection, RowVerdict } from '../contract.js';
import type { Outcome } from './outcome.js';
import type { RunSettings, Trial } from './trial.js';

export interface RowSpec {
  /** The same as in `ReportRow`. */
  id: string;
  labels: string[];
  published: Partial<Rates>;
  /** The trials to run. The row shows the rates of the first. Empty if the row is computed, or cannot be run. */
  trials: readonly Trial[];
  /** Gives the verdict, from the outcomes of the trials in their order and the rates predicted for the first trial. */
  judge: (outcomes: readonly Outcome[], predicted: Partial<Rates>) => RowVerdict;
  /** The parameters that the paper does not state, if any. */
  unstated?: string;
}

/** The data from which plots are made. */
export interface PlotView {
  /** Undefined for a trial that was not run. */
  outcomeOf: (trial: Trial) => Outcome | undefined;
  /** The rows made from the spec. */
  rows: readonly ReportRow[];
  /** The least FNR, by FPR, of any structure with the same memory over the same stream. */
  minFnrOf: (outcome: Outcome) => Promise<(fpr: number) => number>;
}

export interface SectionSpec {
  id: string;
  paper: string;
  title: string;
  notes: readonly string[];
  columns: string[];
  rows: readonly RowSpec[];
  /** Trials that the plots need in addition to those of the rows. */
  trials: readonly Trial[];
  plots: (view: PlotView) => Plot[] | Promise<Plot[]>;
  /** Makes the section, with only the rows of the spec. Present if the runs are not of a detector over a stream. */
  repeat?: (spec: SectionSpec, settings: RunSettings) => Promise<ReportSection>;
}
