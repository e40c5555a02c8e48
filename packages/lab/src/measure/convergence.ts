// Stability as the papers mean it: a detector's load stays where it is from some position on.

import type { CurvePoint } from '../contract.js';

/**
 * The first position of a curve from which on the load changes by less than `bound` from each point to the next; undefined
 * where it still changes by more at the end, or the curve has too few points to show it.
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
