// The outcome of a trial: the measurements of its seeds combined, with 95 % intervals.

import { binomialInterval, studentQuantile } from 'firstseen/internal';
import type { CurvePoint, ErrorCounts, Interval, Measurement } from '../contract.js';
import type { Trial } from './trial.js';

export interface Outcome {
  trial: Trial;
  scale: number;
  /** One for each seed. */
  measurements: readonly Measurement[];
  /** Absent if the stream had no distinct elements, or no duplicates. */
  fpr?: Interval;
  fnr?: Interval;
}

interface Share {
  events: number;
  of: number;
}

/** The interval of a mean from its spread between seeds (Student 1908). Requires two or more seeds. */
function betweenSeeds(rates: readonly number[]): { low: number; high: number } {
  const count = rates.length;
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / count;
  const variance = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / (count - 1);
  const half = studentQuantile(count - 1) * Math.sqrt(variance / count);
  return { low: Math.max(0, mean - half), high: Math.min(1, mean + half) };
}

/**
 * A rate with its interval: binomial over all elements, or between seeds if that is wider. It is wider when elements
 * that share cells err together. Undefined if no elements were counted.
 */
export function intervalOf(shares: readonly Share[]): Interval | undefined {
  const events = shares.reduce((sum, share) => sum + share.events, 0);
  const of = shares.reduce((sum, share) => sum + share.of, 0);
  if (of === 0) return undefined;
  const { low, high } = binomialInterval(events / of, of);
  const rates = shares.filter((share) => share.of > 0).map((share) => share.events / share.of);
  const spread = rates.length > 1 ? betweenSeeds(rates) : { low, high };
  return { estimate: events / of, low: Math.min(low, spread.low), high: Math.max(high, spread.high) };
}

/** Throws nothing. `measurements` are those of the trial's seeds, at least one. */
export function outcomeOf(trial: Trial, scale: number, measurements: readonly Measurement[]): Outcome {
  const fpr = intervalOf(
    measurements.map(({ falsePositives, distinct }) => ({ events: falsePositives, of: distinct })),
  );
  const fnr = intervalOf(
    measurements.map(({ falseNegatives, duplicates }) => ({ events: falseNegatives, of: duplicates })),
  );
  return {
    trial,
    scale,
    measurements,
    ...(fpr === undefined ? {} : { fpr }),
    ...(fnr === undefined ? {} : { fnr }),
  };
}

export type CurveRate = 'fpr' | 'fnr' | 'load';

export interface RatePoint {
  /** The position at full scale. */
  positionElements: number;
  rate: number;
}

function rateOf(point: CurvePoint, rate: CurveRate): number {
  if (rate === 'load') return point.load;
  const [events, of] =
    rate === 'fpr' ? [point.falsePositives, point.distinct] : [point.falseNegatives, point.duplicates];
  return of > 0 ? events / of : Number.NaN;
}

/**
 * The curve of the first seed. Each point counts from the beginning of the stream, as in the papers' plots, so the last
 * point equals the rate that their tables print. Positions are at full scale.
 */
export function fullCurve({ measurements, scale }: Outcome): CurvePoint[] {
  const sums = { distinct: 0, duplicates: 0, falsePositives: 0, falseNegatives: 0 };
  return (measurements[0]?.curve ?? []).map((point) => {
    for (const count of Object.keys(sums) as (keyof ErrorCounts)[]) sums[count] += point[count];
    return { ...point, ...sums, positionElements: point.positionElements / scale };
  });
}

/** A rate along the stream: the load at each point, or an error rate over all elements before it. */
export function curveOf(outcome: Outcome, rate: CurveRate): RatePoint[] {
  const points = fullCurve(outcome).map((point) => ({
    positionElements: point.positionElements,
    rate: rateOf(point, rate),
  }));
  return points.filter((point) => !Number.isNaN(point.rate));
}
