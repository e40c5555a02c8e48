// k filters with one bit each per element: RSBF, BSBF, BSBFSD, RLBSBF. The recurrences of bera-2012 (section 4.3 and similar) count a
// bit as set even if it has just been reset. Corrected: let L be the chance that a bit is set, G the chance that the current element
// clears a given set bit, and F the chance that it sets a given clear one. Then
//     dL/dt = F (1 - L) - G L,
// and a bit that was certainly set at its last occurrence is set with probability
//     x(t, g) = L(t) + (1 - L(t - g)) exp(-(A(t) - A(t - g))),   dA/dt = F + G.
// A new element is reported as a duplicate with probability L^k; a duplicate of gap g is missed with probability 1 - x^k. G follows
// from the share of elements reported distinct, which depends on L and x. A clear bit is set by every occurrence of an element that has
// it. None of these is reported as a duplicate, because then all its bits would be set.
// If an occurrence enters only with chance e(t), as in RSBF's reservoir, F is multiplied by e, and a duplicate finds its bits set with
//     found(t, g) = e(t - g) x(t, g)^k + (1 - e(t - g)) before(t, t - g),
// where before(t, u) is the chance that the element of an occurrence at u would be found at t without that occurrence: the mean of
// found(t, t - u + g') over the gaps g' of a duplicate at u, and L(t)^k for a new element.

import { mapInSteps, type Steps } from '../base/steps.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { CACHE_LINE_BYTES } from '../kernel/abi.js';
import { type Course, type FamilyPlan, inLayouts, numberOf } from './contract.js';
import type { GapsAt, Grid } from './grid.js';
import { poissonCounts } from './poisson.js';
import { settingRate } from './settingrate.js';

/** A unit at a position: its load, and the shares of elements that are reported distinct or meet a clear bit. */
export interface Moment {
  load: number;
  reportedDistinct: number;
  meetsClear: number;
}

/** The progress of a stream, for rules that depend on it. */
export interface StreamProgress {
  positionElements: number;
  /** Bits of one filter. */
  filterBits: number;
}

/** The effect of a family of filters on a bit. */
export interface ClearingRule {
  /** Random bits of one filter that an element clears. */
  cleared(moment: Moment, filters: number, progress: StreamProgress): number;
  /** Chance that an element that meets clear bits sets them; 1 when absent. */
  entering?(progress: StreamProgress): number;
}

/** Bits that an element shares with the same number of other elements. */
interface BitClass {
  weight: number;
  /** Chance that the next element of the stream is one of the others; undefined if the universe is unknown. */
  others: number | undefined;
  load: Float64Array;
  /** A of the equation above. */
  turnover: Float64Array;
}

/** A filter that an element meets: that of the whole memory, or that of a cache line. */
interface Unit {
  weight: number;
  /** Chance that the next element of the stream belongs to the unit. */
  arrival: number;
  /** Bits of one filter in the unit. */
  bits: number;
  classes: BitClass[];
}

function bitClasses(elements: number | undefined, bits: number, grid: Grid): BitClass[] {
  const { universeElements } = grid.stream;
  const empty = () => new Float64Array(grid.positions.length);
  if (elements === undefined || universeElements === undefined) {
    return [{ weight: 1, others: undefined, load: empty(), turnover: empty() }];
  }
  return poissonCounts(elements / bits, grid.resolution.counts).map(({ count, weight }) => ({
    weight,
    others: count / universeElements,
    load: empty(),
    turnover: empty(),
  }));
}

function unitsOf(settings: DetectorSettings, grid: Grid): Unit[] {
  const bits = numberOf(settings, 's');
  const { universeElements } = grid.stream;
  if (settings.layout === 'classic') {
    return [{ weight: 1, arrival: 1, bits, classes: bitClasses(universeElements, bits, grid) }];
  }
  const cacheLines = Math.floor(settings.memoryBytes / CACHE_LINE_BYTES);
  const slice = bits / cacheLines;
  if (universeElements === undefined) {
    return [{ weight: 1, arrival: 1 / cacheLines, bits: slice, classes: bitClasses(undefined, slice, grid) }];
  }
  return poissonCounts(universeElements / cacheLines, Math.ceil(grid.resolution.counts / 2)).map(
    ({ count, weight }) => ({
      weight,
      arrival: count / universeElements,
      bits: slice,
      classes: bitClasses(count, slice, grid),
    }),
  );
}

/** A position between position `below` of the grid and the next one, at this fraction of the way. */
interface StreamPosition {
  below: number;
  fraction: number;
}

/** The position of the previous occurrence of a duplicate with a gap in cell c. */
function predecessor(at: GapsAt, c: number): StreamPosition {
  return { below: at.below[c] as number, fraction: at.fraction[c] as number };
}

function valueAt(values: Float64Array, { below, fraction }: StreamPosition): number {
  const before = values[below] as number;
  return before + fraction * ((values[below + 1] as number) - before);
}

/** Returns the probability that a bit that was set at a position is set at position i, still or again. */
function survival(classes: readonly BitClass[], position: StreamPosition, i: number): number {
  let sum = 0;
  for (const { weight, load, turnover } of classes) {
    const forgotten = Math.exp(valueAt(turnover, position) - (turnover[i] as number));
    sum += weight * ((load[i] as number) + (1 - valueAt(load, position)) * forgotten);
  }
  return sum;
}

function meanLoad(classes: readonly BitClass[], i: number): number {
  let sum = 0;
  for (const { weight, load } of classes) sum += weight * (load[i] as number);
  return sum;
}

/** Filters over a stream. */
interface Model {
  grid: Grid;
  rule: ClearingRule;
  k: number;
  /** Bits of one filter over the whole memory. */
  filterBits: number;
}

function enteringAt({ grid, rule, filterBits }: Model, position: StreamPosition): number {
  return rule.entering?.({ positionElements: valueAt(grid.positions, position), filterBits }) ?? 1;
}

/** The chance `found` of the equation above, from the chances `before`. */
function foundAfter(unit: Unit, model: Model, position: StreamPosition, { i, bits, before }: Earlier): number {
  const kept = survival(unit.classes, position, i) ** bits;
  if (before === undefined) return kept;
  const entering = enteringAt(model, position);
  return entering * kept + (1 - entering) * valueAt(before, position);
}

/** The chances by position up to i that its element would find this many bits set at i without that occurrence. */
interface Earlier {
  i: number;
  bits: number;
  /** The chances before; absent where every element enters. */
  before?: Float64Array;
}

function earlier(unit: Unit, model: Model, i: number, bits: number): Earlier {
  const { grid, rule } = model;
  if (!rule.entering) return { i, bits };
  const asNew = meanLoad(unit.classes, i) ** bits;
  const before = new Float64Array(i + 1);
  for (let u = 0; u <= i; u++) {
    const at = grid.at[u] as GapsAt;
    let chance = (grid.newShare[u] as number) * asNew;
    let ownShare = 0;
    for (const [c, share] of at.shares.entries()) {
      const position = predecessor(at, c);
      // If a predecessor lies just before u, its chance is partly interpolated from that of u itself, which is still 0 here.
      chance += share * foundAfter(unit, model, position, { i, bits, before });
      if (position.below + 1 === u) ownShare += share * (1 - enteringAt(model, position)) * position.fraction;
    }
    before[u] = chance / (1 - ownShare);
  }
  return { i, bits, before };
}

/** Returns the share of the elements at position i that do not find a number of bits set. */
function missing(unit: Unit, model: Model, i: number, bits: number): number {
  const { grid } = model;
  const at = grid.at[i] as GapsAt;
  const before = earlier(unit, model, i, bits);
  let share = (grid.newShare[i] as number) * (1 - meanLoad(unit.classes, i) ** bits);
  for (const [c, ofGap] of at.shares.entries()) {
    share += ofGap * (1 - foundAfter(unit, model, predecessor(at, c), before));
  }
  return share;
}

/** Share of the unit's elements that meet a clear bit at position i; undefined if the universe is unknown. */
function knownMeeting(unit: Unit, i: number): number | undefined {
  let sum = 0;
  for (const { weight, others, load } of unit.classes) {
    if (others === undefined) return undefined;
    sum += weight * others * (1 - (load[i] as number));
  }
  return (sum * unit.bits) / unit.arrival;
}

function momentOf(unit: Unit, model: Model, i: number): Moment {
  return {
    load: meanLoad(unit.classes, i),
    reportedDistinct: missing(unit, model, i, model.k),
    meetsClear: knownMeeting(unit, i) ?? missing(unit, model, i, 1),
  };
}

interface Part {
  /** Position whose load and turnover are updated. */
  i: number;
  spanElements: number;
  moment: Moment;
  progress: StreamProgress;
}

/** Advances every class of bits by the rates of a moment; exact for constant rates. */
function advance(unit: Unit, { rule, k }: Model, { i, spanElements, moment, progress }: Part): void {
  const clearingRate = (unit.arrival * rule.cleared(moment, k, progress)) / unit.bits;
  const enteringShare = rule.entering?.(progress) ?? 1;
  for (const { others: otherShare, load, turnover } of unit.classes) {
    const meetingRate = otherShare ?? (unit.arrival * settingRate(moment.meetsClear, moment.load)) / unit.bits;
    const set = enteringShare * meetingRate;
    const rate = clearingRate + set;
    const balance = rate > 0 ? set / rate : 0;
    load[i] = balance + ((load[i] as number) - balance) * Math.exp(-rate * spanElements);
    turnover[i] = (turnover[i] as number) + rate * spanElements;
  }
}

/** Minimum number of parts of a step under a rule that changes with the stream. */
const MIN_PARTS = 8;
/** Parts per mean time between accesses to a bit: an exchange clears about as many bits as it sets, and the load is the small rest. */
const PARTS_OF_TURN = 16;

function partsOf(unit: Unit, { rule }: Model, spanElements: number): number {
  if (!rule.entering) return 1;
  const fastest = Math.max(...unit.classes.map(({ others = 0 }) => others));
  return Math.max(MIN_PARTS, Math.ceil(PARTS_OF_TURN * fastest * spanElements));
}

/** Advances a unit from position i to the next, in parts if its rule changes on the way. */
function step(unit: Unit, model: Model, i: number, moment: Moment): void {
  const { positions } = model.grid;
  const spanElements = (positions[i + 1] as number) - (positions[i] as number);
  const parts = partsOf(unit, model, spanElements);
  for (const { load, turnover } of unit.classes) {
    load[i + 1] = load[i] as number;
    turnover[i + 1] = turnover[i] as number;
  }
  for (let part = 0; part < parts; part++) {
    const position = { below: i, fraction: (part + 0.5) / parts };
    const progress = { positionElements: valueAt(positions, position), filterBits: model.filterBits };
    const now = parts === 1 ? moment : { ...moment, ...changing(unit, i + 1) };
    advance(unit, model, { i: i + 1, spanElements: spanElements / parts, moment: now, progress });
  }
}

/** The values of a moment that change within a step, as far as they do not depend on gaps. */
function changing(unit: Unit, i: number): Partial<Moment> {
  const meetsClear = knownMeeting(unit, i);
  return meetsClear === undefined ? {} : { load: meanLoad(unit.classes, i), meetsClear };
}

function mean(a: Moment, b: Moment): Moment {
  return {
    load: (a.load + b.load) / 2,
    reportedDistinct: (a.reportedDistinct + b.reportedDistinct) / 2,
    meetsClear: (a.meetsClear + b.meetsClear) / 2,
  };
}

function* run(unit: Unit, model: Model): Steps<void> {
  let moment: Moment = { load: 0, reportedDistinct: 1, meetsClear: 1 };
  for (let i = 0; i < model.grid.positions.length - 1; i++) {
    step(unit, model, i, moment);
    // Repeated with the mean of the rates at both ends (Heun's method).
    step(unit, model, i, mean(moment, momentOf(unit, model, i + 1)));
    moment = momentOf(unit, model, i + 1);
    yield;
  }
}

/** The course of filters under a rule. */
export function* filterCourse(settings: DetectorSettings, grid: Grid, rule: ClearingRule): Steps<Course> {
  const k = numberOf(settings, 'k');
  const model: Model = { grid, rule, k, filterBits: numberOf(settings, 's') };
  const units = unitsOf(settings, grid);
  const before: Earlier[][] = [];
  for (const unit of units) {
    yield* run(unit, model);
    const earlierMoments: Earlier[] = [];
    for (const i of grid.positions.keys()) {
      earlierMoments.push(earlier(unit, model, i, k));
      yield;
    }
    before.push(earlierMoments);
  }
  const over = (value: (unit: Unit, u: number) => number) =>
    units.reduce((sum, unit, u) => sum + unit.weight * value(unit, u), 0);
  return {
    load: yield* mapInSteps(grid.positions, (_, i) => over(({ classes }) => meanLoad(classes, i))),
    falsePositive: yield* mapInSteps(grid.positions, (_, i) => over(({ classes }) => meanLoad(classes, i) ** k)),
    miss: (i, c) => {
      const position = predecessor(grid.at[i] as GapsAt, c);
      return over((unit, u) => 1 - foundAfter(unit, model, position, before[u]?.[i] as Earlier));
    },
  };
}

/** The candidates of a family. */
export interface FilterCandidates {
  filterCounts: readonly number[];
  parameters?: Readonly<Record<string, string>>;
}

/** The plan of a family of filters, from its effect on a bit. */
export function filterPlan(name: FamilyPlan['name'], rule: ClearingRule, values: FilterCandidates): FamilyPlan {
  return {
    name,
    candidates: () =>
      inLayouts(
        ['blocked', 'classic'],
        values.filterCounts.map((k) => ({ k, ...values.parameters })),
      ),
    course: (settings, grid) => filterCourse(settings, grid, rule),
  };
}
