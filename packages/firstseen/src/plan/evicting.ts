// Buckets of k slots that keep distinct values. A full bucket evicts one at random for a new one. A value v in a bucket behaves like
// a bit that every element with the value sets, and that is cleared by chance: the equations are those of filters.ts, with
//     F = (elements of the bucket that have v) / U,   G = P(bucket full) (misses of the bucket while v is in it) / k.
// Nothing leaves a bucket before it is full, so its fill follows from the number of values touched. The number of elements in a bucket
// has a Poisson distribution; the number of those with a given value has a binomial distribution.

import { mapInSteps, type Steps } from '../base/steps.js';
import type { Course } from './contract.js';
import type { GapsAt, Grid } from './grid.js';
import { binomialCounts, poissonAtLeast, poissonCounts } from './poisson.js';
import { settingRate } from './settingrate.js';

/** Values of the same probability. */
export interface ValueGroup {
  probability: number;
  count: number;
}

export interface EvictingBuckets {
  buckets: number;
  slots: number;
  values: readonly ValueGroup[];
}

/** Values shared by the same number of other elements of the bucket. */
interface ValueClass {
  /** Share of the elements that have such a value. */
  weight: number;
  /** Number of such values in a bucket. */
  count: number;
  probability: number;
  /** Index of the group of values. */
  group: number;
  /** Number of other elements with the value; undefined if the universe is unknown. */
  others: number | undefined;
  load: Float64Array;
  turnover: Float64Array;
}

interface BucketClass {
  weight: number;
  /** Number of other elements of the universe in the bucket. */
  others: number | undefined;
  classes: ValueClass[];
}

/** Probabilities that exactly 0, 1, ..., `maxEvents` - 1 of `count` independent events of one probability happen. */
function binomialChances(maxEvents: number, { chance, count }: { chance: number; count: number }): Float64Array {
  const chances = new Float64Array(maxEvents);
  if (chance >= 1) {
    if (count < maxEvents) chances[count] = 1;
    return chances;
  }
  // In logarithms, because the probability that none of many events happens can be too small for a double.
  let logarithm = count * Math.log1p(-chance);
  for (let n = 0; n < Math.min(maxEvents, count + 1); n++) {
    chances[n] = Math.exp(logarithm);
    logarithm += Math.log(((count - n) * chance) / ((n + 1) * (1 - chance)));
  }
  return chances;
}

/** Returns the chance that at least `least` of several groups of independent events happen. */
function atLeastOf(least: number, events: readonly { chance: number; count: number }[]): number {
  if (least <= 0) return 1;
  let chances = new Float64Array(least);
  chances[0] = 1;
  for (const event of events) {
    const eventChances = binomialChances(least, event);
    const before = chances;
    chances = before.map((_, n) => {
      let sum = 0;
      for (let j = 0; j <= n; j++) sum += (before[n - j] as number) * (eventChances[j] as number);
      return sum;
    });
  }
  return Math.max(0, 1 - chances.reduce((sum, chance) => sum + chance, 0));
}

/** Above this number of values, the number of touched values is treated as Poisson. */
const MANY_VALUES = 512;

/** Returns the chance that at least `least` values were touched by the elements seen so far. */
function touchedAtLeast(
  least: number,
  { values }: EvictingBuckets,
  counts: { others: number | undefined; mean: number },
): number {
  const { others: elements, mean } = counts;
  const share = elements !== undefined && elements > 0 ? Math.min(1, mean / elements) : 0;
  const chanceOf = (probability: number) =>
    elements === undefined
      ? -Math.expm1(-mean * probability)
      : -Math.expm1(elements * Math.log1p(-share * probability));
  const events = values.map(({ probability, count }) => ({ chance: chanceOf(probability), count }));
  const total = values.reduce((sum, { count }) => sum + count, 0);
  if (total <= (elements ?? MANY_VALUES)) return atLeastOf(least, events);
  const meanTouched = events.reduce((sum, { chance, count }) => sum + chance * count, 0);
  if (elements === undefined) return poissonAtLeast(least, meanTouched);
  const trials = Math.max(1, Math.round(elements));
  return atLeastOf(least, [{ chance: Math.min(1, meanTouched / trials), count: trials }]);
}

function valueClasses({ values }: EvictingBuckets, otherElements: number | undefined, grid: Grid): ValueClass[] {
  const empty = () => new Float64Array(grid.positions.length);
  return values.flatMap(({ probability, count }, group) => {
    const counts =
      otherElements === undefined
        ? [{ count: undefined, weight: 1 }]
        : binomialCounts(otherElements, probability, grid.resolution.counts);
    return counts.map((sharing) => ({
      weight: sharing.weight * probability * count,
      count: sharing.weight * count,
      probability,
      group,
      others: sharing.count,
      load: empty(),
      turnover: empty(),
    }));
  });
}

function bucketClasses(buckets: EvictingBuckets, grid: Grid): BucketClass[] {
  const { universeElements } = grid.stream;
  if (universeElements === undefined) {
    return [{ weight: 1, others: undefined, classes: valueClasses(buckets, undefined, grid) }];
  }
  return poissonCounts(universeElements / buckets.buckets, grid.resolution.counts).map(({ count, weight }) => ({
    weight,
    others: count,
    classes: valueClasses(buckets, count, grid),
  }));
}

function survivalOf({ load, turnover }: ValueClass, at: GapsAt, i: number, c: number): number {
  const below = at.below[c] as number;
  const fraction = at.fraction[c] as number;
  const between = (values: Float64Array) =>
    (values[below] as number) + fraction * ((values[below + 1] as number) - (values[below] as number));
  return (load[i] as number) + (1 - between(load)) * Math.exp(between(turnover) - (turnover[i] as number));
}

/** Returns the number of elements whose values are among the other k - 1 values of a full bucket: these do not miss. */
function heldElements(bucket: BucketClass, { slots }: EvictingBuckets, i: number): number {
  let held = 0;
  let elements = 0;
  for (const { count, load, others = 0 } of bucket.classes) {
    held += count * (load[i] as number);
    elements += count * (load[i] as number) * others;
  }
  return (slots - 1) * (held > 0 ? elements / held : 1);
}

/** Returns the share of elements that find their value missing, if the universe is unknown. */
function reported(bucket: BucketClass, grid: Grid, i: number): number {
  let share = 0;
  for (const value of bucket.classes) share += value.weight * missing(value, grid, i);
  return share;
}

function missing(value: ValueClass, grid: Grid, i: number): number {
  const at = grid.at[i] as GapsAt;
  let share = (grid.newShare[i] as number) * (1 - (value.load[i] as number));
  for (let c = 0; c < at.shares.length; c++) share += (at.shares[c] as number) * (1 - survivalOf(value, at, i, c));
  return share;
}

/** Returns the chances by group that a bucket with such a value is full: k - 1 of the other values were touched. */
function* fullness(bucket: BucketClass, model: EvictingBuckets, grid: Grid): Steps<Float64Array[]> {
  const { positions, distinct, stream } = grid;
  const { universeElements } = stream;
  const share = (i: number) =>
    bucket.others === undefined || universeElements === undefined
      ? (distinct[i] as number) / model.buckets
      : (bucket.others * (distinct[i] as number)) / universeElements;
  const full: Float64Array[] = [];
  for (const group of model.values) {
    const values = model.values.map((one) => (one === group ? { ...one, count: one.count - 1 } : one));
    const remainder = { ...model, values };
    const chance = (i: number) => touchedAtLeast(model.slots - 1, remainder, { others: bucket.others, mean: share(i) });
    full.push(yield* mapInSteps(positions, (_, i) => chance(i)));
  }
  return full;
}

function* run(bucket: BucketClass, model: EvictingBuckets, grid: Grid): Steps<void> {
  const { positions, stream } = grid;
  const full = yield* fullness(bucket, model, grid);
  const isBitmap = model.values.reduce((sum, { count }) => sum + count, 0) <= model.slots;
  /** Misses of the bucket, per element of the stream, while it is full and a value is in it. */
  const misses = (value: ValueClass, i: number) => {
    if (isBitmap) return 0;
    if (bucket.others === undefined || stream.universeElements === undefined) {
      return reported(bucket, grid, i) / model.buckets;
    }
    const reportedElements = heldElements(bucket, model, i) + (value.others ?? 0);
    return Math.max(0, bucket.others - reportedElements) / stream.universeElements;
  };
  for (let i = 0; i < positions.length - 1; i++) {
    const span = (positions[i + 1] as number) - (positions[i] as number);
    let rates = bucket.classes.map((value) => misses(value, i));
    for (let round = 0; round < 2; round++) {
      for (const [v, value] of bucket.classes.entries()) {
        const chances = full[value.group] as Float64Array;
        const isFull = ((chances[i] as number) + (chances[i + 1] as number)) / 2;
        move(value, model, grid, i, span, (isFull * (rates[v] as number)) / model.slots);
      }
      rates = bucket.classes.map((value) => (misses(value, i) + misses(value, i + 1)) / 2);
      yield;
    }
  }
}

function move(value: ValueClass, model: EvictingBuckets, grid: Grid, i: number, span: number, clearing: number): void {
  const { universeElements } = grid.stream;
  const { load, turnover, others: otherElements, probability } = value;
  const set =
    otherElements !== undefined && universeElements !== undefined
      ? otherElements / universeElements
      : settingRate(probability * missing(value, grid, i), load[i] as number) / model.buckets;
  const rate = clearing + set;
  const balance = rate > 0 ? set / rate : 0;
  load[i + 1] = balance + ((load[i] as number) - balance) * Math.exp(-rate * span);
  turnover[i + 1] = (turnover[i] as number) + rate * span;
}

/** The course of buckets that evict at random. */
export function* evictingCourse(model: EvictingBuckets, grid: Grid): Steps<Course> {
  const buckets = bucketClasses(model, grid);
  yield;
  for (const bucket of buckets) yield* run(bucket, model, grid);
  const over = (value: (one: ValueClass) => number) =>
    buckets.reduce((sum, { weight, classes }) => sum + weight * classes.reduce((part, one) => part + value(one), 0), 0);
  return {
    load: yield* mapInSteps(grid.positions, (_, i) =>
      Math.min(1, over(({ count, load }) => count * (load[i] as number)) / model.slots),
    ),
    falsePositive: yield* mapInSteps(grid.positions, (_, i) =>
      over(({ weight, load }) => weight * (load[i] as number)),
    ),
    miss: (i, c) => over((value) => value.weight * (1 - survivalOf(value, grid.at[i] as GapsAt, i, c))),
  };
}
