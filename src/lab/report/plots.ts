// Plots of measurements: data alone, drawn elsewhere. Rates are in percent, as the papers print them.

import type { CurvePoint, ErrorCounts, Measurement, Plot, PlotSeries, Rates, ReportRow } from '../contract.js';

export interface PlotOptions {
  /** Unique in the report. */
  id: string;
  title: string;
}

export interface CurveOptions extends PlotOptions {
  /** Names the series of a measurement, such as its family; measurements of one name make one series. */
  nameOf: (measurement: Measurement) => string;
}

export interface RateOptions extends CurveOptions {
  rate: keyof Rates;
}

type Point = PlotSeries['points'][number];

const MIB = 2 ** 20;
const RATE_LABELS = { fpr: 'FPR %', fnr: 'FNR %' } as const;
const LOAD_LABEL = 'load';
const POSITION = { label: 'elements of the stream', scale: 'linear' } as const;

/** A rate from its counts, in percent; NaN where there was nothing to be wrong about. */
function percentOf(counts: ErrorCounts, rate: keyof Rates): number {
  const [errors, of] =
    rate === 'fpr' ? [counts.falsePositives, counts.distinct] : [counts.falseNegatives, counts.duplicates];
  return (100 * errors) / of;
}

function isShown({ x, y }: Point): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}

/** One series for each name, in the order in which the names come. */
function seriesByName(
  measurements: readonly Measurement[],
  { nameOf }: Pick<CurveOptions, 'nameOf'>,
  kind: PlotSeries['kind'],
  pointsOf: (measurement: Measurement) => Point[],
): PlotSeries[] {
  const byName = new Map<string, Point[]>();
  for (const measurement of measurements) {
    const name = nameOf(measurement);
    byName.set(name, [...(byName.get(name) ?? []), ...pointsOf(measurement).filter(isShown)]);
  }
  return [...byName]
    .filter(([, points]) => points.length > 0)
    .map(([name, points]) => ({
      name,
      kind,
      points: kind === 'line' ? points.toSorted((a, b) => a.x - b.x) : points,
    }));
}

/** A rate in each stretch of the stream, at the end of the stretch. */
export function errorAlongStream(measurements: readonly Measurement[], options: RateOptions): Plot {
  const { id, title, rate } = options;
  const point = (at: CurvePoint): Point => ({ x: at.positionElements, y: percentOf(at, rate) });
  const series = seriesByName(measurements, options, 'line', ({ curve }) => curve.map(point));
  return { id, title, x: POSITION, y: { label: RATE_LABELS[rate], scale: 'linear' }, series };
}

/** The load along the stream: how soon it stops to change is what the papers call convergence. */
export function loadAlongStream(measurements: readonly Measurement[], options: CurveOptions): Plot {
  const { id, title } = options;
  const point = ({ positionElements, load }: CurvePoint): Point => ({ x: positionElements, y: load });
  const series = seriesByName(measurements, options, 'line', ({ curve }) => curve.map(point));
  return { id, title, x: POSITION, y: { label: LOAD_LABEL, scale: 'linear' }, series };
}

/** A rate in each stretch against the load at its end. */
export function errorAgainstLoad(measurements: readonly Measurement[], options: RateOptions): Plot {
  const { id, title, rate } = options;
  const point = (at: CurvePoint): Point => ({ x: at.load, y: percentOf(at, rate) });
  const series = seriesByName(measurements, options, 'points', ({ curve }) => curve.map(point));
  return {
    id,
    title,
    x: { label: LOAD_LABEL, scale: 'linear' },
    y: { label: RATE_LABELS[rate], scale: 'linear' },
    series,
  };
}

/**
 * How far a rate, counted from the beginning of the stream up to each position, is from what it is over the whole of it, in
 * points of percent: a detector has converged where this stays small.
 */
export function convergenceOfError(measurements: readonly Measurement[], options: RateOptions): Plot {
  const { id, title, rate } = options;
  const series = seriesByName(measurements, options, 'line', (measurement) => {
    const final = percentOf(measurement, rate);
    // At the last position the distance is zero by its definition.
    return sumsOf(measurement.curve)
      .slice(0, -1)
      .map((sums) => ({ x: sums.positionElements, y: Math.abs(percentOf(sums, rate) - final) }));
  });
  return {
    id,
    title,
    x: POSITION,
    y: { label: `distance to the final ${RATE_LABELS[rate]}`, scale: 'log' },
    series,
  };
}

/** Counts from the beginning of the stream to each point. */
function sumsOf(curve: readonly CurvePoint[]): CurvePoint[] {
  const sums = { distinct: 0, duplicates: 0, falsePositives: 0, falseNegatives: 0 };
  return curve.map((point) => {
    for (const count of Object.keys(sums) as (keyof ErrorCounts)[]) sums[count] += point[count];
    return { ...point, ...sums };
  });
}

/** A rate over whole streams against the memory that was given. */
export function errorAgainstMemory(measurements: readonly Measurement[], options: RateOptions): Plot {
  const { id, title, rate } = options;
  const series = seriesByName(measurements, options, 'line', (measurement) => [
    { x: measurement.spec.detector.memoryBytes / MIB, y: percentOf(measurement, rate) },
  ]);
  return {
    id,
    title,
    x: { label: 'memory, MiB', scale: 'log' },
    y: { label: RATE_LABELS[rate], scale: 'log' },
    series,
  };
}

/**
 * Both rates of every measurement, and the limit: for rates of false positives the least rate of false negatives that any
 * structure of as many bits has. Of the limit only what lies among the measurements is drawn.
 */
export function errorPlane(measurements: readonly Measurement[], limit: readonly Rates[], options: CurveOptions): Plot {
  const { id, title } = options;
  const series = seriesByName(measurements, options, 'points', (measurement) => [
    { x: percentOf(measurement, 'fpr'), y: percentOf(measurement, 'fnr') },
  ]);
  const line: PlotSeries = {
    name: 'limit of any structure',
    kind: 'line',
    role: 'limit',
    points: limitAmong(
      series.flatMap(({ points }) => points),
      limit,
    ),
  };
  return {
    id,
    title,
    x: { label: RATE_LABELS.fpr, scale: 'log' },
    y: { label: RATE_LABELS.fnr, scale: 'log' },
    series: line.points.length > 0 ? [...series, line] : series,
  };
}

/** The points of the limit that are within a factor of the least and the greatest of the others. */
function limitAmong(points: readonly Point[], limit: readonly Rates[]): Point[] {
  const NEAR = 3;
  const isNear = (value: number, others: readonly number[]) => {
    const positive = others.filter((other) => other > 0);
    return value >= Math.min(...positive) / NEAR && value <= Math.max(...positive) * NEAR;
  };
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  return limit
    .map(({ fpr, fnr }) => ({ x: 100 * fpr, y: 100 * fnr }))
    .filter(({ x, y }) => isNear(x, xs) && isNear(y, ys))
    .toSorted((a, b) => a.x - b.x);
}

/** Each row's published rate and the measured one; on the line of equality they agree. `nameOf` groups the rows. */
export function publishedAgainstMeasured(
  rows: readonly ReportRow[],
  options: PlotOptions & { rate: keyof Rates; nameOf: (row: ReportRow) => string },
): Plot {
  const { id, title, rate, nameOf } = options;
  const pairs = rows.flatMap((row) => {
    const [published, measured] = [row.published[rate], row.measured[rate]?.estimate];
    if (published === undefined || measured === undefined) return [];
    return [{ name: nameOf(row), point: { x: 100 * published, y: 100 * measured } }];
  });
  const names = [...new Set(pairs.map(({ name }) => name))];
  const series = names.map(
    (name): PlotSeries => ({
      name,
      kind: 'points',
      points: pairs.filter((pair) => pair.name === name).map(({ point }) => point),
    }),
  );
  const label = RATE_LABELS[rate];
  return {
    id,
    title,
    x: { label: `published ${label}`, scale: 'log' },
    y: { label: `measured ${label}`, scale: 'log' },
    series: [...series, equality(pairs.map(({ point }) => point))],
  };
}

function equality(points: readonly Point[]): PlotSeries {
  const values = points.flatMap(({ x, y }) => [x, y]).filter((value) => value > 0);
  const ends = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [];
  return { name: 'equal', kind: 'line', role: 'guide', points: ends.map((end) => ({ x: end, y: end })) };
}
