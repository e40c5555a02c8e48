// The freshness of elements if repeats are drawn from the last W positions. A position repeats each of those with
// chance (1 - d) / W, so the occurrences of an element are a branching process (Hawkes and Oakes, A cluster process
// representation of a self-exciting process, 1974): the first has children over the next W positions, and so do they.
// The unit of time here is the window, W = 1, and children have rate 1 - d for a time of 1.
//
// Let B(t) be the chance that an element that first occurred at 0 occurs in [t, t + g]: 1 for -g <= t <= 0, 0 before.
// After that, because its children are a Poisson process,
//     B(t) = 1 - exp(-(1 - d) int_0^1 B(t - u) du).
// Elements first occur at rate d. An interval of length g has d (g + int_0^inf B) distinct ones.
// Freshness is the slope of that.

import type { FreshnessPoint } from 'firstseen/internal';

/** Steps in a window. */
const STEPS = 2048;
/** The number of windows that are computed. After them B falls by the same factor from window to window. */
const WINDOWS = 8;
/** Interval lengths in each octave. */
const PER_OCTAVE = 4;
/** Iterations until B at a step agrees with the integral up to that step. */
const ROUNDS = 4;

/** The integral of B from 0 on, for an interval of `stretch` steps. */
function returnsWithin(stretch: number, repeatShare: number): number {
  const step = 1 / STEPS;
  // Entry i is the integral of B from 0 to step i.
  const integral = new Float64Array(WINDOWS * STEPS + 1);
  let chance = -Math.expm1((-repeatShare * Math.min(stretch, STEPS)) / STEPS);
  for (let i = 1; i < integral.length; i++) {
    const inStretch = Math.max(0, Math.min(stretch, STEPS - i)) * step;
    const before = (integral[i - 1] as number) - (i > STEPS ? (integral[i - STEPS] as number) : 0) + inStretch;
    const from = chance;
    for (let round = 0; round < ROUNDS; round++) {
      chance = -Math.expm1(-repeatShare * (before + (step * (from + chance)) / 2));
    }
    integral[i] = (integral[i - 1] as number) + (step * (from + chance)) / 2;
  }
  const [earlier, later, end] = [2, 1, 0].map((w) => integral[(WINDOWS - w) * STEPS]) as [number, number, number];
  const factor = later > earlier ? (end - later) / (later - earlier) : 0;
  return end + ((end - later) * factor) / (1 - factor);
}

/** Points of freshness up to the window. All elements that are not fresh there have a gap within the window. */
export function descentPoints(windowElements: number, distinctShare: number): FreshnessPoint[] {
  const points: FreshnessPoint[] = [];
  let [before, distinctBefore] = [0, 0];
  const octaves = Math.log2(STEPS);
  for (let i = 0; i <= octaves * PER_OCTAVE; i++) {
    const stretch = Math.round(2 ** (i / PER_OCTAVE));
    if (stretch === before) continue;
    const distinct = distinctShare * (stretch / STEPS + returnsWithin(stretch, 1 - distinctShare));
    const fresh = ((distinct - distinctBefore) * STEPS) / (stretch - before);
    points.push({ gapElements: ((stretch + before) / 2 / STEPS) * windowElements, fresh });
    [before, distinctBefore] = [stretch, distinct];
  }
  return [...points, { gapElements: windowElements, fresh: distinctShare }];
}
