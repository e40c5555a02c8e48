// The limit for any structure. To recognise n elements except for a share d, with a probability e of taking another element for
// one of them, a structure needs at least
//     n ((1 - d) log2((1 - d) / e) + d log2(d / (1 - e)))   bits,
// the divergence of one rate from the other, or n log2(1 / e) if none may be missed (Carter, Floyd, Gill, Markowsky and Wegman,
// Exact and approximate membership testers, STOC 1978).

import { bisect } from '../base/bisection.js';
import { runAtOnce, type Steps } from '../base/steps.js';
import type { GapsAt, Grid } from './grid.js';
import type { Limit, Moment } from './moments.js';

/** The limit is computed for this number of octaves at the end of a stream, and is 0 before them. */
const OCTAVES = 10;
/** Halvings of the range of prices: its 120 octaves become less than 1e-5. */
const PRICE_STEPS = 24;
/** Steps by the golden section over the rates of false positives: 35 natural logarithms become less than 0.001. */
const RATE_STEPS = 22;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const MIN_RATE = 1e-15;
/** Halvings of the range of prices for a target. An error of the price matters little, because its limit is near a maximum. */
const TARGET_STEPS = 8;
/** The highest rate of false positives. */
const ANY_RATE = 1 - 1e-9;

/** The maximum number of elements that a number of bits remembers without a miss at a rate of false positives. */
export function maxRememberedElements(bits: number, fpr: number): number {
  return Math.floor(bits / -Math.log2(fpr));
}

/** The minimum number of bits that remember a number of elements without a miss. */
export function minBits(elements: number, fpr: number): number {
  return Math.ceil(elements * -Math.log2(fpr));
}

function bitsEach(fpr: number, fnr: number): number {
  const term = (share: number, other: number) => (share <= 0 ? 0 : share * Math.log2(share / other));
  return term(1 - fnr, fpr) + term(fnr, 1 - fpr);
}

/** Returns the elements and shares that a structure can know that decides only by how long ago an element came. */
function classesAt({ stream, cells }: Grid, at: GapsAt, position: number): Omit<Moment, 'weights'> {
  const total = at.shares.reduce((sum, share) => sum + share, 0);
  const distinctWithin = (gap: number) => stream.distinctIn(Math.min(gap, position));
  return {
    elements: at.shares.map((_, c) => {
      const { fromElements, toElements } = cells[c] as { fromElements: number; toElements: number };
      return distinctWithin(toElements) - distinctWithin(fromElements);
    }),
    share: at.shares.map((share) => (total > 0 ? share / total : 0)),
  };
}

/** The moments of a grid, or those that were counted in its stream. */
function* momentsOf(grid: Grid, knowledge: Knowledge): Steps<readonly Moment[]> {
  const { positions, distinct, resolution, stream } = grid;
  if (stream.ideal) return stream.ideal[knowledge];
  const last = positions.length - 1;
  const from = Math.max(1, last - OCTAVES * resolution.positionsPerOctave);
  const newTotal = distinct[last] as number;
  const duplicateTotal = (positions[last] as number) - newTotal;
  const moments: Moment[] = [];
  for (let i = from; i <= last; i++) {
    const weights = weightsAt(grid, i, newTotal, duplicateTotal);
    moments.push({ weights, ...classesAt(grid, grid.at[i] as GapsAt, positions[i] as number) });
    yield;
  }
  return moments;
}

/**
 * The knowledge of an ideal structure about an element that it has seen: how long ago it came, or also how often. It
 * knows nothing else about which elements come back. Without a sample, elements are taken to differ only by how long
 * ago they came.
 */
export type Knowledge = keyof NonNullable<Grid['stream']['ideal']>;

/** Returns the kinds of knowledge that the limits of a stream assume; the lowest of these limits is the limit. */
export function knowledgeOf({ stream }: Grid): readonly Knowledge[] {
  return stream.ideal ? ['recency', 'frequency'] : ['recency'];
}

/**
 * The least share of missed duplicates with a number of bits at a rate of false positives. Bits go where they find the most
 * duplicates: an element that repeats with chance h per element of the stream is missed with
 * d / (1 - d) = (1 - e) / e 2^(-h / price), so that the last bit spent on each element is worth the same.
 */
function minFnr({ elements, share }: Moment, bits: number, fpr: number): number {
  const spend = (price: number) => {
    let usedBits = 0;
    let missedShare = 0;
    for (let c = 0; c < elements.length; c++) {
      const count = elements[c] as number;
      if (count <= 0) continue;
      const odds = ((1 - fpr) / fpr) * 2 ** -((share[c] as number) / count / price);
      const fnr = odds / (1 + odds);
      usedBits += count * bitsEach(fpr, fnr);
      missedShare += (share[c] as number) * fnr;
    }
    return { used: usedBits, missed: missedShare };
  };
  const [, high] = bisect([-100, 20], PRICE_STEPS, (power) => spend(2 ** power).used > bits);
  return spend(2 ** high).missed;
}

/** The rate of false positives with the least weighted sum of both rates, at a price; the sum has one minimum. */
function* best(moment: Moment, bits: number, price: number): Steps<Limit> {
  const { weights } = moment;
  const cost = (fpr: number) => price * weights.fpr * fpr + weights.fnr * minFnr(moment, bits, fpr);
  let low = Math.log(MIN_RATE);
  let high = Math.log(ANY_RATE);
  let [left, right] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [leftCost, rightCost] = [cost(Math.exp(left)), cost(Math.exp(right))];
  for (let step = 0; step < RATE_STEPS; step++) {
    if (leftCost < rightCost) {
      [high, right, rightCost] = [right, left, leftCost];
      left = high - GOLDEN * (high - low);
      leftCost = cost(Math.exp(left));
    } else {
      [low, left, leftCost] = [left, right, rightCost];
      right = low + GOLDEN * (high - low);
      rightCost = cost(Math.exp(right));
    }
    yield;
  }
  const fpr = Math.exp((low + high) / 2);
  return { fpr, fnr: minFnr(moment, bits, fpr) };
}

/** The rates over a stream with the least FNR + price * FPR. */
function* bestOver(moments: readonly Moment[], bits: number, price: number): Steps<Limit> {
  const sum: Limit = { fpr: 0, fnr: 0 };
  for (const moment of moments) {
    const rates = yield* best(moment, bits, price);
    sum.fpr += moment.weights.fpr * rates.fpr;
    sum.fnr += moment.weights.fnr * rates.fnr;
  }
  return sum;
}

/**
 * The least sum of both rates, if the mean rate of false positives over the stream is at most `maxFpr`. If the least sum of all
 * has a higher one, FPR = maxFpr, and for every price FNR is at least the minimum of FNR + price * FPR less price * maxFpr.
 */
function* limitOver(moments: readonly Moment[], bits: number, maxFpr: number): Steps<Limit> {
  const free = yield* bestOver(moments, bits, 1);
  if (free.fpr <= maxFpr) return free;
  let fnr = free.fnr + free.fpr - maxFpr;
  // A structure that calls everything new costs 1, so the best has FPR <= 1 / price.
  let [low, high] = [0, -Math.log2(maxFpr)];
  for (let step = 0; step < TARGET_STEPS; step++) {
    const middle = (low + high) / 2;
    const price = 2 ** middle;
    const rates = yield* bestOver(moments, bits, price);
    fnr = Math.max(fnr, rates.fnr + price * (rates.fpr - maxFpr));
    if (rates.fpr > maxFpr) low = middle;
    else high = middle;
  }
  return { fpr: maxFpr, fnr };
}

/**
 * The least sum of both rates over a stream, for a structure of a number of bits whose rate of false positives over the stream is
 * limited.
 */
function* limitInSteps(
  grid: Grid,
  bits: number,
  maxFpr = 1,
  knowledge: readonly Knowledge[] = knowledgeOf(grid),
): Steps<Limit> {
  const limits: Limit[] = [];
  for (const known of knowledge) limits.push(yield* limitOver(yield* momentsOf(grid, known), bits, maxFpr));
  return limits.reduce((least, next) => (next.fpr + next.fnr < least.fpr + least.fnr ? next : least));
}

/** As `limitInSteps`, at once. */
export function limitOf(grid: Grid, bits: number, maxFpr?: number, knowledge?: readonly Knowledge[]): Limit {
  return runAtOnce(limitInSteps(grid, bits, maxFpr, knowledge));
}

/** Tells if the limits allow a structure of a number of bits that has at most these rates over a stream. */
export function* allows(grid: Grid, bits: number, { fpr, fnr }: Limit): Steps<boolean> {
  const price = fnr / fpr;
  for (const known of knowledgeOf(grid)) {
    const least = yield* bestOver(yield* momentsOf(grid, known), bits, price);
    if (least.fnr + price * least.fpr <= fnr + price * fpr) return true;
  }
  return false;
}

/** The shares of all new elements and of all duplicates that come about a position: half of those up to each of its neighbours. */
function weightsAt({ positions, distinct }: Grid, i: number, newTotal: number, duplicateTotal: number): Limit {
  const [before, after] = [Math.max(0, i - 1), Math.min(positions.length - 1, i + 1)];
  const fresh = ((distinct[after] as number) - (distinct[before] as number)) / 2;
  const repeats = ((positions[after] as number) - (positions[before] as number)) / 2 - fresh;
  return { fpr: fresh / newTotal, fnr: duplicateTotal > 0 ? Math.max(0, repeats) / duplicateTotal : 0 };
}

/** The rates of false positives for which a limit is computed: from 2^-20 in quarters of an octave, from 2^-2 in sixteenths. */
const TRIED_RATES = Float64Array.of(
  ...Array.from({ length: 72 }, (_, i) => 2 ** (i / 4 - 20)),
  ...Array.from({ length: 33 }, (_, i) => 2 ** (i / 16 - 2)),
);
/** The price of a false positive in false negatives, from 2^-16 to 2^20. */
const PRICES = Float64Array.from({ length: 145 }, (_, i) => 2 ** (i / 4 - 16));

/**
 * The least share of missed duplicates over a stream, for a structure of a number of bits, as a function of its mean rate of
 * false positives. For every price, FNR + price * FPR of any structure is at least the sum of the minima at every position. The
 * price with the strongest statement is used.
 */
export function minFnrOf(grid: Grid, bits: number): (fpr: number) => number {
  const limits = knowledgeOf(grid).map((known) => minFnrKnowing(runAtOnce(momentsOf(grid, known)), bits));
  return (fpr) => Math.min(...limits.map((limit) => limit(fpr)));
}

function minFnrKnowing(moments: readonly Moment[], bits: number): (fpr: number) => number {
  const costs = new Float64Array(PRICES.length);
  for (const moment of moments) {
    const { weights } = moment;
    const least = TRIED_RATES.map((fpr) => weights.fnr * minFnr(moment, bits, Math.min(fpr, ANY_RATE)));
    for (const [p, price] of PRICES.entries()) {
      costs[p] = (costs[p] as number) + minCost(least, price * weights.fpr);
    }
  }
  return (fpr) => costs.reduce((most, cost, p) => Math.max(most, cost - (PRICES[p] as number) * fpr), 0);
}

/** The least of FNR + price * FPR. Between two rates, FNR is at least that of the higher one and FPR that of the lower one. */
function minCost(fnr: Float64Array, price: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let r = 0; r < fnr.length; r++) {
    const lower = r === 0 ? 0 : (TRIED_RATES[r - 1] as number);
    least = Math.min(least, (fnr[r] as number) + price * lower);
  }
  return least;
}

/** The limits that a plan shows. */
export interface PlanLimits {
  /**
   * The least sum of both rates, at the target rate and at any rate, for structures that go by how long ago each element came and,
   * on a stream that was counted, by how often. Absent for a stream of which only the beginning is known.
   */
  limit?: Limit;
  /** As `limit`, but with any rate of false positives. */
  limitAtAnyFpr?: Limit;
  /** The same for structures that go only by how long ago each element came, if it is higher. */
  recencyLimit?: Limit;
  /** As `recencyLimit`, but with any rate of false positives. */
  recencyLimitAtAnyFpr?: Limit;
}

function sumOf({ fpr, fnr }: Limit): number {
  return fpr + fnr;
}

/** The share by which a limit must be lower than another to be shown next to it. */
const TELLING = 0.02;

/** No limit holds beyond what is known of a stream. */
export function* limitsOf(grid: Grid, bits: number, fpr: number): Steps<PlanLimits> {
  if (grid.stream.knownElements !== undefined) return {};
  const limit = yield* limitInSteps(grid, bits, fpr);
  const limitAtAnyFpr = yield* limitInSteps(grid, bits);
  if (!grid.stream.ideal) return { limit, limitAtAnyFpr };
  const recencyLimit = yield* limitInSteps(grid, bits, fpr, ['recency']);
  const recencyLimitAtAnyFpr = yield* limitInSteps(grid, bits, undefined, ['recency']);
  const isTelling = sumOf(limitAtAnyFpr) < (1 - TELLING) * sumOf(recencyLimitAtAnyFpr);
  return { limit, limitAtAnyFpr, ...(isTelling ? { recencyLimit, recencyLimitAtAnyFpr } : {}) };
}
