// What chance alone explains: differences of two measured rates, each with its 95 % interval.

import { binomialInterval } from 'firstseen/internal';
import type { Interval } from '../contract.js';

/** A rate that was counted over a number of elements, with its binomial interval. */
export function countedRate(estimate: number, elements: number): Interval {
  const { low, high } = binomialInterval(estimate, elements);
  return { estimate, low, high };
}

/**
 * Returns the difference between two rates from which on chance does not explain that one is below the other: both
 * half-widths, in quadrature.
 */
function boundOf(lower: Interval, higher: Interval): number {
  return Math.hypot(lower.high - lower.estimate, higher.estimate - higher.low);
}

/** Tells if a rate is lower than another one by more than chance explains. */
export function isBelow(lower: Interval, higher: Interval): boolean {
  return higher.estimate - lower.estimate > boundOf(lower, higher);
}

/** The largest difference of two rates that is compatible with both intervals. */
export function maxApart(one: Interval, other: Interval): number {
  const [lower, higher] = one.estimate < other.estimate ? [one, other] : [other, one];
  return higher.estimate - lower.estimate + Math.hypot(lower.estimate - lower.low, higher.high - higher.estimate);
}

/**
 * Tells if chance explains the difference of a measured rate and a printed one. The paper counted its rate over `elements`
 * elements of one run.
 */
export function isAlike(measured: Interval, printed: number, elements: number): boolean {
  const other = countedRate(printed, elements);
  return !isBelow(measured, other) && !isBelow(other, measured);
}

/** The interval of the ratio of two rates, from the relative widths of both. */
export function ratioOf(over: Interval, under: Interval): Interval {
  const estimate = over.estimate / under.estimate;
  const spread = (one: number, other: number) => Math.hypot(one, other) * estimate;
  return {
    estimate,
    low: estimate - spread(1 - over.low / over.estimate, under.high / under.estimate - 1),
    high: estimate + spread(over.high / over.estimate - 1, 1 - under.low / under.estimate),
  };
}
