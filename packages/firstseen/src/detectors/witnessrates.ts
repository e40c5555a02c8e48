// Error rates with confidence intervals from the sums of the witness. docs/WITNESS.md has the derivations.

import {
  type Count,
  countInterval,
  limitedRate,
  NORMAL_QUANTILE,
  type RateEstimate,
  studentQuantile,
  unknownRate,
} from './intervals.js';

/** Duplicates and false negatives of one group of elements, each observation with its weight. */
export interface GapSums {
  duplicates: number;
  falseNegatives: number;
}

/** The witness's sums of one group of elements, each observation with its weight. */
export interface GroupSums extends GapSums {
  distinct: number;
  falsePositives: number;
  /** False negatives of elements that were watched. */
  watched: number;
}

/** The counts of the watch list. */
export interface WatchCounts {
  /** False negatives of watched elements in the blocks that the list looks at, and how many of the stream each represents. */
  misses: number;
  missWeight: number;
  /** Elements that were missed for the first time since they were watched. */
  found: number;
  /** The number of times that an element is reported distinct, on average, until it is watched. */
  entryWeight: number;
}

/** Everything that the kernel's witness says about a stream. */
export interface Evidence {
  /** Share of all elements that the witness follows now. */
  fraction: number;
  groups: readonly GroupSums[];
  /** Variances of the sums of distinct elements and of false positives. */
  distinctVariance: number;
  falsePositivesVariance: number;
  watch: WatchCounts;
  /** True if repeats beyond a window are left out, so that the totals of the stream say nothing about the errors. */
  hasWindow: boolean;
}

/** Known totals of the whole stream. */
export interface KnownTotals {
  observed: number;
  /** Elements reported duplicate. */
  reported: number;
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

/** Returns the factor of a variance with these degrees of freedom with which normal quantiles can be used. */
function studentFactor(degreesOfFreedom: number): number {
  return (studentQuantile(degreesOfFreedom) / NORMAL_QUANTILE) ** 2;
}

/**
 * The weight of an event that a sample of a fraction of the elements missed: it misses k events with the probability
 * (1 - fraction)^k.
 */
function missedWeight(fraction: number): number {
  return -1 / Math.log1p(-fraction);
}

/** The sums over all groups. */
function total(groups: readonly GroupSums[]): GroupSums {
  return {
    distinct: sum(groups.map((group) => group.distinct)),
    falsePositives: sum(groups.map((group) => group.falsePositives)),
    duplicates: sum(groups.map((group) => group.duplicates)),
    falseNegatives: sum(groups.map((group) => group.falseNegatives)),
    watched: sum(groups.map((group) => group.watched)),
  };
}

/** One way to estimate the rate. */
interface Route extends RateEstimate {
  estimate: number;
  /** The variance of the estimate; at least that with one more false negative. */
  variance: number;
}

/** A known total is used only if the number of duplicates is uncertain by less than this share. */
const MAX_DOUBT = 0.25;
/** A route that frequent elements cannot distort is replaced only by one with less than this share of its variance. */
const MUCH_SMALLER = 0.5;
/** Routes that differ by more standard errors than this contradict each other. */
const MAX_DEVIATION = 3;

/**
 * The rate from the totals alone. Elements reported distinct are the distinct elements without the false positives, and the
 * false negatives. An element counts once, however often it came.
 */
function balanceRoute(sums: GroupSums, evidence: Evidence, { observed, reported }: KnownTotals): Route | undefined {
  const { distinctVariance, falsePositivesVariance, hasWindow } = evidence;
  const duplicates = observed - sums.distinct;
  if (hasWindow || !(Math.sqrt(distinctVariance) < MAX_DOUBT * duplicates)) return undefined;
  const distinctReports = sums.distinct - sums.falsePositives;
  const rate = (observed - reported - distinctReports) / duplicates;
  if (!(rate > 0 && rate < 1)) return undefined;
  const foundVariance = distinctVariance - falsePositivesVariance;
  const variance = (foundVariance * (1 - rate) ** 2 + falsePositivesVariance * rate ** 2) / duplicates ** 2;
  const ofFound = (NORMAL_QUANTILE * Math.sqrt(foundVariance) * (1 - rate)) / duplicates;
  // False positives may be few, so their interval is not even (Zou and Donner 2008 for the interval of the sum).
  const { estimate, low, high } = falsePositiveRate(evidence);
  if (estimate === null) return undefined;
  const ofFalsePositives = (difference: number) => (difference * sums.distinct * rate) / duplicates;
  const below = Math.hypot(ofFound, ofFalsePositives(estimate - low));
  const above = Math.hypot(ofFound, ofFalsePositives(high - estimate));
  return { ...limitedRate(rate, rate - below, rate + above), variance };
}

/** The count of a share of the duplicates, estimated as the sum of parts by group. */
function groupedCount(events: number, parts: readonly number[], degreesOfFreedom: number, fraction: number): Count {
  const variance = (1 - fraction) * groupedVariance(parts) * studentFactor(degreesOfFreedom);
  return { events, variance, missedWeight: missedWeight(fraction) };
}

/** With fewer independent false negatives than this, the slice does not show how unevenly elements are missed. */
const FEW_EVENTS = 10;
/** An element may leave the watch list before it is missed again, so that several entries may be lost for one that is found. */
const ENTRIES_FOR_ONE = 2;

/** Returns the bounds of the false negatives of elements that were not watched, from the slice. */
function othersInterval(count: Count, watch: WatchCounts, base: number): { low: number; high: number } {
  const interval = countInterval(count, base);
  if (watch.found === 0 || count.events ** 2 >= FEW_EVENTS * count.variance) return interval;
  // Each element that was found had been missed before it was watched.
  const weight = ENTRIES_FOR_ONE * watch.entryWeight;
  const before = { events: watch.found * weight, variance: watch.found * weight ** 2, missedWeight: weight };
  return { low: interval.low, high: Math.max(interval.high, countInterval(before, base).high) };
}

/**
 * The rate from the false negatives seen, among all elements that were or should have been reported duplicate. The false negatives
 * of watched elements are counted separately from those of the other elements in the slice (Zou and Donner 2008 for the interval of
 * the sum).
 */
function reportedRoute(sums: GroupSums, evidence: Evidence, { reported }: KnownTotals): Route | undefined {
  const { groups, fraction, watch } = evidence;
  const watchedMisses = watch.misses * watch.missWeight;
  const otherMisses = sums.falseNegatives - sums.watched;
  const duplicates = reported - sums.falsePositives + watchedMisses + otherMisses;
  const othersOf = (group: GroupSums) => group.falseNegatives - group.watched;
  const doubt = (1 - fraction) * groupedVariance(groups.map((group) => othersOf(group) - group.falsePositives));
  if (!(duplicates > 0 && Math.sqrt(doubt) < MAX_DOUBT * duplicates)) return undefined;
  const rate = Math.min(1, (watchedMisses + otherMisses) / duplicates);
  const parts = groups.map((group) => (1 - rate) * othersOf(group) + rate * group.falsePositives);
  const othersCount = groupedCount(otherMisses, parts, groups.length - 1, fraction);
  const watchedCount = {
    events: watchedMisses,
    variance: watchedMisses * (watch.missWeight - 1) * (1 - rate),
    missedWeight: missedWeight(1 / watch.missWeight),
  };
  const intervals = [othersInterval(othersCount, watch, duplicates)];
  if (watchedMisses > 0) intervals.push(countInterval(watchedCount, duplicates));
  const shares = [otherMisses / duplicates, watchedMisses / duplicates];
  const below = Math.hypot(...intervals.map(({ low }, i) => (shares[i] as number) - low));
  const above = Math.hypot(...intervals.map(({ high }, i) => high - (shares[i] as number)));
  const variance = (othersCount.variance + watchedCount.variance + missedWeight(fraction) ** 2) / duplicates ** 2;
  return { ...limitedRate(rate, rate - below, rate + above), variance };
}

/** The rate among the duplicates that the witness saw. */
function sampledRoute(groups: readonly GapSums[], fraction: number): Route | undefined {
  const duplicates = sum(groups.map((group) => group.duplicates));
  const falseNegatives = sum(groups.map((group) => group.falseNegatives));
  if (duplicates === 0) return undefined;
  const rate = falseNegatives / duplicates;
  if (fraction === 1) return { estimate: rate, low: rate, high: rate, variance: 0 };
  const even = effectiveGroups(groups.map((group) => group.duplicates));
  const parts = groups.map((group) => group.falseNegatives - rate * group.duplicates);
  const count = groupedCount(falseNegatives, parts, Math.max(1, even - 1), fraction);
  // The trials are at most those that the slice has at its present fraction (Korn and Graubard 1998).
  const least = duplicates * (1 / fraction - 1) * rate * (1 - rate);
  const variance = Math.max(count.variance, least);
  const { low, high } = countInterval({ ...count, variance }, duplicates);
  return { estimate: rate, low, high, variance: (variance + count.missedWeight ** 2) / duplicates ** 2 };
}

function contradicts(route: Route, other: Route): boolean {
  return Math.abs(route.estimate - other.estimate) > MAX_DEVIATION * Math.sqrt(route.variance + other.variance);
}

function withoutVariance({ estimate, low, high }: RateEstimate): RateEstimate {
  return { estimate, low, high };
}

/** The rate of false positives. Each distinct element counts once, so the trials are independent. */
export function falsePositiveRate({
  groups,
  fraction,
  distinctVariance,
  falsePositivesVariance,
}: Evidence): RateEstimate {
  const { distinct, falsePositives } = total(groups);
  if (distinct === 0) return unknownRate;
  const rate = falsePositives / distinct;
  if (fraction === 1) return { estimate: rate, low: rate, high: rate };
  const foundVariance = distinctVariance - falsePositivesVariance;
  const variance = (1 - rate) ** 2 * falsePositivesVariance + rate ** 2 * foundVariance;
  const count = { events: falsePositives, variance, missedWeight: missedWeight(fraction) };
  return { estimate: rate, ...countInterval(count, distinct) };
}

/**
 * The rate of false negatives. A few elements may have most of the duplicates, and the slice sees few or many depending on
 * whether it contains them. So the balance of the totals comes first. The false negatives that were seen replace it where they
 * are much more certain and do not contradict it. The slice's own duplicates are the last resort.
 */
export function falseNegativeRate(evidence: Evidence, totals: KnownTotals): RateEstimate {
  const { groups, fraction } = evidence;
  const sampledRate = () => withoutVariance(sampledRoute(groups, fraction) ?? unknownRate);
  if (fraction === 1) return sampledRate();
  const sums = total(groups);
  const balance = balanceRoute(sums, evidence, totals);
  const reportedRate = reportedRoute(sums, evidence, totals);
  if (balance === undefined) return reportedRate ? withoutVariance(reportedRate) : sampledRate();
  if (!reportedRate || reportedRate.variance > MUCH_SMALLER * balance.variance || contradicts(reportedRate, balance)) {
    return withoutVariance(balance);
  }
  return withoutVariance(reportedRate);
}

/** The rate among all elements of the late duplicates, whose sums by group are given. */
export function lateRate(parts: readonly number[], fraction: number, { observed }: KnownTotals): RateEstimate {
  if (observed === 0) return unknownRate;
  const late = sum(parts);
  const rate = Math.min(1, late / observed);
  if (fraction === 1) return { estimate: rate, low: rate, high: rate };
  const count = groupedCount(late, parts, parts.length - 1, fraction);
  return { estimate: rate, ...countInterval(count, observed) };
}

/** The rate among duplicates of one range of gaps, for which no total is known. */
export function gapRate(groups: readonly GapSums[], fraction: number): RateEstimate {
  return withoutVariance(sampledRoute(groups, fraction) ?? unknownRate);
}
