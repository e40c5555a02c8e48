// The grid of a prediction: positions of a stream in equal ratios, and for each the gaps that a duplicate may have. All
// candidates of all families share one grid, which is most of the work.

import { mapInSteps, runAtOnce, type Steps } from '../base/steps.js';
import { indexBelow } from './curve.js';
import { PoissonTable } from './poisson.js';
import { type GapCell, gapCells, positionsOf, type StreamModel } from './stream.js';

/** The resolution of a prediction. */
export interface Resolution {
  positionsPerOctave: number;
  gapQuantiles: number;
  /** Values that represent a Poisson distribution. */
  counts: number;
}

export const FINE: Resolution = { positionsPerOctave: 4, gapQuantiles: 32, counts: 12 };
/** The resolution for a choice among many candidates. */
export const COARSE: Resolution = { positionsPerOctave: 2, gapQuantiles: 12, counts: 5 };

/** The gaps that a duplicate at one position may have, one for each cell. */
export interface GapsAt {
  /** The middle of the cell. */
  gaps: Float64Array;
  /** Probability that the element is a duplicate with such a gap. Together with the probability of a new element they add up to 1. */
  shares: Float64Array;
  /** The position of the previous occurrence: between position `below` of the grid and the next, at this fraction. */
  below: Uint32Array;
  fraction: Float64Array;
}

export interface Grid {
  stream: StreamModel;
  resolution: Resolution;
  /** The rising positions, from 0 to the length. */
  positions: Float64Array;
  /** Probability that the element at each position is new. */
  newShare: Float64Array;
  /** Different elements before each position. */
  distinct: Float64Array;
  cells: readonly GapCell[];
  at: readonly GapsAt[];
  /** Numbers of arrivals in a part of a detector, which many candidates ask for. */
  arrivals: PoissonTable;
}

export function* gridInSteps(stream: StreamModel, resolution: Resolution): Steps<Grid> {
  const positions = Float64Array.of(0, ...positionsOf(stream, resolution.positionsPerOctave));
  const cells = gapCells(stream, resolution.gapQuantiles);
  yield;
  const at: GapsAt[] = [];
  for (const position of positions) {
    at.push(gapsAt(stream, cells, positions, position));
    yield;
  }
  const newShare = yield* mapInSteps(positions, (position) => newShareAt(stream, position));
  const distinct = yield* mapInSteps(
    positions,
    (position) => stream.novelty?.before(position) ?? stream.distinctIn(position),
  );
  return {
    stream,
    resolution,
    positions,
    cells,
    newShare,
    distinct,
    at,
    arrivals: new PoissonTable(resolution.counts),
  };
}

/** As `gridInSteps`, at once. */
export function gridOf(stream: StreamModel, resolution: Resolution): Grid {
  return runAtOnce(gridInSteps(stream, resolution));
}

/** Returns the function `miss` of a course, from the chance of a miss after a gap. Each gap is computed once. */
export function missByGap({ at }: Grid, missAfter: (gap: number) => number): (i: number, c: number) => number {
  const misses = new Map<number, number>();
  return (i, c) => {
    const gap = (at[i] as GapsAt).gaps[c] as number;
    if (!misses.has(gap)) misses.set(gap, missAfter(gap));
    return misses.get(gap) as number;
  };
}

function newShareAt({ novelty, fresh }: StreamModel, position: number): number {
  return novelty && position > 0 ? novelty.shareAt(position) : fresh(position);
}

function gapsAt(stream: StreamModel, cells: readonly GapCell[], positions: Float64Array, position: number): GapsAt {
  const possible = cells.filter(({ fromElements }) => fromElements < position);
  const ends = possible.map(({ toElements }) => Math.min(toElements, position));
  // Where the novelty was counted, the rest are duplicates, with gaps as in the whole stream.
  const scale = (1 - newShareAt(stream, position)) / Math.max(Number.EPSILON, 1 - stream.fresh(position));
  const shares = Float64Array.from(
    possible,
    ({ fromElements }, c) => scale * Math.max(0, stream.fresh(fromElements) - stream.fresh(ends[c] as number)),
  );
  // Gaps are whole numbers: those of the cell (0, 1] are 1.
  const gaps = Float64Array.from(possible, ({ fromElements }, c) =>
    Math.min(position, (fromElements + (ends[c] as number) + 1) / 2),
  );
  const below = Uint32Array.from(gaps, (gap) => indexBelow(positions, position - gap));
  const fraction = Float64Array.from(gaps, (gap, c) => {
    const from = positions[below[c] as number] as number;
    const to = positions[(below[c] as number) + 1] as number;
    return (position - gap - from) / (to - from);
  });
  return { gaps, shares, below, fraction };
}
