// Where predictions are worked out: positions of a stream in equal ratios, and for each the gaps that a duplicate may have.
// All candidates of all families share one grid, which is most of the work.

import { type GapCell, gapCells, placeIn, positionsOf, type StreamModel } from './stream.js';

/** How finely a prediction is worked out. */
export interface Resolution {
  positionsPerOctave: number;
  gapQuantiles: number;
  /** Values that stand for a number of Poisson. */
  counts: number;
}

export const FINE: Resolution = { positionsPerOctave: 4, gapQuantiles: 32, counts: 12 };
/** For choosing among many candidates. */
export const COARSE: Resolution = { positionsPerOctave: 2, gapQuantiles: 12, counts: 5 };

/** The gaps that a duplicate at one position may have, a cell each. */
export interface GapsAt {
  /** The middle of what the cell holds. */
  gaps: Float64Array;
  /** Probability that the element is a duplicate of such a gap; with that of being new they add up to 1. */
  shares: Float64Array;
  /** Where the element's predecessor stands: between position `below` of the grid and the next, at `fraction` of the way. */
  below: Uint32Array;
  fraction: Float64Array;
}

export interface Grid {
  stream: StreamModel;
  resolution: Resolution;
  /** Rising, from 0 to the length. */
  positions: Float64Array;
  /** Probability that the element at each position is new. */
  newShare: Float64Array;
  /** Different elements before each position. */
  distinct: Float64Array;
  cells: readonly GapCell[];
  at: readonly GapsAt[];
}

export function gridOf(stream: StreamModel, resolution: Resolution): Grid {
  const positions = Float64Array.of(0, ...positionsOf(stream, resolution.positionsPerOctave));
  const cells = gapCells(stream, resolution.gapQuantiles);
  return {
    stream,
    resolution,
    positions,
    cells,
    newShare: positions.map((position) => stream.fresh(position)),
    distinct: positions.map((position) => stream.distinctIn(position)),
    at: Array.from(positions, (position) => gapsAt(stream, cells, positions, position)),
  };
}

function gapsAt(stream: StreamModel, cells: readonly GapCell[], positions: Float64Array, position: number): GapsAt {
  const possible = cells.filter(({ fromElements }) => fromElements < position);
  const ends = possible.map(({ toElements }) => Math.min(toElements, position));
  const shares = Float64Array.from(possible, ({ fromElements }, c) =>
    Math.max(0, stream.fresh(fromElements) - stream.fresh(ends[c] as number)),
  );
  // Gaps are whole numbers: those of the cell (0, 1] are 1.
  const gaps = Float64Array.from(possible, ({ fromElements }, c) =>
    Math.min(position, (fromElements + (ends[c] as number) + 1) / 2),
  );
  const below = Uint32Array.from(gaps, (gap) => placeIn(positions, position - gap));
  const fraction = Float64Array.from(gaps, (gap, c) => {
    const from = positions[below[c] as number] as number;
    const to = positions[(below[c] as number) + 1] as number;
    return (position - gap - from) / (to - from);
  });
  return { gaps, shares, below, fraction };
}
