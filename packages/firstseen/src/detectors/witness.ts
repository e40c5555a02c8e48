// Error rates with confidence intervals from the sums of the witness (docs/WITNESS.md). The kernel's part, assembly/witness.ts,
// follows the elements of the slice and keeps the sums.

import { checkBytes } from '../check.js';
import { invalidOption } from '../errors.js';
import {
  WINDOW_ADDS,
  WINDOW_ELEMENTS,
  WINDOW_NONE,
  WINDOW_TIME,
  WITNESS_DISTINCT_SUM,
  WITNESS_FALSE_POSITIVES_SUM,
  WITNESS_GAP_SUMS,
  WITNESS_GAPS,
  WITNESS_GROUP_SUMS,
  WITNESS_GROUPS,
  WITNESS_HELD_OFFSET,
  WITNESS_LEVEL_OFFSET,
  WITNESS_SUMS_OFFSET,
} from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import type { ResolvedParameters } from './contract.js';
import { binomialInterval, NORMAL_QUANTILE, type RateEstimate, studentQuantile, unknownRate } from './intervals.js';

/** With twice as much memory the witness takes more than 3 % of a run's time (docs/BENCHMARKS.md). */
export const DEFAULT_WITNESS_BYTES = 2 ** 19;
/** The sums take 25,152 bytes. The rest must have room for some hundreds of elements. */
export const LEAST_WITNESS_BYTES = 2 ** 15;
const WORD_BYTES = 8;

/** False negatives among the duplicates in a range of gaps. */
export interface GapEstimate extends RateEstimate {
  /** The range of gaps, both ends included. */
  gapFromElements: number;
  gapToElements: number;
  /** Estimated duplicates with such gaps in the stream, and how many of them were missed. */
  duplicates: number;
  falseNegatives: number;
}

/** The witness's estimates of the error rates of the stream so far. */
export interface WitnessStats {
  /** Share of all elements that the witness follows now. At 1 the rates are exact. */
  fraction: number;
  /** Number of elements that it follows. */
  elements: number;
  falsePositiveRate: RateEstimate;
  /** Of the repeats; with a window, without those that were reported distinct after it. */
  falseNegativeRate: RateEstimate;
  /** Rates of false negatives by gap, for gaps that occurred. */
  byGap: GapEstimate[];
  memoryBytes: number;
}

/** The witness's sums of one group of elements, each observation with its weight. */
export interface GroupSums {
  distinct: number;
  falsePositives: number;
  duplicates: number;
  falseNegatives: number;
}

/** Known totals of the whole stream. */
export interface KnownTotals {
  observed: number;
  /** Elements reported duplicate. */
  reported: number;
}

/** Bytes of the witness in whole words, as snapshots store it; 0 without one. @throws FirstseenError E_PARAMETER or E_MEMORY. */
export function resolveWitnessBytes(witness: boolean | { memory: number | string }): number {
  if (typeof witness === 'boolean') return witness ? DEFAULT_WITNESS_BYTES : 0;
  if (typeof witness !== 'object') {
    throw invalidOption({ option: 'witness', given: witness, expected: 'true, false or { memory }' });
  }
  return Math.floor(checkBytes('witness.memory', witness.memory, LEAST_WITNESS_BYTES) / WORD_BYTES) * WORD_BYTES;
}

/** The window by which the witness judges repeats, as the kernel takes it: up to the age at which they are found for certain. */
export function witnessWindow({ band, values, countsAdds = false }: ResolvedParameters): {
  unit: number;
  size: number;
  refreshes: boolean;
} {
  const refreshes = values.refresh === 'yes';
  if (band === undefined) return { unit: WINDOW_NONE, size: 0, refreshes };
  if ('fromMilliseconds' in band) return { unit: WINDOW_TIME, size: band.fromMilliseconds, refreshes };
  return { unit: countsAdds ? WINDOW_ADDS : WINDOW_ELEMENTS, size: band.fromElements, refreshes };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The variance of a sum over groups into which its parts fell at random (Wolter 2007, 2.2). */
function groupedVariance(parts: readonly number[]): number {
  const mean = sum(parts) / parts.length;
  return (parts.length / (parts.length - 1)) * sum(parts.map((part) => (part - mean) ** 2));
}

/** The effective number of groups: groups of equal weight that weigh as evenly (Kish 1965, 11.7). */
function effectiveGroups(weights: readonly number[]): number {
  return sum(weights) ** 2 / sum(weights.map((weight) => weight ** 2));
}

/** One way to estimate the rate. */
interface Route {
  rate: number;
  variance: number;
  /** The number of independent trials that would be as uncertain. */
  trials: number;
}

interface Sample {
  rate: number;
  /** Of the estimate, over groups. */
  variance: number;
  /** Duplicates in the stream that the rate is a share of. */
  base: number;
  degreesOfFreedom: number;
  fraction: number;
}

/**
 * The number of independent trials with the same variance (Korn and Graubard 1998, with Student's quantile), but no more than
 * the slice has at its present fraction.
 */
function sampleRoute({ rate, variance, base, degreesOfFreedom, fraction }: Sample): Route {
  const most = (base * fraction) / (1 - fraction);
  const binomial = rate * (1 - rate);
  if (variance === 0 || binomial <= 0) return { rate, variance, trials: most };
  const factor = (NORMAL_QUANTILE / studentQuantile(degreesOfFreedom)) ** 2;
  return { rate, variance, trials: Math.min(most, (binomial / variance) * factor) };
}

/** A known total is used only if the number of duplicates is uncertain by less than this share. */
const MOST_DOUBT = 0.25;
/** A route that frequent elements cannot distort is replaced only by one with less than this share of its variance. */
const MUCH_SMALLER = 0.5;

/**
 * The rate from the totals alone. Elements reported distinct are the distinct elements without the false positives, and the
 * false negatives. An element counts once, however often it came.
 */
function balanceRoute(sums: GroupSums, { observed, reported }: KnownTotals, fraction: number): Route | undefined {
  const duplicates = observed - sums.distinct;
  const spread = (1 - fraction) / fraction;
  if (!(Math.sqrt(spread * sums.distinct) < MOST_DOUBT * duplicates)) return undefined;
  const found = sums.distinct - sums.falsePositives;
  const rate = (observed - reported - found) / duplicates;
  if (!(rate > 0 && rate < 1)) return undefined;
  const variance = (spread * (found * (1 - rate) ** 2 + sums.falsePositives * rate ** 2)) / duplicates ** 2;
  return { rate, variance, trials: (rate * (1 - rate)) / variance };
}

/** The rate from the false negatives seen, among all elements that were or should have been reported duplicate. */
function reportedRoute(
  groups: readonly GroupSums[],
  sums: GroupSums,
  known: KnownTotals,
  fraction: number,
): Route | undefined {
  const duplicates = known.reported - sums.falsePositives + sums.falseNegatives;
  const doubt = (1 - fraction) * groupedVariance(groups.map((g) => g.falseNegatives - g.falsePositives));
  if (!(duplicates > 0 && Math.sqrt(doubt) < MOST_DOUBT * duplicates)) return undefined;
  const rate = sums.falseNegatives / duplicates;
  const parts = groups.map((g) => (1 - rate) * g.falseNegatives + rate * g.falsePositives);
  const variance = ((1 - fraction) * groupedVariance(parts)) / duplicates ** 2;
  return sampleRoute({ rate, variance, base: duplicates, degreesOfFreedom: groups.length - 1, fraction });
}

/** The rate among the duplicates that the witness saw. */
function sampledRoute(
  groups: readonly Pick<GroupSums, 'duplicates' | 'falseNegatives'>[],
  sums: Pick<GroupSums, 'duplicates' | 'falseNegatives'>,
  fraction: number,
): Route | undefined {
  if (sums.duplicates === 0) return undefined;
  const rate = sums.falseNegatives / sums.duplicates;
  const variance =
    ((1 - fraction) * groupedVariance(groups.map((g) => g.falseNegatives - rate * g.duplicates))) /
    sums.duplicates ** 2;
  const even = effectiveGroups(groups.map((g) => g.duplicates));
  const degreesOfFreedom = Math.max(1, even - 1);
  return sampleRoute({ rate, variance, base: sums.duplicates, degreesOfFreedom, fraction });
}

function intervalOf(route: Route | undefined): RateEstimate {
  return route ? binomialInterval(route.rate, route.trials) : unknownRate;
}

/** The sums over all groups. */
function total(groups: readonly GroupSums[]): GroupSums {
  return {
    distinct: sum(groups.map((group) => group.distinct)),
    falsePositives: sum(groups.map((group) => group.falsePositives)),
    duplicates: sum(groups.map((group) => group.duplicates)),
    falseNegatives: sum(groups.map((group) => group.falseNegatives)),
  };
}

/** False positives among the distinct elements: each counts once, so the trials are independent. */
function estimateFalsePositives(groups: readonly GroupSums[], fraction: number): RateEstimate {
  const { distinct, falsePositives } = total(groups);
  if (distinct === 0) return unknownRate;
  return binomialInterval(falsePositives / distinct, (distinct * fraction) / (1 - fraction));
}

/**
 * False negatives among the duplicates. A few elements may have most of the duplicates, and the slice sees few or many depending
 * on whether it contains them. So the totals of the whole stream come first, and the slice's own duplicates last. In this order
 * a route is used unless a later one has a much smaller variance.
 */
function estimateFalseNegatives(groups: readonly GroupSums[], known: KnownTotals, fraction: number): RateEstimate {
  const sums = total(groups);
  const sampled = sampledRoute(groups, sums, fraction);
  if (fraction === 1) return intervalOf(sampled);
  const reported = reportedRoute(groups, sums, known, fraction);
  // If no false negative was seen, the variances do not distinguish the routes.
  const balance = sums.falseNegatives === 0 ? undefined : balanceRoute(sums, known, fraction);
  let chosen = balance;
  for (const route of [reported, sampled]) {
    if (!route || (chosen && !(route.variance < MUCH_SMALLER * chosen.variance))) continue;
    chosen = route;
  }
  return intervalOf(chosen);
}

/** The share of the space of hashes that the witness follows now. */
function fractionOf({ bytes, witnessOffset }: Kernel): number {
  const level = new DataView(bytes.buffer, witnessOffset).getBigUint64(WITNESS_LEVEL_OFFSET, true);
  return 2 ** -Number(level);
}

/** The sums of the kernel's witness. */
class Sums {
  readonly #sums: BigUint64Array;

  constructor(kernel: Kernel) {
    const offset = kernel.witnessOffset + WITNESS_SUMS_OFFSET;
    this.#sums = new BigUint64Array(kernel.bytes.buffer, offset, WITNESS_GROUPS * WITNESS_GROUP_SUMS);
  }

  #at(group: number, index: number): number {
    return Number(this.#sums[group * WITNESS_GROUP_SUMS + index]);
  }

  ofGap(group: number, gap: number): Pick<GroupSums, 'duplicates' | 'falseNegatives'> {
    const pair = WITNESS_GAP_SUMS + 2 * gap;
    return { duplicates: this.#at(group, pair), falseNegatives: this.#at(group, pair + 1) };
  }

  falsePositivesOfGroup(group: number): Pick<GroupSums, 'distinct' | 'falsePositives'> {
    return {
      distinct: this.#at(group, WITNESS_DISTINCT_SUM),
      falsePositives: this.#at(group, WITNESS_FALSE_POSITIVES_SUM),
    };
  }

  ofGroup(group: number): GroupSums {
    const gaps = Array.from({ length: WITNESS_GAPS }, (_, gap) => this.ofGap(group, gap));
    return {
      ...this.falsePositivesOfGroup(group),
      duplicates: sum(gaps.map(({ duplicates }) => duplicates)),
      falseNegatives: sum(gaps.map(({ falseNegatives }) => falseNegatives)),
    };
  }
}

/**
 * The sums behind the rate of false positives, each observation with its weight, and the share of the elements that is followed.
 * @internal
 */
export function falsePositiveSums(
  kernel: Kernel,
): Pick<GroupSums, 'distinct' | 'falsePositives'> & { fraction: number } {
  const sums = new Sums(kernel);
  const groups = Array.from({ length: WITNESS_GROUPS }, (_, group) => sums.falsePositivesOfGroup(group));
  return {
    distinct: sum(groups.map((group) => group.distinct)),
    falsePositives: sum(groups.map((group) => group.falsePositives)),
    fraction: fractionOf(kernel),
  };
}

function byGap(sums: Sums, fraction: number): GapEstimate[] {
  const rows: GapEstimate[] = [];
  for (let gap = 0; gap < WITNESS_GAPS; gap++) {
    const groups = Array.from({ length: WITNESS_GROUPS }, (_, group) => sums.ofGap(group, gap));
    const duplicates = sum(groups.map((group) => group.duplicates));
    const falseNegatives = sum(groups.map((group) => group.falseNegatives));
    if (duplicates === 0) continue;
    rows.push({
      gapFromElements: 2 ** gap,
      gapToElements: 2 ** (gap + 1) - 1,
      duplicates,
      falseNegatives,
      ...intervalOf(sampledRoute(groups, { duplicates, falseNegatives }, fraction)),
    });
  }
  return rows;
}

/**
 * The stats of a kernel's witness, given the totals of its detector.
 * @internal
 */
export function witnessStats(kernel: Kernel, known: KnownTotals): WitnessStats {
  const head = new DataView(kernel.bytes.buffer, kernel.witnessOffset);
  const held = head.getBigUint64(WITNESS_HELD_OFFSET, true);
  const fraction = fractionOf(kernel);
  const sums = new Sums(kernel);
  const groups = Array.from({ length: WITNESS_GROUPS }, (_, group) => sums.ofGroup(group));
  return {
    fraction,
    elements: Number(held),
    falsePositiveRate: estimateFalsePositives(groups, fraction),
    falseNegativeRate: estimateFalseNegatives(groups, known, fraction),
    byGap: byGap(sums, fraction),
    memoryBytes: kernel.witnessBytes,
  };
}
