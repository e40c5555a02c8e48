// What is kept over time. The page imports it too, so it imports nothing.

/**
 * The measures that are kept of each moment. Records and duplicates are a second; rates of errors are those since the
 * detector began.
 */
export const measures = ['records', 'duplicates', 'falsePositives', 'falseNegatives', 'fullness', 'pending'] as const;
export type Measure = (typeof measures)[number];

/** The numbers of one moment. What is not known is NaN. */
export type Moment = Readonly<Record<Measure, number>>;

/** The length of the moments of a span, and their number. */
export interface Span {
  readonly seconds: number;
  readonly points: number;
}

export const spans = {
  recent: { seconds: 1, points: 300 },
  day: { seconds: 300, points: 288 },
} as const satisfies Record<string, Span>;
export type SpanName = keyof typeof spans;

/** Points of a span by measure. Those of which nothing is known are null in JSON. */
export type SpanPoints = Readonly<Record<Measure, number[]>>;

/** Points of a history, the oldest first. */
export interface PointsOfTime {
  /** Milliseconds of the wall clock at each point. */
  times: Readonly<Record<SpanName, number[]>>;
  points: Readonly<Record<SpanName, SpanPoints>>;
}
