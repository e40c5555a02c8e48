// What a trace says about its stream, without the assumption that it is stationary: the mean number of different elements in a
// stretch, and the number of new elements along the stream.
//
// The mean footprint of the stretches of w elements of a stream of n elements, m of them different, is
//     m - (sum of max(0, x - w)) / (n - w + 1),
// where x runs over the gaps, the positions of first occurrences, and those of last occurrences counted from the end (Xiang and
// others, Linear-time Modeling of Program Working Set in Shared Cache, PACT 2011, eq. 5). The formula is exact for every stream.

import { indexBelow } from './curve.js';
import type { FreshnessPoint, Novelty } from './stream.js';
import { cellOf, endOf, type Trace } from './trace.js';

/** The different elements in stretches of rising lengths, up to that of the stream. */
export interface Footprint {
  spans: Float64Array;
  different: Float64Array;
}

/** Numbers by cell: how many, and their sum. */
interface Absences {
  counts: Float64Array;
  sums: Float64Array;
}

function middleOf(cell: number): number {
  return (endOf(cell - 1) + 1 + endOf(cell)) / 2;
}

/** The numbers x of the formula. The trace has gaps by their cell, but their sum is that of all last positions less the first ones. */
function absencesOf(trace: Trace): Absences {
  const { elements, lasts, occurrences, cells } = trace;
  const size = cellOf(elements) + 1;
  const [counts, sums, gaps] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  const add = (value: number) => {
    const cell = cellOf(value);
    counts[cell] = (counts[cell] as number) + 1;
    sums[cell] = (sums[cell] as number) + value;
  };
  let gapSum = 0;
  for (let i = 0; i < occurrences.length; i++) {
    const cell = cells[i] as number;
    if (cell > 0) {
      gaps[cell] = (gaps[cell] as number) + 1;
      continue;
    }
    const first = trace.positionOf(i);
    add(first);
    gapSum -= first;
  }
  for (const last of lasts) {
    add(elements - last + 1);
    gapSum += last;
  }
  const scale = gapSum / gaps.reduce((sum, count, cell) => sum + count * middleOf(cell), 0);
  for (const [cell, count] of gaps.entries()) {
    counts[cell] = (counts[cell] as number) + count;
    if (count > 0) sums[cell] = (sums[cell] as number) + count * middleOf(cell) * scale;
  }
  return { counts, sums };
}

export function footprintOf(trace: Trace): Footprint {
  const { elements, weight, fingerprints } = trace;
  const { counts, sums } = absencesOf(trace);
  const distinct = Math.min(elements, fingerprints.length * weight);
  const spans = [elements];
  const different = [distinct];
  let [count, sum] = [0, 0];
  for (let cell = counts.length - 1; cell > 0; cell--) {
    const span = endOf(cell);
    if (span < elements) {
      const absentElements = (weight * (sum - count * span)) / (elements - span + 1);
      spans.unshift(span);
      // A slice of the elements can have too many occurrences, but a stretch has no more different elements than elements.
      different.unshift(Math.min(span, different[0] as number, Math.max(0, distinct - absentElements)));
    }
    count += counts[cell] as number;
    sum += sums[cell] as number;
  }
  return { spans: Float64Array.of(0, ...spans), different: Float64Array.of(0, ...different) };
}

/** The freshness of the stream: the slope of the footprint, which never rises. */
export function freshnessOf({ spans, different }: Footprint): FreshnessPoint[] {
  let fresh = 1;
  return Array.from(spans.subarray(1), (span, i) => {
    const width = span - (spans[i] as number);
    fresh = Math.max(0, Math.min(fresh, ((different[i + 1] as number) - (different[i] as number)) / width));
    return { gapElements: span - width / 2, fresh };
  });
}

/**
 * The footprint without the lengths between half of the stream and all of it. There are few such long stretches, and they depend
 * more on where the stream begins and ends than on how it goes on.
 */
export function withoutEnds({ spans, different }: Footprint): Footprint {
  const elements = spans.at(-1) as number;
  const kept = (_: number, i: number) => (spans[i] as number) <= elements / 2 || i === spans.length - 1;
  return { spans: spans.filter(kept), different: different.filter(kept) };
}

/** The novelty is counted in steps of equal ratios; steps with fewer new elements than this are joined. */
const STEPS_PER_OCTAVE = 4;
const STEPS = STEPS_PER_OCTAVE * 26;
const FEW = 16;

/** The new elements along the stream, as they were counted. */
export function noveltyOf(trace: Trace): Novelty {
  const { elements, weight, occurrences, cells } = trace;
  const edges = [0];
  const counts = [0];
  const edgeOf = (step: number) => elements * 2 ** ((step - STEPS) / STEPS_PER_OCTAVE);
  let step = 0;
  let newElements = 0;
  for (let i = 0; i < occurrences.length; i++) {
    for (const position = trace.positionOf(i); step < STEPS && edgeOf(step) < position; step++) {
      if (newElements * weight - (counts.at(-1) as number) < FEW * weight) continue;
      edges.push(edgeOf(step));
      counts.push(Math.min(edgeOf(step), newElements * weight));
    }
    if (cells[i] === 0) newElements++;
  }
  return noveltyThrough(
    Float64Array.of(...edges, elements),
    Float64Array.of(...counts, Math.min(elements, newElements * weight)),
  );
}

/** Returns the novelty from the new elements before each of some positions. The first position is 0. */
function noveltyThrough(edges: Float64Array, counts: Float64Array): Novelty {
  const last = edges.length - 2;
  const widthOf = (i: number) => (edges[i + 1] as number) - (edges[i] as number);
  const slopeOf = (i: number) => ((counts[i + 1] as number) - (counts[i] as number)) / widthOf(i);
  const middle = (i: number) => (edges[i] as number) + widthOf(i) / 2;
  return {
    before: (position) => {
      const i = indexBelow(edges, position);
      return (counts[i] as number) + slopeOf(i) * (position - (edges[i] as number));
    },
    shareAt: (position) => {
      const at = indexBelow(edges, position);
      // The line through the middles of two steps. It goes on to both ends of the stream.
      const leftStep = Math.max(0, Math.min(last - 1, position < middle(at) ? at - 1 : at));
      if (last === 0) return slopeOf(0);
      const slope = (slopeOf(leftStep + 1) - slopeOf(leftStep)) / (middle(leftStep + 1) - middle(leftStep));
      return Math.max(0, Math.min(1, slopeOf(leftStep) + slope * (position - middle(leftStep))));
    },
  };
}
