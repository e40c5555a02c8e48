// The planner's model of a stream. A stationary stream is described by one function, its freshness: the probability that an
// element repeats none of the g elements before it. At position t the element is new with probability fresh(t), a duplicate of
// a gap in (a, b] with fresh(a) - fresh(b), and a stretch of g elements holds fresh(0) + ... + fresh(g - 1) different ones
// (Denning and Schwartz, Properties of the Working-Set Model, CACM 1972).

import { bisect } from '../base/bisection.js';
import { formatCounted } from '../base/count.js';
import { indexBelow, pointsCurve } from './curve.js';
import type { Moment } from './moments.js';
import type { Trace } from './trace.js';

/** The planner's model of a stream. */
export interface StreamModel {
  /** In words, for people. */
  description: string;
  /** Elements of the stream. */
  lengthElements: number;
  /** Probability that an element repeats none of the `gapElements` elements before it; 1 at 0. */
  fresh(gapElements: number): number;
  /** Different elements in a number of consecutive elements. */
  distinctIn(spanElements: number): number;
  /** The number of possible elements, if they are equally likely. */
  universeElements?: number;
  /** The new elements along the stream, if they were counted; otherwise they follow from the freshness. */
  novelty?: Novelty;
  /** The elements that were read, if the stream is longer: nothing is known of longer gaps, or of the rest. */
  knownElements?: number;
  /** The occurrences that were followed, if they are of the whole stream. */
  trace?: Trace;
  /** The memory of an ideal structure along the stream, if it was counted. */
  ideal?: IdealMemory;
}

/** The number of new elements in a stream, and their positions. */
export interface Novelty {
  /** Probability that the element at a position is new. */
  shareAt(positionElements: number): number;
  /** New elements before a position. */
  before(positionElements: number): number;
}

/**
 * The moments from which the limits of a stream are computed: the elements by how long ago they came, and also by how
 * often.
 */
export interface IdealMemory {
  recency: readonly Moment[];
  frequency: readonly Moment[];
}

/** The stream with another length. What was counted along it is lost, and nothing is known of what is beyond. */
export function ofLength(stream: StreamModel, lengthElements = stream.lengthElements): StreamModel {
  if (lengthElements === stream.lengthElements) return stream;
  const { novelty, trace, ideal, ...model } = stream;
  const knownElements = stream.knownElements ?? (trace ? stream.lengthElements : undefined);
  return {
    ...model,
    lengthElements,
    ...(knownElements !== undefined && knownElements < lengthElements ? { knownElements } : {}),
  };
}

/** Returns the share of the elements of a whole stream that are new. */
export function distinctShare(stream: StreamModel): number {
  return stream.distinctIn(stream.lengthElements) / stream.lengthElements;
}

/** Returns the positions from 1 to the end of a stream in equal ratios, `perOctave` per doubling. */
export function positionsOf(stream: StreamModel, perOctave: number): Float64Array<ArrayBuffer> {
  const octaves = Math.min(MAX_OCTAVES, Math.log2(Math.max(2, stream.lengthElements)));
  const count = Math.ceil(octaves * perOctave);
  return Float64Array.from({ length: count + 1 }, (_, i) => stream.lengthElements * 2 ** ((i - count) / perOctave));
}

/** Positions before 2^-26 of the stream count as one, because they have no weight. */
const MAX_OCTAVES = 26;

/** Independent draws from a universe of equally likely elements. */
export function uniformStream(lengthElements: number, universeElements: number): StreamModel {
  const rate = Math.log1p(-1 / Math.max(1 + 1e-9, universeElements));
  return {
    // Written only on access: the first count that is formatted loads locale data, which takes longer than a prediction.
    get description() {
      return `uniform draws from ${formatCounted(Math.round(universeElements), 'element')}`;
    },
    lengthElements,
    universeElements,
    fresh: (gap) => Math.exp(rate * gap),
    distinctIn: (span) => -universeElements * Math.expm1(rate * span),
  };
}

/** The universe from which `lengthElements` uniform draws hold this number of different ones: U (1 - (1 - 1/U)^N) = D. */
export function universeOf(lengthElements: number, distinctElements: number): number {
  const distinct = (universe: number) => -universe * Math.expm1(lengthElements * Math.log1p(-1 / universe));
  const low = Math.max(2, distinctElements);
  let high = low;
  while (distinct(high) < distinctElements && high < lengthElements * MAX_UNIVERSES) high *= 2;
  return bisect([low, high], BISECTIONS, (universe) => distinct(universe) < distinctElements)[1];
}

/** With a universe of this many times its length, a stream has almost no duplicates. */
const MAX_UNIVERSES = 2 ** 20;
const BISECTIONS = 60;

/** A point of a freshness curve. */
export interface FreshnessPoint {
  gapElements: number;
  fresh: number;
}

export interface CurveOptions {
  description: string;
  lengthElements: number;
  /** Rising gaps and falling freshness. The point of gap 0 and freshness 1 is implied. */
  points: readonly FreshnessPoint[];
  /** Beyond the last point freshness falls as a power of the gap with this exponent, 0 or less. */
  tailExponent?: number;
}

/** A stream whose freshness is given by points, with straight lines between them. */
export function curveStream({ description, lengthElements, points, tailExponent = 0 }: CurveOptions): StreamModel {
  const gaps = Float64Array.of(0, ...points.map(({ gapElements }) => gapElements));
  const freshness = Float64Array.of(1, ...points.map(({ fresh }) => fresh));
  const spans = integralOf(gaps, freshness);
  const last = gaps.length - 1;
  const lastGap = gaps[last] as number;
  const lastFresh = freshness[last] as number;
  const tail = (gap: number) => lastFresh * (gap / Math.max(1, lastGap)) ** tailExponent;
  const tailSpan = (gap: number) => {
    if (tailExponent === 0) return lastFresh * (gap - lastGap);
    const power = tailExponent + 1;
    return ((lastFresh * lastGap) / power) * ((gap / lastGap) ** power - 1);
  };
  const within = pointsCurve(gaps, freshness);
  const fresh = (gap: number) => (gap >= lastGap ? tail(gap) : within(gap));
  const distinctIn = (span: number) => {
    if (span >= lastGap) return (spans[last] as number) + tailSpan(span);
    const i = indexBelow(gaps, span);
    return (spans[i] as number) + ((span - (gaps[i] as number)) * (fresh(span) + (freshness[i] as number))) / 2;
  };
  return { description, lengthElements, fresh, distinctIn };
}

function integralOf(x: Float64Array, y: Float64Array): Float64Array {
  const sums = new Float64Array(x.length);
  for (let i = 1; i < x.length; i++) {
    const width = (x[i] as number) - (x[i - 1] as number);
    sums[i] = (sums[i - 1] as number) + (width * ((y[i] as number) + (y[i - 1] as number))) / 2;
  }
  return sums;
}

export interface GapListOptions {
  lengthElements: number;
  gapsElements: readonly number[];
  /** Share of the elements that repeat an earlier one, after the longest gap. */
  duplicateShare: number;
}

/** A stream whose duplicates have the gaps of a list, all equally likely. */
export function gapListStream({ lengthElements, gapsElements, duplicateShare }: GapListOptions): StreamModel {
  const sortedGaps = [...gapsElements].sort((a, b) => a - b);
  const points: FreshnessPoint[] = [];
  let fresh = 1;
  for (let i = 0; i < sortedGaps.length; ) {
    const gap = sortedGaps[i] as number;
    const before = points.at(-1)?.gapElements ?? 0;
    if (gap - 1 > before) points.push({ gapElements: gap - 1, fresh });
    while (sortedGaps[i] === gap) i++;
    fresh = 1 - (duplicateShare * i) / sortedGaps.length;
    points.push({ gapElements: gap, fresh });
  }
  return curveStream({ description: `duplicates of ${sortedGaps.length} given gaps`, lengthElements, points });
}

/** A stream whose duplicates lie within a window, with equally likely gaps. */
export function windowStream(lengthElements: number, windowElements: number, duplicateShare: number): StreamModel {
  const points = [{ gapElements: windowElements, fresh: 1 - duplicateShare }];
  return curveStream({
    description: `duplicates within ${formatCounted(windowElements, 'element')}`,
    lengthElements,
    points,
  });
}

/** An unknown stream: its gaps are spread evenly over the powers of two up to its length. */
export function unknownStream(lengthElements: number, duplicateShare: number): StreamModel {
  const octaves = Math.max(1, Math.ceil(Math.log2(lengthElements)));
  const points = Array.from({ length: octaves }, (_, i) => ({
    gapElements: 2 ** (i + 1) - 1,
    fresh: 1 - (duplicateShare * (i + 1)) / octaves,
  }));
  return curveStream({ description: 'gaps unknown: spread over all powers of two', lengthElements, points });
}

/** A part of the gaps of a stream's duplicates. */
export interface GapCell {
  fromElements: number;
  toElements: number;
}

/** Consecutive cells up to the length, cut at every power of two and at quantiles of the duplicates. */
export function gapCells(stream: StreamModel, quantiles: number): GapCell[] {
  const length = stream.lengthElements;
  const edges = new Set<number>([0, length]);
  for (let gap = 1; gap < length; gap *= 2) edges.add(gap);
  const least = stream.fresh(length);
  for (let i = 1; i < quantiles; i++) edges.add(gapAt(stream, 1 - ((1 - least) * i) / quantiles));
  const sorted = [...edges].sort((a, b) => a - b);
  return sorted.slice(1).map((toElements, i) => ({ fromElements: sorted[i] as number, toElements }));
}

function gapAt(stream: StreamModel, fresh: number): number {
  let low = 0;
  let high = stream.lengthElements;
  for (let step = 0; step < BISECTIONS && high - low > 0.5; step++) {
    const middle = (low + high) / 2;
    if (stream.fresh(middle) > fresh) low = middle;
    else high = middle;
  }
  return high;
}
