// Estimates the freshness of a stream and its number of distinct elements, in bounded memory and over its whole length.
//
// It follows the elements whose hash is in a slice of the hash space, and all their occurrences, so every gap that it counts is
// exact. When it follows too many, the slice halves. What is counted while the slice is 1/2^level of the space counts 2^level
// (Waldspurger et al., Efficient MRC Construction with SHARDS, FAST 2015). The distinct elements number 2^level times those that
// are followed (Flajolet, On Adaptive Sampling, Computing 1990).
//
// The freshness follows from the gaps with the estimator of Kaplan and Meier (Nonparametric Estimation from Incomplete
// Observations, JASA 1958). An element at position i that repeats no earlier one shows only that its gap is longer than i. It
// counts among the elements that could have had a shorter gap, and then leaves.

import { checkCount } from '../check.js';
import { formatCount, formatCounted } from '../count.js';
import { FirstseenError } from '../errors.js';
import { curveStream, type FreshnessPoint, type StreamModel } from './stream.js';

/** Cells per doubling of the gap. Gaps up to this number have a cell each. */
const CELLS_PER_OCTAVE = 8;
/** The last octaves of a sample. Their slope continues beyond the sample. */
const TAIL_OCTAVES = 2;
/** The search for the exponent of a freshness: from 1/64 to 64. */
const MOST_EXPONENT_OCTAVES = 6;
const EXPONENT_STEPS = 30;
/** The most elements that are followed: about 20 MB. */
const MOST_FOLLOWED = 2 ** 17;
/** The standard error of adaptive sampling is this divided by the square root of the most elements followed (Flajolet 1990). */
const ERROR_OF_ONE = 1.2;

/** A hash of the two halves of a fingerprint: the finalizer of MurmurHash3, because identifiers need not be uniform. */
function sliceHash(low: number, high: number): number {
  let hash = low ^ Math.imul(high, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function hashOf(fingerprint: bigint): number {
  return sliceHash(Number(fingerprint & 0xffff_ffffn), Number(fingerprint >> 32n));
}

/** Counts gaps and distinct elements in a stream. */
export class GapSample {
  /** Duplicates by the cell of their gap, and new elements by the cell of their position. */
  readonly #gaps: number[] = [];
  readonly #news: number[] = [];
  readonly #positions = new Map<bigint, number>();
  #count = 0;
  /** Each counted element represents 2^level elements. */
  #weight = 1;

  get elements(): number {
    return this.#count;
  }

  /** Distinct elements so far; exact up to 131,072. */
  get distinctElements(): number {
    return this.#positions.size * this.#weight;
  }

  /** The relative standard error of the number of distinct elements. */
  get distinctError(): number {
    return this.#weight === 1 ? 0 : ERROR_OF_ONE / Math.sqrt(MOST_FOLLOWED);
  }

  add(fingerprint: bigint): void {
    if (this.#isFollowed(hashOf(fingerprint))) this.#follow(fingerprint);
    this.#count++;
  }

  /** `add` over fingerprints, in order. */
  addBatch(fingerprints: BigUint64Array): void {
    const words = new Uint32Array(fingerprints.buffer, fingerprints.byteOffset, 2 * fingerprints.length);
    for (let i = 0; i < fingerprints.length; i++) {
      const hash = sliceHash(words[2 * i] as number, words[2 * i + 1] as number);
      if (this.#isFollowed(hash)) this.#follow(fingerprints[i] as bigint);
      this.#count++;
    }
  }

  #isFollowed(hash: number): boolean {
    return hash * this.#weight < 2 ** 32;
  }

  #follow(fingerprint: bigint): void {
    const before = this.#positions.get(fingerprint);
    const cells = before === undefined ? this.#news : this.#gaps;
    const cell = cellOf(before === undefined ? this.#count : this.#count - before);
    cells[cell] = (cells[cell] ?? 0) + this.#weight;
    this.#positions.set(fingerprint, this.#count);
    while (this.#positions.size > MOST_FOLLOWED) this.#halve();
  }

  #halve(): void {
    this.#weight *= 2;
    for (const fingerprint of this.#positions.keys()) {
      if (!this.#isFollowed(hashOf(fingerprint))) this.#positions.delete(fingerprint);
    }
  }

  /**
   * The stream that the sample is a part of, or all of.
   * @throws FirstseenError E_PARAMETER when the sample is empty, or the length is not a number of elements.
   */
  stream(description: string, lengthElements = this.#count): StreamModel {
    if (this.#count === 0)
      throw new FirstseenError('E_PARAMETER', 'the sample is empty', { remedy: 'add elements first' });
    checkCount('lengthElements', lengthElements);
    const points = raisedTo(this.#exponent(), this.#points());
    return curveStream({ description, lengthElements, points, tailExponent: tailExponent(points) });
  }

  /**
   * The power to which the freshness is raised so that the stream has the distinct elements that were counted. It is 1 for a
   * stationary stream; the estimator knows no other, but files have beginnings and ends that differ.
   */
  #exponent(): number {
    const points = this.#points();
    const distinctAt = (exponent: number) =>
      curveStream({ description: '', lengthElements: this.#count, points: raisedTo(exponent, points) }).distinctIn(
        this.#count,
      );
    let low = -MOST_EXPONENT_OCTAVES;
    let high = MOST_EXPONENT_OCTAVES;
    for (let step = 0; step < EXPONENT_STEPS; step++) {
      const middle = (low + high) / 2;
      if (distinctAt(2 ** middle) > this.distinctElements) low = middle;
      else high = middle;
    }
    return 2 ** ((low + high) / 2);
  }

  #points(): FreshnessPoint[] {
    const points: FreshnessPoint[] = [];
    const total = (counts: readonly number[]) => counts.reduce((sum, count = 0) => sum + count, 0);
    let atRisk = total(this.#gaps) + total(this.#news);
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

function raisedTo(exponent: number, points: readonly FreshnessPoint[]): FreshnessPoint[] {
  return points.map(({ gapElements, fresh }) => ({ gapElements, fresh: fresh ** exponent }));
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

/** What is known of a stream of which a sample was read. */
export interface SampledStream {
  /** What was read, for people: a path. */
  name: string;
  /** Whether all of it was read. */
  isWhole: boolean;
  /** Elements of the stream; those of the sample by default. */
  lengthElements?: number | undefined;
}

/** Fewer elements show the share of new ones with a standard error of more than 1.6 %, and show no long gaps. */
const LEAST_TELLING_ELEMENTS = 1000;

/** A sample is extended at most by the octaves of which the slope is known. */
const MOST_EXTENSION = 2 ** TAIL_OCTAVES;

/**
 * The stream of which a sample was read, with a description that tells what was read and what was extrapolated.
 * @throws FirstseenError E_SAMPLE when the sample is too small a part of the stream.
 */
export function streamOfSample(sample: GapSample, { name, isWhole, lengthElements }: SampledStream): StreamModel {
  const { elements, distinctElements, distinctError } = sample;
  const length = lengthElements ?? elements;
  if (length > MOST_EXTENSION * elements) throw tooFewElements(elements, length, name);
  const error = distinctError === 0 ? '' : `, standard error ${(100 * distinctError).toPrecision(2)} %`;
  const read = `${isWhole ? 'all' : 'the first'} ${formatCounted(elements, 'element')} of ${name}`;
  const warning =
    elements < LEAST_TELLING_ELEMENTS
      ? `, which are too few to plan by: read ${formatCount(LEAST_TELLING_ELEMENTS)} or more`
      : '';
  const found = `as in ${read}, ${formatCount(distinctElements)} distinct${error}${warning}`;
  if (length <= elements) return sample.stream(found, length);
  const most = formatCount(distinctElements + length - elements);
  const stream = sample.stream(found, length);
  const extended = formatCount(stream.distinctIn(length));
  return {
    ...stream,
    description: `${found}; the rest is extrapolated to ${extended} distinct, of at least ${formatCount(distinctElements)} and at most ${most}`,
  };
}

function tooFewElements(elements: number, length: number, name: string): FirstseenError {
  const least = formatCount(Math.ceil(length / MOST_EXTENSION));
  return new FirstseenError(
    'E_SAMPLE',
    `${formatCounted(elements, 'element')} of ${name} are too few to plan for ${formatCount(length)}: the distinct elements of the rest are unknown`,
    {
      given: elements,
      expected: `${least} elements or more`,
      remedy: `read at least ${least} elements`,
    },
  );
}
