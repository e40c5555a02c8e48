// Buckets of k slots. Each of the F = 2^s - 1 values that a slot can hold belongs to a Poisson number of the elements of a bucket. With
// u = (distinct elements in a stretch of the stream) / N, a given value is touched in the stretch with probability
// 1 - exp(-u / F), independently of the other values.
//
// lru: a value is lost when k others were touched after it. B(u) is the chance that at least k of F - 1 values were touched. An
// element is missed if its value was last touched a stretch v ago and lost since; its own occurrence is a touch u ago:
//     miss(u) = exp(-u / F) B(u) + H(u),   H(u) = integral over v from 0 to u of B(v) exp(-v / F) / F,
// and a new element is reported as a duplicate with probability 1 - exp(-u / F) - H(u), where u covers all earlier elements.
//
// Gaps do not show what an entry depth changes: whether elements that were repeated come again sooner than others. So the course of
// lru is that of depth 0, and depths are tried only where candidates are measured.
//
// fifo: an element is lost after k arrivals in its bucket. The number of arrivals follows from the number of other elements in the
// bucket, which is Poisson on a stream with a fixed universe. random: evicting.ts.

import { mapInSteps, type Steps } from '../base/steps.js';
import { fullRate, slotsOfCacheLine } from '../detectors/qht.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { type Candidate, type Course, type FamilyPlan, inLayouts, numberOf, type PlanGoal } from './contract.js';
import { indexBelow } from './curve.js';
import { evictingCourse } from './evicting.js';
import { type Grid, missByGap } from './grid.js';
import { poissonAtLeast, poissonCounts } from './poisson.js';

/** Up to this number of values, touching one noticeably reduces the number left to touch. */
const FEW_VALUES = 4096;
/** Steps of the integral H. */
const STEPS = 256;

interface Shape {
  /** N. */
  buckets: number;
  /** k. */
  slots: number;
  /** F. */
  values: number;
}

function shapeOf(settings: DetectorSettings): Shape {
  return { buckets: numberOf(settings, 'N'), slots: numberOf(settings, 'k'), values: 2 ** numberOf(settings, 's') - 1 };
}

/** Returns the chance that at least `least` of `values` values were touched, each with the same probability. */
function atLeastTouched(least: number, values: number, touchChance: number): number {
  if (values > FEW_VALUES) return poissonAtLeast(least, values * touchChance);
  if (values < least) return 0;
  if (touchChance >= 1) return 1;
  // The terms below `least` of the binomial distribution, starting with the first.
  let term = (1 - touchChance) ** values;
  let below = 0;
  for (let n = 0; n < least; n++) {
    below += term;
    term *= ((values - n) / (n + 1)) * (touchChance / (1 - touchChance));
  }
  return Math.max(0, 1 - below);
}

/** B and H of the equations above, as functions of u. */
interface Recency {
  lost: (u: number) => number;
  lostSince: (u: number) => number;
}

function computedRecency({ slots, values }: Shape): Recency {
  const lossChance = (u: number) => atLeastTouched(slots, values - 1, -Math.expm1(-u / values));
  // Beyond this stretch, B is constant.
  const horizon = values - 1 < slots ? 1 : Math.min(slots + 12 * Math.sqrt(slots) + 20, 40 * values);
  const stretches = Float64Array.from({ length: STEPS + 1 }, (_, i) => (horizon * i) / STEPS);
  const sums = new Float64Array(STEPS + 1);
  const density = (u: number) => (lossChance(u) * Math.exp(-u / values)) / values;
  for (let i = 1; i <= STEPS; i++) {
    const [from, to] = [stretches[i - 1] as number, stretches[i] as number];
    sums[i] = (sums[i - 1] as number) + ((to - from) * (density(from) + density(to))) / 2;
  }
  const after = lossChance(horizon);
  const lostSince = (u: number) => {
    if (u >= horizon) return (sums[STEPS] as number) + after * (Math.exp(-horizon / values) - Math.exp(-u / values));
    const i = indexBelow(stretches, u);
    const share = (u - (stretches[i] as number)) / ((stretches[i + 1] as number) - (stretches[i] as number));
    return (sums[i] as number) + share * ((sums[i + 1] as number) - (sums[i] as number));
  };
  return { lost: lossChance, lostSince };
}

/** Both depend on neither the memory nor the stream, so all detectors of a plan, which share a grid, share them. */
const recencies = new WeakMap<Grid, Map<string, Recency>>();

function recencyOf(shape: Shape, grid: Grid): Recency {
  const known = recencies.get(grid) ?? new Map<string, Recency>();
  recencies.set(grid, known);
  const name = `${shape.slots} ${shape.values}`;
  const recency = known.get(name) ?? computedRecency(shape);
  known.set(name, recency);
  return recency;
}

/** Returns the share of slots in use after a Poisson number of distinct elements with this mean. */
function filled({ slots, values }: Shape, elements: number): number {
  const touched = -Math.expm1(-elements / values);
  let held = 0;
  for (let least = 1; least <= slots; least++) held += atLeastTouched(least, values, touched);
  return held / slots;
}

function* lruCourse(shape: Shape, grid: Grid): Steps<Course> {
  const { lost, lostSince } = recencyOf(shape, grid);
  const { buckets, values } = shape;
  return {
    load: yield* mapInSteps(grid.distinct, (elements) => filled(shape, elements / buckets)),
    falsePositive: yield* mapInSteps(grid.distinct, (elements) => {
      const u = elements / buckets;
      return Math.max(0, -Math.expm1(-u / values) - lostSince(u));
    }),
    miss: missByGap(grid, (gap) => {
      const u = grid.stream.distinctIn(Math.max(0, gap - 1)) / buckets;
      return Math.exp(-u / values) * lost(u) + lostSince(u);
    }),
  };
}

/** Buckets to which the same number of other elements belong. */
interface BucketClass {
  weight: number;
  /** Other elements of the universe in the bucket; undefined if the universe is unknown. */
  others: number | undefined;
  /** Chance that the next element of the stream belongs to the bucket. */
  arrival: number;
}

function bucketClasses({ buckets }: Shape, { stream: { universeElements }, resolution }: Grid): BucketClass[] {
  if (universeElements === undefined) return [{ weight: 1, others: undefined, arrival: 1 / buckets }];
  return poissonCounts(universeElements / buckets, 2 * resolution.counts).map(({ count, weight }) => ({
    weight,
    others: count,
    arrival: count / universeElements,
  }));
}

/** Chance that the element of an arrival is not among those of the next `arrivals` arrivals in the bucket. */
function freshInBucket(arrivals: number, { others }: BucketClass, { buckets }: Shape, grid: Grid): number {
  if (others === undefined) return grid.stream.fresh(arrivals * buckets);
  return Math.max(0, 1 - 1 / Math.max(1, others)) ** arrivals;
}

/** Returns the chance that at least one of a number of distinct elements has a given value. */
function collision(elements: number, values: number): number {
  return -Math.expm1(elements * Math.log1p(-1 / values));
}

function* fifoCourse(shape: Shape, grid: Grid): Steps<Course> {
  const { slots, values } = shape;
  const classes = bucketClasses(shape, grid);
  const over = (value: (bucket: BucketClass) => number) =>
    classes.reduce((sum, bucket) => sum + bucket.weight * value(bucket), 0);
  /** Entries of a bucket after a number of elements of the stream, and the number of distinct elements among them. */
  const entries = (bucket: BucketClass, elements: number) => {
    let all = 0;
    let different = 0;
    for (let age = 0; age < slots; age++) {
      const isThere = poissonAtLeast(age + 1, elements * bucket.arrival);
      all += isThere;
      different += isThere * freshInBucket(age, bucket, shape, grid);
    }
    return { all, different };
  };
  const hit = (bucket: BucketClass, elements: number) => collision(entries(bucket, elements).different, values);
  return {
    load: yield* mapInSteps(grid.positions, (elements) => over((bucket) => entries(bucket, elements).all) / slots),
    falsePositive: yield* mapInSteps(grid.positions, (elements) => over((bucket) => hit(bucket, elements))),
    miss: missByGap(grid, (gap) =>
      over((bucket) => poissonAtLeast(slots, Math.max(0, gap - 1) * bucket.arrival) * (1 - hit(bucket, gap))),
    ),
  };
}

function randomCourse({ buckets, slots, values }: Shape, grid: Grid): Steps<Course> {
  return evictingCourse({ buckets, slots, values: [{ probability: 1 / values, count: values }] }, grid);
}

type ShapeCourse = (shape: Shape, grid: Grid) => Steps<Course>;

const courses: Readonly<Record<string, ShapeCourse>> = {
  lru: lruCourse,
  fifo: fifoCourse,
  random: randomCourse,
};

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
}

/** Entry depths that are tried, as shares of a bucket. */
const ENTRY_DEPTHS = [1 / 2, 3 / 4, 7 / 8];

/** Returns every set with every entry depth. */
function withEntryDepths(sets: readonly { s: number; k: number }[]): Candidate['parameters'][] {
  return sets.flatMap(({ s, k }) => {
    const depths = new Set(ENTRY_DEPTHS.map((share) => Math.floor(share * k)));
    return [...depths].map((j) => ({ s, k, eviction: 'lru', j }));
  });
}

function measuredCandidates(): Candidate[] {
  const cacheLines = range(8, 32, 1).map((s) => ({ s, k: slotsOfCacheLine(s) }));
  const buckets = [4, 8, 16, 32].flatMap((k) => range(5, 15, 1).map((s) => ({ s, k })));
  return [...inLayouts(['blocked'], withEntryDepths(cacheLines)), ...inLayouts(['classic'], withEntryDepths(buckets))];
}

function candidates({ isMeasured = false }: PlanGoal): Candidate[] {
  return [
    ...inLayouts(
      ['blocked'],
      [...range(8, 32, 1).map((s) => ({ s, eviction: 'lru' })), { s: 12, k: 40, eviction: 'lru' }],
    ),
    ...inLayouts(
      ['blocked'],
      range(8, 32, 6).flatMap((s) => ['fifo', 'random'].map((eviction) => ({ s, eviction }))),
    ),
    ...inLayouts(
      ['classic'],
      [2, 4, 8, 16].flatMap((k) => range(3, 15, 1).map((s) => ({ s, k, eviction: 'lru' }))),
    ),
    ...inLayouts(
      ['classic'],
      [4, 16].flatMap((k) =>
        range(3, 15, 4).flatMap((s) => ['fifo', 'random'].map((eviction) => ({ s, k, eviction }))),
      ),
    ),
    ...(isMeasured ? measuredCandidates() : []),
  ];
}

/** `auto` tries rates down to this part of the target, or of the second number if the target is higher. */
const MIN_RATE = { share: 1 / 8, of: 0.01 };
/** Further widths, for a stream that fits easily. */
const SPACIOUS_WIDTHS = [20, 24, 28, 32];

/** The widths of slots that keep the target, up to the first with a much lower rate. */
function widthsFor(fpr: number, widths: readonly number[], slotsOf: (s: number) => number): number[] {
  const rate = (s: number) => fullRate(s, slotsOf(s));
  const least = Math.min(fpr, MIN_RATE.of) * MIN_RATE.share;
  return widths.filter((s) => rate(s) <= fpr && rate(s - 1) > least);
}

function autoCandidates({ fpr = 1 }: PlanGoal): Candidate[] {
  const spacious = SPACIOUS_WIDTHS.filter((s) => fullRate(s, slotsOfCacheLine(s)) <= fpr);
  const widths = new Set([...widthsFor(fpr, range(8, 32, 1), slotsOfCacheLine), ...spacious]);
  const buckets = [2, 4, 8, 16].flatMap((k) => widthsFor(fpr, range(3, 24, 1), () => k).map((s) => ({ s, k })));
  return [
    ...inLayouts(
      ['blocked'],
      [...widths].map((s) => ({ s, eviction: 'lru' })),
    ),
    ...inLayouts(
      ['classic'],
      buckets.map((bucket) => ({ ...bucket, eviction: 'lru' })),
    ),
  ];
}

export const qht: FamilyPlan = {
  name: 'qht',
  candidates,
  autoCandidates,
  course(settings, grid) {
    const course = courses[String(settings.parameters.values.eviction)] as ShapeCourse;
    return course(shapeOf(settings), grid);
  },
};
