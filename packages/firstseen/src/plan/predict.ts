// Computes the rates of a detector over the stream, over time and by gap from the course of its errors.

import { runAtOnce, type Steps } from '../base/steps.js';
import type { Course } from './contract.js';
import type { Grid } from './grid.js';

/** Expected rates at a position of the stream. */
export interface RateAtPosition {
  /** Elements before the position. */
  positionElements: number;
  /** Share of the memory in use. */
  load: number;
  /** Probability that a new element is reported duplicate. */
  fpr: number;
  /** Probability that a duplicate is reported distinct. */
  fnr: number;
}

/** The expected rate of false negatives in a range of gaps. */
export interface RateByGap {
  /** Gaps above this */
  fromElements: number;
  /** and up to this: a power of two, or the length of the stream. */
  toElements: number;
  /** Share of the stream's duplicates. */
  share: number;
  /** False negatives / duplicates with such gaps. */
  fnr: number;
}

/** The errors that the planner expects of a detector over a stream. */
export interface Prediction {
  /** False positives / new elements, over the whole stream. */
  fpr: number;
  /** False negatives / duplicates, over the whole stream. */
  fnr: number;
  /** With a window: repeats that are reported duplicate after it / all elements. A detector that forgets exactly passes them. */
  lateDuplicateRate?: number;
  /** Load at the end of the stream. */
  load: number;
  /** The rate of false negatives by gap. */
  byGap: RateByGap[];
  /** The rates along the stream. */
  overTime: RateAtPosition[];
  /** Distinct elements at which the detector is full, if it can be. */
  capacityElements?: number;
  /** The same, if the stream has more. */
  refusesAfterElements?: number;
  /** The ranges of the rates over the seeds, if they were measured with several. The rates are their means. */
  bySeed?: RatesBySeed;
}

/** The lowest and the highest of some rates. */
export interface RateRange {
  /** The lowest rate. */
  low: number;
  /** The highest rate. */
  high: number;
}

/** The rates that were measured with several seeds. None of these seeds chose the parameters. */
export interface RatesBySeed {
  /** The number of seeds. */
  seeds: number;
  /** False positives of the distinct elements. */
  fpr: RateRange;
  /** False negatives of the duplicates. */
  fnr: RateRange;
}

/** The rates by which candidates are compared. */
export type Rates = Omit<Prediction, 'overTime'>;
/** The rates that need no sum over the gaps. */
export type QuickRates = Pick<Rates, 'fpr' | 'capacityElements' | 'refusesAfterElements'>;

/** The rates over the whole stream of a detector whose course is known. */
function* ratesOf(course: Course, grid: Grid, quickRates: QuickRates): Steps<Rates> {
  const last = grid.positions.length - 1;
  const byGap = yield* ratesByGap(course, grid);
  const duplicates = byGap.reduce((sum, { share }) => sum + share, 0);
  const missedShare = byGap.reduce((sum, { share, fnr }) => sum + share * fnr, 0);
  return {
    ...quickRates,
    fnr: duplicates > 0 ? rateOf(missedShare / duplicates) : 0,
    ...(course.late === undefined ? {} : { lateDuplicateRate: meanOf(course.late, grid) }),
    load: course.load[last] as number,
    byGap: byGap.map((rate) => ({ ...rate, share: duplicates > 0 ? rate.share / duplicates : 0 })),
  };
}

/** As `predictionInSteps`, in half of the time. */
export function* ratesInSteps(courseInSteps: Steps<Course>, grid: Grid): Steps<Rates> {
  return (yield* ratesUnless(courseInSteps, grid, () => false)) as Rates;
}

/**
 * As `ratesInSteps`, or undefined where what takes little time shows that the candidate is not wanted: its rate of false positives,
 * and whether it refuses elements of the stream.
 */
export function* ratesUnless(
  courseInSteps: Steps<Course>,
  grid: Grid,
  isUnwanted: (rates: QuickRates) => boolean,
): Steps<Rates | undefined> {
  const course = yield* courseInSteps;
  yield;
  const quickRates = quickRatesOf(course, grid);
  if (isUnwanted(quickRates)) return undefined;
  return yield* ratesOf(course, grid, quickRates);
}

/** Computes the rates that need no sum over the gaps. */
function quickRatesOf(course: Course, grid: Grid): QuickRates {
  const distinct = grid.stream.distinctIn(grid.stream.lengthElements);
  const refuses = course.refusesAfterElements;
  return {
    fpr: falsePositivesOf(course, grid) / distinct,
    ...(refuses === undefined ? {} : { capacityElements: refuses }),
    ...(refuses !== undefined && refuses < distinct ? { refusesAfterElements: refuses } : {}),
  };
}

/** The rates of a detector whose course is computed in steps. */
export function* predictionInSteps(courseInSteps: Steps<Course>, grid: Grid): Steps<Prediction> {
  const course = yield* courseInSteps;
  yield;
  const rates = yield* ratesOf(course, grid, quickRatesOf(course, grid));
  const overTime: RateAtPosition[] = [];
  for (let i = 1; i < grid.positions.length; i++) {
    overTime.push(rateAt(course, grid, i));
    yield;
  }
  return { ...rates, overTime };
}

/** As `predictionInSteps`, at once. */
export function predictionOf(course: Steps<Course>, grid: Grid): Prediction {
  return runAtOnce(predictionInSteps(course, grid));
}

/** Removes the rounding errors of a sum. */
function rateOf(chance: number): number {
  return Math.min(1, Math.max(0, chance));
}

/** The mean of a share along the stream. */
function meanOf(shares: Float64Array, { positions }: Grid): number {
  let sum = 0;
  for (let i = 1; i < positions.length; i++) {
    const span = (positions[i] as number) - (positions[i - 1] as number);
    sum += (span * ((shares[i] as number) + (shares[i - 1] as number))) / 2;
  }
  return sum / (positions.at(-1) as number);
}

function falsePositivesOf({ falsePositive }: Course, { distinct }: Grid): number {
  let sum = 0;
  for (let i = 1; i < distinct.length; i++) {
    const added = (distinct[i] as number) - (distinct[i - 1] as number);
    sum += (added * ((falsePositive[i] as number) + (falsePositive[i - 1] as number))) / 2;
  }
  return sum;
}

/** Returns the rates by powers of two. The shares are numbers of duplicates here. */
function* ratesByGap(course: Course, { positions, cells, at }: Grid): Steps<RateByGap[]> {
  const duplicates = new Float64Array(cells.length);
  const missedByCell = new Float64Array(cells.length);
  for (let i = 1; i < positions.length; i++) {
    // Trapezoids: every position represents half of the distance to its neighbours.
    const next = positions[Math.min(i + 1, positions.length - 1)] as number;
    const stretch = (next - (positions[i - 1] as number)) / 2;
    const { shares } = at[i] as Grid['at'][number];
    for (let c = 0; c < shares.length; c++) {
      const share = shares[c] as number;
      duplicates[c] = (duplicates[c] as number) + share * stretch;
      missedByCell[c] = (missedByCell[c] as number) + share * stretch * rateOf(course.miss(i, c));
    }
    yield;
  }
  const rates: RateByGap[] = [];
  for (const [c, { fromElements, toElements }] of cells.entries()) {
    const isNew = fromElements === 0 || Number.isInteger(Math.log2(fromElements));
    if (isNew) rates.push({ fromElements, toElements, share: 0, fnr: 0 });
    const rate = rates.at(-1) as RateByGap;
    rate.toElements = toElements;
    rate.share += duplicates[c] as number;
    rate.fnr += missedByCell[c] as number;
  }
  return rates.map((rate) => ({ ...rate, fnr: rate.share > 0 ? rateOf(rate.fnr / rate.share) : 0 }));
}

function rateAt(course: Course, { positions, at }: Grid, i: number): RateAtPosition {
  const { shares } = at[i] as Grid['at'][number];
  let duplicates = 0;
  let missedShare = 0;
  for (const [c, share] of shares.entries()) {
    duplicates += share;
    missedShare += share * rateOf(course.miss(i, c));
  }
  return {
    positionElements: positions[i] as number,
    load: course.load[i] as number,
    fpr: course.falsePositive[i] as number,
    fnr: duplicates > 0 ? missedShare / duplicates : 0,
  };
}
