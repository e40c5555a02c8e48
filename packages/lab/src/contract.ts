// The laboratory's data: the spec of a run, its measurements, and reports. All of it is plain data, so that it can be sent
// to worker threads and written as JSON without conversion.

import type { LayoutName, ParameterValue } from 'firstseen';

/** A kind of stream (a row in the registry of streams) and its settings. The same spec gives the same elements. */
export interface StreamSpec {
  kind: string;
  lengthElements: number;
  seed: number;
  /** The settings of the kind by name, such as `distinctShare`, `windowElements`, `path`. */
  settings: Readonly<Record<string, number | string>>;
  /** The folder of the file in the setting `path`. It is not a part of results: the file is the same in any folder. */
  folder?: string;
}

/**
 * The form in which a detector receives an element: `hashed`, 64 bits that look random, or `identifier`, the number of
 * the element. A number smaller than the polynomial is its own Rabin fingerprint.
 */
export type Identity = 'hashed' | 'identifier';

export interface DetectorSpec {
  algorithm: string;
  layout: LayoutName;
  memoryBytes: number;
  parameters: Readonly<Record<string, ParameterValue>>;
  seed: number;
}

/** One detector over one stream. */
export interface RunSpec {
  stream: StreamSpec;
  identity: Identity;
  detector: DetectorSpec;
  /** Number of points of each curve; 0 for no curves. */
  curvePoints: number;
  /** True if missed duplicates are counted by gap. This takes 4 bytes for each element of the universe. */
  byGap: boolean;
}

/** Counts over a part of a stream, or over all of it. */
export interface ErrorCounts {
  distinct: number;
  duplicates: number;
  falsePositives: number;
  falseNegatives: number;
}

/** Counts from the previous point to this one. */
export interface CurvePoint extends ErrorCounts {
  positionElements: number;
  /** Load at this position. */
  load: number;
}

export interface GapCounts {
  /** Gaps in this row are greater than this. */
  fromElements: number;
  /** Gaps in this row are at most this, a power of two. */
  toElements: number;
  duplicates: number;
  falseNegatives: number;
}

/** One line of results. */
export interface Measurement extends ErrorCounts {
  spec: RunSpec;
  /** A hash of the spec. A resumed command skips the runs whose keys are in its file of results. */
  key: string;
  elements: number;
  /** Position at which a full detector refused an element; the counts are of the elements before it. */
  refusedAtElements?: number;
  curve: CurvePoint[];
  byGap: GapCounts[];
  load: number;
  /** Bytes of the detector's cells and counters. */
  stateBytes: number;
  /** Bytes of memory for the truth. */
  truthBytes: number;
  /** Speed of the detector alone, without the time for the stream and the truth. */
  elementsPerSecond: number;
}

/** Rates as shares, not percent. */
export interface Rates {
  fpr: number;
  fnr: number;
}

export interface Interval {
  estimate: number;
  low: number;
  high: number;
}

export type VerdictKind = 'reproduced' | 'differs' | 'not reproducible';

/** The verdict on a prediction. */
export type PredictionKind = 'as predicted' | 'off by' | 'not predicted' | 'full';

export interface RowVerdict<Kind = VerdictKind | PredictionKind> {
  kind: Kind;
  /** The tolerance that was met, or the difference and its reason, in words; may be empty. */
  text: string;
}

/** A published number, or a published sentence about a figure, compared with the measurement. */
export interface ReportRow {
  /** Unique in the report, such as `bera-4/sbf/64MB`. */
  id: string;
  /** The row's labels, in the order of the table's `columns`. */
  labels: string[];
  /** Shares; absent if the paper prints none. */
  published: Partial<Rates>;
  measured: Partial<{ fpr: Interval; fnr: Interval }>;
  predicted: Partial<Rates>;
  /** The least rates that any structure with the same number of bits can have at the measured rate of false positives. */
  limit: Partial<Rates>;
  verdict: RowVerdict;
  /** The parameters that were used, as text. Those that the paper does not state are marked. */
  parameters: string;
  /** The command that repeats this row. */
  command: string;
  elementsPerSecond?: number;
}

/** A line or a set of points in a plot. */
export interface PlotSeries {
  name: string;
  kind: 'line' | 'points';
  /** Drawn differently: the limit of all structures, published values, predictions, or a reference line. */
  role?: 'limit' | 'published' | 'predicted' | 'guide';
  points: { x: number; y: number }[];
}

export interface PlotAxis {
  label: string;
  scale: 'linear' | 'log';
  /** True if the values are sizes of memory, on a log axis, with ticks such as 64KiB. */
  isBytes?: boolean;
}

export interface Plot {
  /** Unique in the report. A Markdown report uses it as the name of the plot's file. */
  id: string;
  title: string;
  x: PlotAxis;
  y: PlotAxis;
  series: PlotSeries[];
}

/** One table or figure of a paper. */
export interface ReportSection {
  /** The name of the section, such as `bera-4` or `bera-figure-3`. */
  id: string;
  /** The paper; absent if the report is not about papers. */
  paper?: string;
  title: string;
  /** Notes on what was run, over which stream and at which scale, and on how to read the results. */
  notes: string[];
  /** Column headings of the rows' labels. */
  columns: string[];
  rows: ReportRow[];
  plots: Plot[];
  command: string;
}

export interface Report {
  title: string;
  /** Conclusions for readers who choose a detector. */
  conclusions: string[];
  /** Remarks for readers who know the papers. Empty if the report is not about papers. */
  remarks: string[];
  /** Explains the terms, the columns and the marks of the plots. Empty if no explanation is needed. */
  reading: string[];
  sections: ReportSection[];
  /** Machine, versions and date of the measurements. */
  machine: string;
  command: string;
}
