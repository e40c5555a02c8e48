// Estimates the freshness of a stream from a part of it, with the estimator of Kaplan and Meier (Nonparametric Estimation from
// Incomplete Observations, JASA 1958). An element at position i that repeats no earlier one shows only that its gap is longer
// than i. It counts among the elements that could have had a shorter gap, and then leaves.

import { checkCount } from '../check.js';
import { FirstseenError } from '../errors.js';
import { curveStream, type FreshnessPoint, type StreamModel } from './stream.js';

/** Cells per doubling of the gap. Gaps up to this number have a cell each. */
const CELLS_PER_OCTAVE = 8;
/** The last octaves of a sample. Their slope continues beyond the sample. */
const TAIL_OCTAVES = 2;

/** Counts gaps in a stream, element by element. */
export class GapSample {
  /** Duplicates by the cell of their gap, and new elements by the cell of their position. */
  readonly #gaps: number[] = [];
  readonly #news: number[] = [];
  readonly #positions = new Map<bigint, number>();
  #count = 0;

  get elements(): number {
    return this.#count;
  }

  add(fingerprint: bigint): void {
    const before = this.#positions.get(fingerprint);
    const cells = before === undefined ? this.#news : this.#gaps;
    const cell = cellOf(before === undefined ? this.#count : this.#count - before);
    cells[cell] = (cells[cell] ?? 0) + 1;
    this.#positions.set(fingerprint, this.#count++);
  }

  /**
   * The stream that the sample is a part of, or all of.
   * @throws FirstseenError E_PARAMETER when the sample is empty, or the length is not a number of elements.
   */
  stream(description: string, lengthElements = this.#count): StreamModel {
    if (this.#count === 0)
      throw new FirstseenError('E_PARAMETER', 'the sample is empty', { remedy: 'add elements first' });
    checkCount('lengthElements', lengthElements);
    const points = this.#points();
    return curveStream({ description, lengthElements, points, tailExponent: tailExponent(points) });
  }

  #points(): FreshnessPoint[] {
    const points: FreshnessPoint[] = [];
    let atRisk = this.#count;
    let fresh = 1;
    for (let cell = 0; cell < Math.max(this.#gaps.length, this.#news.length); cell++) {
      const repeats = this.#gaps[cell] ?? 0;
      const censored = this.#news[cell] ?? 0;
      // Those that leave inside a cell were at risk in half of it.
      const exposed = atRisk - (isWhole(cell) ? 0 : censored / 2);
      if (exposed > 0) fresh *= 1 - Math.min(1, repeats / exposed);
      atRisk -= repeats + censored;
      if (cell > 0) points.push({ gapElements: endOf(cell), fresh });
    }
    return points;
  }
}

function isWhole(cell: number): boolean {
  return cell < CELLS_PER_OCTAVE;
}

/** Gap 0, which is the position of the first element, has cell 0. */
function cellOf(gap: number): number {
  if (gap < CELLS_PER_OCTAVE) return gap;
  const octave = Math.floor(Math.log2(gap / CELLS_PER_OCTAVE));
  const width = 2 ** octave;
  return CELLS_PER_OCTAVE * (octave + 1) + Math.floor(gap / width) - CELLS_PER_OCTAVE;
}

/** The largest gap of a cell. */
function endOf(cell: number): number {
  if (cell < CELLS_PER_OCTAVE) return cell;
  const octave = Math.floor(cell / CELLS_PER_OCTAVE) - 1;
  return (CELLS_PER_OCTAVE + (cell % CELLS_PER_OCTAVE) + 1) * 2 ** octave - 1;
}

/** How freshness falls at the end, as a power of the gap: what lies beyond the sample is taken to go on like that. */
function tailExponent(points: readonly FreshnessPoint[]): number {
  const last = points.at(-1);
  if (!last || last.fresh <= 0) return 0;
  const from = points.findLast(({ gapElements }) => gapElements * 2 ** TAIL_OCTAVES <= last.gapElements);
  if (!from) return 0;
  // If freshness fell as fast as the gap grows, or faster, the stream would have no new elements. The limit is half as fast.
  return Math.max(-0.5, Math.log(last.fresh / from.fresh) / Math.log(last.gapElements / from.gapElements));
}
