// The lab's data: what a run is told, what it measures, and what a report shows. All of it is plain data, so that it goes to
// worker threads and into JSON lines as it is.

import type { LayoutName, ParameterValue } from 'firstseen';

/** A stream by its kind (a row in the registry of streams) and that kind's settings; the same spec gives the same elements. */
export interface StreamSpec {
  kind: string;
  lengthElements: number;
  seed: number;
  /** The kind's own settings, by plain names with units last, such as `distinctShare`, `windowElements`, `path`. */
  settings: Readonly<Record<string, number | string>>;
}

/**
 * What a detector is given for an element: `hashed`, 64 bits as good as random, or `identifier`, the element's number itself,
 * which is its Rabin fingerprint as long as it is smaller than the polynomial.
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
  /** Points of the curves; 0 for none. */
  curvePoints: number;
  /** Whether missed duplicates are counted by gap, which takes 4 bytes of truth for each element of the universe. */
  byGap: boolean;
}

/** Counts of a stretch of a stream, or of all of it. */
export interface ErrorCounts {
  distinct: number;
  duplicates: number;
  falsePositives: number;
  falseNegatives: number;
}

/** The stretch from the point before to this one. */
export interface CurvePoint extends ErrorCounts {
  positionElements: number;
  /** Load at this position. */
  load: number;
}

export interface GapCounts {
  /** Gaps above this, */
  fromElements: number;
  /** and up to this: a power of two. */
  toElements: number;
  duplicates: number;
  falseNegatives: number;
}

/** One line of results. */
export interface Measurement extends ErrorCounts {
  spec: RunSpec;
  /** The same for equal specs: what a resumed run knows a finished one by. */
  key: string;
  elements: number;
  /** Where a detector that refuses when full did so; the counts are those of the elements before. */
  refusedAtElements?: number;
  curve: CurvePoint[];
  byGap: GapCounts[];
  load: number;
  /** Bytes of the detector's cells and counters. */
  stateBytes: number;
  /** Bytes that knowing the truth took. */
  truthBytes: number;
  /** Of the detector alone: neither making the stream nor the truth counts. */
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

export interface Verdict {
  kind: VerdictKind;
  /** In words: within what, or by how much and why. */
  text: string;
}

/** A published number, or a published sentence where a figure has no numbers, held against what was measured. */
export interface ReportRow {
  /** Unique in the report, such as `bera-4/sbf/64MB`. */
  id: string;
  /** What distinguishes the row in its table, in the order of the table's `columns`. */
  labels: string[];
  /** Shares; absent where the paper prints none. */
  published: Partial<Rates>;
  measured: Partial<{ fpr: Interval; fnr: Interval }>;
  predicted: Partial<Rates>;
  /** The least that any structure of the same bits could have at the measured rate of false positives. */
  limit: Partial<Rates>;
  verdict: Verdict;
  /** Parameters that were used, in words; those that the paper does not state are marked. */
  parameters: string;
  /** Repeats this row. */
  command: string;
  elementsPerSecond?: number;
}

/** A line or a cloud of points in a plot. */
export interface PlotSeries {
  name: string;
  kind: 'line' | 'points';
  /** Drawn apart: what no structure can pass, what a paper printed, what theory says, or a line to read the others by. */
  role?: 'limit' | 'published' | 'predicted' | 'guide';
  points: { x: number; y: number }[];
}

export interface PlotAxis {
  label: string;
  scale: 'linear' | 'log';
  /** Values are sizes of memory, on a log axis, and are written as such. */
  isBytes?: boolean;
}

export interface Plot {
  /** Unique in the report; its file name in Markdown. */
  id: string;
  title: string;
  x: PlotAxis;
  y: PlotAxis;
  series: PlotSeries[];
}

/** One table or figure of a paper. */
export interface ReportSection {
  /** Such as `bera-4` or `bera-figure-3`. */
  id: string;
  paper: string;
  title: string;
  /** What was run, on what stream, at which scale, and what has to be known to read it. */
  notes: string[];
  /** Heads of the rows' labels. */
  columns: string[];
  rows: ReportRow[];
  plots: Plot[];
  command: string;
}

export interface Report {
  title: string;
  /** For somebody who has to choose a detector. */
  findings: string[];
  /** For somebody who has the papers at hand; none where there are no papers. */
  remarks: string[];
  /** What the words, the columns and the marks of plots mean, for somebody who knows none of it; none where that is not needed. */
  reading: string[];
  sections: ReportSection[];
  /** Machine, versions and date of the measurements. */
  machine: string;
  command: string;
}
