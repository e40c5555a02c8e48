// Makes plots of measurements, as data; svg.ts draws them. Rates and loads are shares in the input, percent in plots.

import type { CurvePoint, Plot, PlotSeries, Rates, ReportRow } from '../contract.js';

/** The curve of a detector along a stream, such as a named measurement. Series with the same name look alike. */
export interface NamedCurve {
  name: string;
  curve: readonly CurvePoint[];
}

/** The rates of a detector over a whole stream. With a role, they are published or computed, not measured. */
export interface NamedRates extends Partial<Rates> {
  name: string;
  memoryBytes: number;
  role?: 'published' | 'predicted';
}

export interface PlotOptions {
  /** Unique in the report. */
  id: string;
  title: string;
}

export type Rate = keyof Rates;
export type Quantity = Rate | 'load';

type Point = PlotSeries['points'][number];

const LABELS = { fpr: 'FPR %', fnr: 'FNR %', load: 'load %' } as const;
const POSITION = { label: 'elements of the stream', scale: 'linear' } as const;

/** Returns a quantity in percent; NaN for a rate over no elements. */
function percentOf(point: CurvePoint, quantity: Quantity): number {
  switch (quantity) {
    case 'load':
      return 100 * point.load;
    case 'fpr':
      return (100 * point.falsePositives) / point.distinct;
    case 'fnr':
      return (100 * point.falseNegatives) / point.duplicates;
  }
}

function isShown({ x, y }: Point): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}

/** Series without a point are left out. */
function filled(series: readonly PlotSeries[]): PlotSeries[] {
  return series
    .map((one) => ({ ...one, points: one.points.filter(isShown) }))
    .filter(({ points }) => points.length > 0);
}

/** The load at each point of the stream, or a rate over the interval before it. */
export function alongStream(curves: readonly NamedCurve[], quantity: Quantity, options: PlotOptions): Plot {
  const series = curves.map(
    ({ name, curve }): PlotSeries => ({
      name,
      kind: 'line',
      points: curve.map((point) => ({ x: point.positionElements, y: percentOf(point, quantity) })),
    }),
  );
  return { ...options, x: POSITION, y: { label: LABELS[quantity], scale: 'linear' }, series: filled(series) };
}

/** The line below which a curve counts as stable, as long as the other curves. */
function stableLine(series: readonly PlotSeries[], stableShare: number): PlotSeries {
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x));
  const ends = xs.length === 0 ? [] : [Math.min(...xs), Math.max(...xs)];
  return {
    name: 'stable below this',
    kind: 'line',
    role: 'guide',
    points: ends.map((x) => ({ x, y: 100 * stableShare })),
  };
}

/**
 * The distance of the load or a rate from its last value, in percent of that value. A detector has converged from the
 * point where it stays below `stableShare`.
 */
export function convergence(
  curves: readonly NamedCurve[],
  quantity: Quantity,
  { stableShare, ...options }: PlotOptions & { stableShare: number },
): Plot {
  const series = curves.map(({ name, curve }): PlotSeries => {
    const points = curve.map((point) => ({ x: point.positionElements, y: percentOf(point, quantity) })).filter(isShown);
    const last = points.at(-1)?.y ?? Number.NaN;
    // The last point is left out: its distance is always 0.
    const distances = points.slice(0, -1).map(({ x, y }) => ({ x, y: (100 * Math.abs(y - last)) / last }));
    return { name, kind: 'line', points: distances };
  });
  const label = `difference from the last ${LABELS[quantity].replace(' %', '')}, % of it`;
  return {
    ...options,
    x: POSITION,
    y: { label, scale: 'log' },
    series: filled([...series, stableLine(series, stableShare)]),
  };
}

/** One series for each name and role, in the order of their first occurrence. */
function seriesOf(
  results: readonly NamedRates[],
  kind: PlotSeries['kind'],
  pointOf: (result: NamedRates) => Point,
): PlotSeries[] {
  const groups = new Map<string, PlotSeries>();
  for (const result of results) {
    const { name, role } = result;
    const key = JSON.stringify([name, role]);
    const series = groups.get(key) ?? { name, kind, ...(role === undefined ? {} : { role }), points: [] };
    groups.set(key, { ...series, points: [...series.points, pointOf(result)] });
  }
  return filled([...groups.values()]);
}

function shareInPercent(share: number | undefined): number {
  return share === undefined ? Number.NaN : 100 * share;
}

/** A rate over whole streams, by memory. */
export function againstMemory(results: readonly NamedRates[], rate: Rate, options: PlotOptions): Plot {
  const series = seriesOf(results, 'line', (result) => ({
    x: result.memoryBytes,
    y: shareInPercent(result[rate]),
  }));
  return {
    ...options,
    x: { label: 'memory', scale: 'log', isBytes: true },
    y: { label: LABELS[rate], scale: 'log' },
    series: series.map((one) => ({ ...one, points: one.points.toSorted((a, b) => a.x - b.x) })),
  };
}

/** Number of rates of false positives, up to 1, for which a limit is computed, and the decades that they cover. */
const LIMIT_POINTS = 121;
const LIMIT_DECADES = 6;

/** The limit as a curve. `minFnr` gives the least rate of false negatives at a rate of false positives. */
export function limitCurve(minFnr: (fpr: number) => number): Rates[] {
  return Array.from({ length: LIMIT_POINTS }, (_, i) => {
    const fpr = 10 ** (-LIMIT_DECADES * (1 - i / (LIMIT_POINTS - 1)));
    return { fpr, fnr: minFnr(fpr) };
  });
}

/**
 * Both rates of each result, and the limit: the least rate of false negatives that any structure with as many bits can
 * have at each rate of false positives. Only the part of the limit near the results is drawn.
 */
export function errorPlane(results: readonly NamedRates[], limit: readonly Rates[], options: PlotOptions): Plot {
  const point = ({ fpr, fnr }: Partial<Rates>): Point => ({ x: shareInPercent(fpr), y: shareInPercent(fnr) });
  const series = seriesOf(results, 'points', point);
  const near = limitNear(
    series.flatMap(({ points }) => points),
    limit.map(point),
  );
  const line: PlotSeries = { name: 'limit of any structure', kind: 'line', role: 'limit', points: near };
  return {
    ...options,
    x: { label: LABELS.fpr, scale: 'log' },
    y: { label: LABELS.fnr, scale: 'log' },
    series: filled([...series, line]),
  };
}

/** The limit is drawn within this factor of the least and the greatest of the results. */
const NEAR = 3;

function limitNear(points: readonly Point[], limit: readonly Point[]): Point[] {
  const isNear = (value: number, others: readonly number[]) => {
    const positive = others.filter((other) => other > 0);
    return value >= Math.min(...positive) / NEAR && value <= Math.max(...positive) * NEAR;
  };
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return limit.filter(({ x, y }) => isNear(x, xs) && isNear(y, ys)).toSorted((a, b) => a.x - b.x);
}

/** The published and the measured rate of each row, and the line on which they are equal. `nameOf` groups the rows. */
export function publishedAgainstMeasured(
  rows: readonly ReportRow[],
  rate: Rate,
  { nameOf, ...options }: PlotOptions & { nameOf: (row: ReportRow) => string },
): Plot {
  const pairs = rows.map((row) => ({
    name: nameOf(row),
    x: shareInPercent(row.published[rate]),
    y: shareInPercent(row.measured[rate]?.estimate),
  }));
  const names = [...new Set(pairs.map(({ name }) => name))];
  const series = filled(
    names.map((name) => ({
      name,
      kind: 'points',
      points: pairs.filter((pair) => pair.name === name).map(({ x, y }) => ({ x, y })),
    })),
  );
  return {
    ...options,
    x: { label: `published ${LABELS[rate]}`, scale: 'log' },
    y: { label: `measured ${LABELS[rate]}`, scale: 'log' },
    series: filled([...series, equality(series.flatMap(({ points }) => points))]),
  };
}

function equality(points: readonly Point[]): PlotSeries {
  const values = points.flatMap(({ x, y }) => [x, y]).filter((value) => value > 0);
  const ends = [Math.min(...values), Math.max(...values)];
  return { name: 'equal', kind: 'line', role: 'guide', points: ends.map((end) => ({ x: end, y: end })) };
}
