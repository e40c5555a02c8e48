// Estimates the distinct elements of a stream, its freshness and its novelty from a trace: in bounded memory, and over the whole
// length that is read.

import { checkBoolean, checkCount, checkOptions, checkPowerOfTwo, type OptionNames } from '../base/check.js';
import { formatCount, formatCounted } from '../base/count.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { checkFingerprints } from '../detectors/refusals.js';
import { idealMemoryOf } from './census.js';
import { pointsCurve } from './curve.js';
import { footprintOf, freshnessOf, noveltyOf, withoutEnds } from './footprint.js';
import { curveStream, type FreshnessPoint, type StreamModel } from './stream.js';
import { MAX_WEIGHT, Tracer } from './trace.js';

/** The last octaves of a sample. Their slope continues beyond the sample. */
const TAIL_OCTAVES = 2;

/** The options of a sample. All are optional. */
export interface GapSampleOptions {
  /**
   * Follows one distinct element of this many, a power of two up to 2^32; 1 by default. The number doubles when there are too many.
   */
  oneIn?: number | undefined;
}

/** Follows elements of a stream, and counts the distinct ones. */
export class GapSample {
  readonly #tracer: Tracer;

  /** @throws FirstseenError E_PARAMETER when `oneIn` is not a power of two up to 2^32. */
  constructor(options: GapSampleOptions = {}) {
    const { oneIn = 1 } = checkOptions(options, { oneIn: true });
    this.#tracer = new Tracer(checkPowerOfTwo('oneIn', oneIn, MAX_WEIGHT));
  }

  /** Elements so far. */
  get elements(): number {
    return this.#tracer.elements;
  }

  /** Distinct elements so far; exact up to 524,288. */
  get distinctElements(): number {
    return Math.min(this.elements, this.#tracer.followed * this.#tracer.weight);
  }

  /** The relative standard error of the number of distinct elements. */
  get distinctError(): number {
    const { weight, followed } = this.#tracer;
    return weight === 1 ? 0 : 1 / Math.sqrt(Math.max(1, followed));
  }

  /**
   * Adds the next element of the stream, by its fingerprint.
   * @throws FirstseenError E_PARAMETER unless it is a bigint from 0 to 2^64 - 1.
   */
  add(fingerprint: bigint): void {
    if (typeof fingerprint !== 'bigint') throw wrongFingerprint(fingerprint);
    const high = Number(fingerprint >> 32n);
    if (high < 0 || high >= 2 ** 32) throw wrongFingerprint(fingerprint);
    this.#tracer.add(Number(fingerprint & 0xffff_ffffn), high);
  }

  /** `add` over fingerprints, in order. */
  addBatch(fingerprints: BigUint64Array): void {
    checkFingerprints(fingerprints);
    const words = new Uint32Array(fingerprints.buffer, fingerprints.byteOffset, 2 * fingerprints.length);
    for (let i = 0; i < words.length; i += 2) this.#tracer.add(words[i] as number, words[i + 1] as number);
  }

  /**
   * The stream that the sample is a part of, or all of. Of a longer stream nothing is known but what the sample shows: its
   * freshness continues as a power of the gap, and it has no limit.
   * @throws FirstseenError E_PARAMETER when the sample is empty, or the length is not a number of elements; E_SAMPLE when it
   * followed none of its elements.
   */
  stream(description: string, lengthElements = this.elements): StreamModel {
    const { elements } = this;
    if (elements === 0)
      throw new FirstseenError('E_PARAMETER', 'the sample is empty', { remedy: 'add elements first' });
    if (this.#tracer.followed === 0) throw nothingFollowed(elements, this.#tracer.weight);
    checkCount('lengthElements', lengthElements);
    const trace = this.#tracer.trace();
    const footprint = footprintOf(trace);
    if (lengthElements > elements) {
      const points = freshnessOf(withoutEnds(footprint));
      const model = curveStream({ description, lengthElements, points, tailExponent: tailExponent(points) });
      return { ...model, knownElements: elements };
    }
    const different = pointsCurve(footprint.spans, footprint.different);
    const curve = curveStream({ description, lengthElements, points: freshnessOf(footprint) });
    const model = { ...curve, distinctIn: different };
    if (lengthElements < elements) return model;
    return { ...model, novelty: noveltyOf(trace), trace, ideal: idealMemoryOf(trace) };
  }
}

function nothingFollowed(elements: number, weight: number): FirstseenError {
  const problem = `a sample that follows one distinct element in ${formatCount(weight)} followed none of its ${formatCounted(elements, 'element')}`;
  return new FirstseenError('E_SAMPLE', problem, {
    ...{ option: 'oneIn', given: weight },
    remedy: phrase`give a smaller ${optionName('oneIn')}, or add more elements`,
  });
}

function wrongFingerprint(given: unknown): FirstseenError {
  return invalidOption({
    option: 'fingerprint',
    given,
    expected: 'a bigint from 0 to 2^64 - 1',
    remedy: 'pass a fingerprint of 64 bits, such as one of a BigUint64Array',
  });
}

/**
 * Returns the exponent of the gap by which freshness falls at the end: what lies beyond the sample is taken to go on
 * like that.
 */
function tailExponent(points: readonly FreshnessPoint[]): number {
  const last = points.at(-1);
  if (!last || last.fresh <= 0) return 0;
  const from = points.findLast(({ gapElements }) => gapElements * 2 ** TAIL_OCTAVES <= last.gapElements);
  if (!from) return 0;
  // If freshness fell as fast as the gap grows, or faster, the stream would have no new elements. The limit is half as fast.
  return Math.max(-0.5, Math.log(last.fresh / from.fresh) / Math.log(last.gapElements / from.gapElements));
}

/** The known properties of a stream from which a sample was read. */
export interface SampledStream {
  /** The input that was read, for people: a path. */
  name: string;
  /** True if all of it was read. */
  isWhole: boolean;
  /** Elements of the stream; those of the sample by default. */
  lengthElements?: number | undefined;
}

const sampledStreamNames: OptionNames<SampledStream> = { name: true, isWhole: true, lengthElements: true };

/** @throws FirstseenError E_PARAMETER. */
function checkSampledStream(stream: SampledStream): SampledStream {
  const { name, isWhole, lengthElements } = checkOptions(stream, sampledStreamNames);
  if (typeof name !== 'string') {
    const remedy = 'give the name of what was read, such as its path';
    throw invalidOption({ option: 'name', given: name, expected: 'text', remedy });
  }
  checkBoolean('isWhole', isWhole);
  if (lengthElements !== undefined) checkCount('lengthElements', lengthElements);
  return stream;
}

/** Fewer elements show the share of new ones with a standard error of more than 1.6 %, and show no long gaps. */
const MIN_TELLING_ELEMENTS = 1000;

/** A sample is extended at most by the octaves whose slope is known. */
const MAX_EXTENSION = 2 ** TAIL_OCTAVES;

/**
 * The stream from which a sample was read, with a description that says what was read and what was extrapolated.
 * @throws FirstseenError E_SAMPLE when the sample is too small a part of the stream; E_PARAMETER when it is not a sample, or what is
 * known of the stream is malformed.
 */
export function streamOfSample(sample: GapSample, stream: SampledStream): StreamModel {
  if (!(sample instanceof GapSample)) {
    const remedy = 'pass a GapSample to which elements were added';
    throw invalidOption({ option: 'sample', given: sample, expected: 'a GapSample', remedy });
  }
  const { name, isWhole, lengthElements } = checkSampledStream(stream);
  const { elements, distinctElements, distinctError } = sample;
  const length = lengthElements ?? elements;
  if (length > MAX_EXTENSION * elements) throw tooFewElements(elements, length, name);
  const error = distinctError === 0 ? '' : `, standard error ${(100 * distinctError).toPrecision(2)} %`;
  const partText = `${isWhole ? 'all' : 'the first'} ${formatCounted(elements, 'element')} of ${name}`;
  const warning =
    elements < MIN_TELLING_ELEMENTS
      ? `, which are too few to plan by: read ${formatCount(MIN_TELLING_ELEMENTS)} or more`
      : '';
  const sampleText = `as in ${partText}, ${formatCount(distinctElements)} distinct${error}${warning}`;
  if (length <= elements) return sample.stream(sampleText, length);
  const most = formatCount(distinctElements + length - elements);
  const model = sample.stream(sampleText, length);
  const extendedCount = formatCount(model.distinctIn(length));
  return {
    ...model,
    description: `${sampleText}; the rest is extrapolated to ${extendedCount} distinct, of at least ${formatCount(distinctElements)} and at most ${most}`,
  };
}

function tooFewElements(elements: number, length: number, name: string): FirstseenError {
  const least = formatCount(Math.ceil(length / MAX_EXTENSION));
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
