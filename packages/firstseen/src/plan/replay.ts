// Measures a detector on a trace of a stream, in the kernel.
//
// A trace of 1 element in w goes through a detector of 1/w of the memory, so that every cache line and bucket has as many elements as in
// the whole detector (Waldspurger and others, Cache Modeling and Optimization using Miniature Simulations, USENIX ATC 2017). Very
// common elements are rarely in a slice, and if they are, they count too much. So one such element is added, or repeats at short gaps
// are left out, until the trace has 1/w of the elements of the stream everywhere.

import { FirstseenError } from '../base/errors.js';
import type { Steps, Turns } from '../base/steps.js';
import { Detector } from '../detectors/detector.js';
import { kernelOptions } from '../detectors/host.js';
import { binomialInterval } from '../detectors/intervals.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { kernelPages } from '../kernel/kernel.js';
import { DEFAULT_WITNESS_BYTES } from '../options/detector.js';
import type { Limit } from './moments.js';
import type { Prediction, RateAtPosition, RateByGap } from './predict.js';
import { endOf, sliceHash, type Trace } from './trace.js';

/** A trace as a sequence of elements to observe. */
export interface Replay {
  /** Elements of the stream. */
  elements: number;
  /** The number of elements of the stream that each element represents. */
  weight: number;
  fingerprints: BigUint64Array<ArrayBuffer>;
  /** The cell of each element's gap, 0 for a new element, or ADDED. */
  cells: Uint16Array<ArrayBuffer>;
  /** New elements among them. */
  distinct: number;
  /** The number of duplicates of the stream that they represent. */
  duplicates: number;
}

const PAGE_BYTES = 65536;
/** An occurrence that was added, or that comes before a stretch: it has no gap of its own, and is not counted. */
const ADDED = 0xffff;
/** The very common element that is added. */
const COMMON = 0x9e37_79b9_7f4a_7c15n;
const CELLS = 512;

/** Standard deviations by which a slice may have too many or too few elements. */
const TOLERANCE = 4;
/** Repeats that are at most this far away in the trace are left out if there are too many. */
const SHORT_GAP = 8;

/** The reduction of a trace, for a first choice among many detectors. */
export interface ReplayOptions {
  /** One element in this many of those in the trace: a power of two; 1 by default. */
  oneIn?: number;
  /**
   * At most about this number of occurrences of the trace is replayed, in their order; all by default. If there are more, they are
   * stretches of the same length from the middle of equal parts of the trace. Each stretch follows on the elements that were seen
   * last before it, each once, or twice if it had been repeated. These are not counted.
   */
  maxOccurrences?: number;
}

/** The parts of a trace that a replay takes stretches of: enough that no half of a stream decides. */
const STRETCHES = 4;
/** Elements that come before a stretch, as a part of all occurrences that are replayed. */
const BEFORE_STRETCH = 1 / 2;

/** Elements and bytes of a step. The slowest detector observes half a million elements a second. */
const PART_ELEMENTS = 2 ** 12;
const PART_BYTES = 2 ** 24;

export function* replayOf(
  trace: Trace,
  { oneIn = 1, maxOccurrences = trace.occurrences.length }: ReplayOptions = {},
): Steps<Replay> {
  const { occurrences, cells, fingerprints, elements } = trace;
  const weight = trace.weight * oneIn;
  const words = new Uint32Array(fingerprints.buffer, fingerprints.byteOffset, 2 * fingerprints.length);
  const isFollowed = (key: number) =>
    oneIn === 1 || sliceHash(words[2 * key] as number, words[2 * key + 1] as number) * weight < 2 ** 32;
  const sequence = new Sequence(weight);
  for (const { from, to } of stretchesOf(occurrences.length, maxOccurrences)) {
    const before = occurrences.subarray(0, from);
    const last = yield* lastOccurrences(before, fingerprints.length, BEFORE_STRETCH * maxOccurrences);
    for (const [n, i] of last.entries()) {
      if (n % PART_ELEMENTS === 0) yield;
      const key = occurrences[i] as number;
      if (!isFollowed(key)) continue;
      sequence.push(fingerprints[key] as bigint, ADDED);
      // A detector may treat elements that were found again differently.
      if ((cells[i] as number) > 0) sequence.push(fingerprints[key] as bigint, ADDED);
    }
    sequence.begin(from === 0 ? 0 : trace.positionOf(from - 1));
    for (let i = from; i < to; i++) {
      if (i % PART_ELEMENTS === 0) yield;
      const key = occurrences[i] as number;
      if (isFollowed(key)) sequence.take(fingerprints[key] as bigint, cells[i] as number, trace.positionOf(i));
    }
    sequence.end(to === occurrences.length ? elements : trace.positionOf(to - 1));
  }
  return sequence.replay(elements);
}

interface Stretch {
  from: number;
  to: number;
}

/** The occurrences that a replay takes: all, or one stretch of each part. */
function stretchesOf(occurrences: number, most: number): Stretch[] {
  if (occurrences <= most) return [{ from: 0, to: occurrences }];
  const length = Math.floor(most / STRETCHES);
  return Array.from({ length: STRETCHES }, (_, part) => {
    const from = Math.floor(((part + 0.5) * occurrences) / STRETCHES - length / 2);
    return { from, to: from + length };
  });
}

/** The last occurrences of the elements that were seen last, in their order. */
function* lastOccurrences(occurrences: Uint32Array, keys: number, most: number): Steps<number[]> {
  const isSeen = new Uint8Array(keys);
  const last: number[] = [];
  for (let i = occurrences.length - 1; i >= 0 && last.length < most; i--) {
    if (i % PART_ELEMENTS === 0) yield;
    const key = occurrences[i] as number;
    if (isSeen[key]) continue;
    isSeen[key] = 1;
    last.push(i);
  }
  return last.reverse();
}

/** Builds a replay: as many elements as the weight demands, everywhere. */
class Sequence {
  readonly #weight: number;
  #fingerprints = new BigUint64Array(1024);
  #cells = new Uint16Array(1024);
  #count = 0;
  #distinct = 0;
  /** The start of the current stretch in the stream, and the number of elements before it. */
  #from = 0;
  #before = 0;
  /** Elements of the stream in all stretches. */
  #covered = 0;

  constructor(weight: number) {
    this.#weight = weight;
  }

  begin(position: number): void {
    this.#from = position;
    this.#before = this.#count;
  }

  end(position: number): void {
    this.#covered += position - this.#from;
  }

  take(fingerprint: bigint, cell: number, position: number): void {
    if (this.#weight > 1) {
      const expected = (position - this.#from) / this.#weight;
      const takenElements = this.#count - this.#before;
      const tolerance = TOLERANCE * Math.sqrt(expected);
      if (cell > 0 && takenElements > expected + tolerance && endOf(cell) <= SHORT_GAP * this.#weight) return;
      const missingElements = Math.floor(expected - tolerance) - takenElements;
      for (let addedElements = 0; addedElements < missingElements; addedElements++) this.push(COMMON, ADDED);
    }
    this.push(fingerprint, cell);
  }

  push(fingerprint: bigint, cell: number): void {
    if (this.#count === this.#cells.length) {
      const [fingerprints, cells] = [this.#fingerprints, this.#cells];
      this.#fingerprints = new BigUint64Array(2 * cells.length);
      this.#cells = new Uint16Array(2 * cells.length);
      this.#fingerprints.set(fingerprints);
      this.#cells.set(cells);
    }
    if (cell === 0) this.#distinct++;
    this.#fingerprints[this.#count] = fingerprint;
    this.#cells[this.#count++] = cell;
  }

  replay(elements: number): Replay {
    return {
      elements,
      weight: this.#weight,
      fingerprints: this.#fingerprints.subarray(0, this.#count),
      cells: this.#cells.subarray(0, this.#count),
      distinct: this.#distinct,
      duplicates: Math.max(0, this.#covered / this.#weight - this.#distinct),
    };
  }
}

/** The counts of a detector's errors in a replay, or in several that differ in the seed of the detector. */
export interface Tally {
  falsePositives: number;
  distinct: number;
  falseNegatives: number;
  /** Repeats that were found after the window, as a share of all elements; counted only with points over time. */
  lateShare?: number;
  duplicates: number;
  byGap: RateByGap[];
  /** Empty unless it was asked for. */
  overTime: RateAtPosition[];
  load: number;
}

/** Points over time: the end of the stream, half of it, and so on. */
const POINTS = 12;

/** Runs detectors over replays, one after the other, in one memory. */
export class ReplayBench {
  #memory: WebAssembly.Memory | undefined;

  /**
   * Runs one detector over a replay.
   * @returns undefined if the detector becomes full
   */
  async run(replay: Replay, settings: DetectorSettings, hasPoints: boolean, turns: Turns): Promise<Tally | undefined> {
    await turns.take();
    // Only the witness knows the age of an element.
    const isWatched = hasPoints && settings.family.hasWindow === true;
    const watchedSettings = isWatched ? { ...settings, witnessBytes: DEFAULT_WITNESS_BYTES } : settings;
    const memory = await this.#cleared(watchedSettings, turns);
    const detector = await Detector.ofSettings(watchedSettings, { regionBytes: 0, memory });
    const { fingerprints, cells } = replay;
    const ends = hasPoints ? pointsOf(fingerprints.length) : [fingerprints.length];
    const gaps = new GapTally();
    const overTime: RateAtPosition[] = [];
    let [falsePositives, start] = [0, 0];
    const verdicts = new Uint8Array(fingerprints.length);
    try {
      for (const end of ends) {
        const totalsBefore = gaps.totals();
        const foundBefore = falsePositives;
        for (let from = start; from < end; from += PART_ELEMENTS) {
          const to = Math.min(end, from + PART_ELEMENTS);
          detector.observeBatch(fingerprints.subarray(from, to), verdicts.subarray(from, to));
          falsePositives += gaps.count(cells, verdicts, from, to);
          await turns.take();
        }
        start = end;
        if (!hasPoints) continue;
        const all = gaps.totals();
        overTime.push({
          positionElements: Math.round((end * replay.elements) / fingerprints.length),
          load: detector.stats().load,
          fpr: share(falsePositives - foundBefore, all.distinct - totalsBefore.distinct),
          fnr: share(all.missed - totalsBefore.missed, all.duplicates - totalsBefore.duplicates),
        });
      }
    } catch (error) {
      if (error instanceof FirstseenError && error.code === 'E_FULL') return undefined;
      throw error;
    }
    const { distinct, duplicates } = replay;
    const byGap = gaps.rates(replay);
    const load = hasPoints ? (overTime.at(-1)?.load ?? 0) : 0;
    const lateShare = isWatched ? detector.stats().witness?.lateDuplicateRate?.estimate : undefined;
    const counts = { falsePositives, distinct, falseNegatives: gaps.totals().missed, duplicates };
    return { ...counts, byGap, overTime, load, ...(typeof lateShare === 'number' ? { lateShare } : {}) };
  }

  /** Memory of zeros that has room for a detector. */
  async #cleared(settings: DetectorSettings, turns: Turns): Promise<WebAssembly.Memory> {
    const pages = kernelPages(kernelOptions(settings, { regionBytes: 0 }));
    const bytes = pages * PAGE_BYTES;
    if (!this.#memory || this.#memory.buffer.byteLength < bytes) {
      this.#memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
      return this.#memory;
    }
    const usedBytes = new Uint8Array(this.#memory.buffer, 0, bytes);
    for (let start = 0; start < bytes; start += PART_BYTES) {
      usedBytes.fill(0, start, start + PART_BYTES);
      await turns.take();
    }
    return this.#memory;
  }
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

function pointsOf(count: number): number[] {
  const points = Array.from({ length: POINTS }, (_, i) => Math.ceil(count / 2 ** (POINTS - 1 - i)));
  return [...new Set(points)].filter((point) => point > 0);
}

/** Duplicates and misses by the cell of their gap. */
class GapTally {
  readonly #duplicates = new Float64Array(CELLS);
  readonly #missed = new Float64Array(CELLS);
  #distinct = 0;

  /** Counts verdicts, and returns the false positives among them. */
  count(cells: Uint16Array, verdicts: Uint8Array, start: number, end: number): number {
    let falsePositives = 0;
    for (let i = start; i < end; i++) {
      const cell = cells[i] as number;
      if (cell === ADDED) continue;
      if (cell === 0) {
        this.#distinct++;
        falsePositives += verdicts[i] as number;
        continue;
      }
      this.#duplicates[cell] = (this.#duplicates[cell] as number) + 1;
      this.#missed[cell] = (this.#missed[cell] as number) + 1 - (verdicts[i] as number);
    }
    return falsePositives;
  }

  totals(): { distinct: number; duplicates: number; missed: number } {
    const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
    return { distinct: this.#distinct, duplicates: sum(this.#duplicates), missed: sum(this.#missed) };
  }

  /** Rates by powers of two. Duplicates that the replay does not have are of very common elements: their gaps are short. */
  rates({ elements, duplicates }: Replay): RateByGap[] {
    const rows: RateByGap[] = [];
    for (let toElements = 1; rows.at(-1)?.toElements !== elements; toElements *= 2) {
      const fromElements = rows.at(-1)?.toElements ?? 0;
      rows.push({ fromElements, toElements: Math.min(toElements, elements), share: 0, fnr: 0 });
    }
    for (let cell = 1; cell < CELLS; cell++) {
      const row = rows[Math.min(rows.length - 1, Math.ceil(Math.log2(endOf(cell))))] as RateByGap;
      row.share += this.#duplicates[cell] as number;
      row.fnr += this.#missed[cell] as number;
    }
    const countedDuplicates = this.totals().duplicates;
    const [shortest] = rows as [RateByGap];
    shortest.share += Math.max(0, duplicates - countedDuplicates);
    const all = Math.max(duplicates, countedDuplicates);
    return rows.map((row) => ({ ...row, share: share(row.share, all), fnr: share(row.fnr, row.share) }));
  }
}

/** The tallies of several seeds as one. */
export function joined(tallies: readonly [Tally, ...Tally[]]): Tally {
  const [first] = tallies;
  const sum = (value: (tally: Tally) => number) => tallies.reduce((total, tally) => total + value(tally), 0);
  return {
    ...first,
    falsePositives: sum(({ falsePositives }) => falsePositives),
    distinct: sum(({ distinct }) => distinct),
    falseNegatives: sum(({ falseNegatives }) => falseNegatives),
    duplicates: sum(({ duplicates }) => duplicates),
    byGap: first.byGap.map((rate, i) => ({ ...rate, fnr: sum(({ byGap }) => byGap[i]?.fnr ?? 0) / tallies.length })),
  };
}

/** If fewer events of a rate were seen, the rate follows from the model, within the confidence interval of what was seen. */
const FEW_EVENTS = 16;

/** The measured rates as a prediction. The model is asked only if a rate is too low to be measured. */
export function* measuredPrediction(tally: Tally, modelPredictiondiction: () => Steps<Prediction>): Steps<Prediction> {
  const { falsePositives, distinct, falseNegatives, duplicates, lateShare, byGap, overTime, load } = tally;
  const model = Math.min(falsePositives, falseNegatives) < FEW_EVENTS ? yield* modelPredictiondiction() : undefined;
  const rateOf = (events: number, trials: number, rate: keyof Limit) => {
    if (!model || events >= FEW_EVENTS) return Math.min(1, events / trials);
    const { low, high } = binomialInterval(Math.min(1, events / Math.max(1, trials)), Math.max(1, Math.round(trials)));
    return Math.min(high, Math.max(low, model[rate]));
  };
  return {
    fpr: rateOf(falsePositives, distinct, 'fpr'),
    fnr: rateOf(falseNegatives, duplicates, 'fnr'),
    ...(lateShare === undefined ? {} : { lateDuplicateRate: lateShare }),
    load,
    byGap,
    overTime,
    ...(model?.capacityElements === undefined ? {} : { capacityElements: model.capacityElements }),
  };
}
