// Stability as defined in the papers: a detector's load no longer changes after some position.

import type { CurvePoint } from '../contract.js';

/**
 * The first position of a curve after which the load changes by less than `bound` from each point to the next;
 * undefined if it still changes by more at the end, or if the curve has too few points.
 */
export function convergedAt(curve: readonly CurvePoint[], bound: number): number | undefined {
  let at: number | undefined;
  for (let i = curve.length - 1; i > 0; i--) {
    const [before, now] = [curve[i - 1] as CurvePoint, curve[i] as CurvePoint];
    if (Math.abs(now.load - before.load) >= bound) break;
    at = before.positionElements;
  }
  return at;
}
