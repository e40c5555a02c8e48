// k filters of one bit each for an element: RSBF, BSBF, BSBFSD, RLBSBF. The recurrences of bera-2012 (4.3 and its kin) forget
// that a bit just reset cannot also count as set. Corrected: let L be the chance that a bit is set, G the chance that the
// element at hand clears a given set bit, and F the chance that it sets a given clear one. Then
//     dL/dt = F (1 - L) - G L,
// and after its last occurrence, when it was certainly set, a bit is set with
//     x(t, g) = L(t) + (1 - L(t - g)) exp(-(A(t) - A(t - g))),   dA/dt = F + G.
// A new element is taken for a duplicate with L^k, a duplicate of gap g missed with 1 - x^k; G follows from how many elements
// are reported distinct, and so from L and x themselves. A clear bit is set by every occurrence of an element that has it,
// never by one reported duplicate, for that one would have to have all its bits set.

import type { DetectorSettings } from '../detectors/settings.js';
import { type Course, type FamilyPlan, inLayouts, numberOf } from './contract.js';
import type { GapsAt, Grid } from './grid.js';
import { poissonCounts } from './poisson.js';
import { settingRate } from './settingrate.js';

/** What a family of filters does to a bit. */
export interface ClearingRule {
  /** Random bits of one filter that an element clears, given the share of elements reported distinct and the load. */
  cleared(reportedDistinct: number, load: number, filters: number): number;
  /** Filters worth trying. */
  filterCounts: readonly number[];
  /** Further parameters of the rule. */
  parameters?: Readonly<Record<string, string>>;
}

/** Bits that the same number of other elements share with an element. */
interface BitClass {
  weight: number;
  /** Chance that the stream's next element is one of those others; none where the universe is not known. */
  others: number | undefined;
  load: Float64Array;
  /** A of the equation above. */
  turnover: Float64Array;
}

/** A filter that an element meets: the whole memory's, or that of a line. */
interface Unit {
  weight: number;
  /** Chance that the stream's next element falls into the unit. */
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
  const lines = Math.floor(settings.memoryBytes / 64);
  const slice = bits / lines;
  if (universeElements === undefined) {
    return [{ weight: 1, arrival: 1 / lines, bits: slice, classes: bitClasses(undefined, slice, grid) }];
  }
  return poissonCounts(universeElements / lines, Math.ceil(grid.resolution.counts / 2)).map(({ count, weight }) => ({
    weight,
    arrival: count / universeElements,
    bits: slice,
    classes: bitClasses(count, slice, grid),
  }));
}

/** Chance that a bit is still, or again, set when an element comes back at position i after the gap of cell c. */
function survival(classes: readonly BitClass[], at: GapsAt, i: number, c: number): number {
  const below = at.below[c] as number;
  const fraction = at.fraction[c] as number;
  let sum = 0;
  for (const { weight, load, turnover } of classes) {
    const before = load[below] as number;
    const loadThen = before + fraction * ((load[below + 1] as number) - before);
    const turnedBefore = turnover[below] as number;
    const turned = turnedBefore + fraction * ((turnover[below + 1] as number) - turnedBefore);
    sum += weight * ((load[i] as number) + (1 - loadThen) * Math.exp(turned - (turnover[i] as number)));
  }
  return sum;
}

function meanLoad(classes: readonly BitClass[], i: number): number {
  let sum = 0;
  for (const { weight, load } of classes) sum += weight * (load[i] as number);
  return sum;
}

/** What the unit does at a position: its load, and the shares of elements that are reported distinct or meet a clear bit. */
interface Moment {
  load: number;
  reportedDistinct: number;
  meetsClear: number;
}

function momentOf(unit: Unit, grid: Grid, i: number, k: number): Moment {
  const at = grid.at[i] as GapsAt;
  const load = meanLoad(unit.classes, i);
  const newShare = grid.newShare[i] as number;
  let reportedDistinct = newShare * (1 - load ** k);
  let meetsClear = newShare * (1 - load);
  for (let c = 0; c < at.shares.length; c++) {
    const share = at.shares[c] as number;
    const set = survival(unit.classes, at, i, c);
    reportedDistinct += share * (1 - set ** k);
    meetsClear += share * (1 - set);
  }
  return { load, reportedDistinct, meetsClear };
}

/** Moves every class of bits from position i to the next with the rates of a moment; exact for rates that stay. */
function step(unit: Unit, grid: Grid, i: number, moment: Moment, rule: ClearingRule, k: number): void {
  const span = (grid.positions[i + 1] as number) - (grid.positions[i] as number);
  const cleared = (unit.arrival * rule.cleared(moment.reportedDistinct, moment.load, k)) / unit.bits;
  for (const { others, load, turnover } of unit.classes) {
    const set = others ?? (unit.arrival * settingRate(moment.meetsClear, moment.load)) / unit.bits;
    const rate = cleared + set;
    const balance = rate > 0 ? set / rate : 0;
    const decay = Math.exp(-rate * span);
    load[i + 1] = balance + ((load[i] as number) - balance) * decay;
    turnover[i + 1] = (turnover[i] as number) + rate * span;
  }
}

function mean(a: Moment, b: Moment): Moment {
  return {
    load: (a.load + b.load) / 2,
    reportedDistinct: (a.reportedDistinct + b.reportedDistinct) / 2,
    meetsClear: (a.meetsClear + b.meetsClear) / 2,
  };
}

function run(unit: Unit, grid: Grid, k: number, rule: ClearingRule): void {
  let moment: Moment = { load: 0, reportedDistinct: 1, meetsClear: 1 };
  for (let i = 0; i < grid.positions.length - 1; i++) {
    step(unit, grid, i, moment, rule, k);
    // Once more with the mean of the rates at both ends (Heun's method).
    step(unit, grid, i, mean(moment, momentOf(unit, grid, i + 1, k)), rule, k);
    moment = momentOf(unit, grid, i + 1, k);
  }
}

function course(settings: DetectorSettings, grid: Grid, rule: ClearingRule): Course {
  const k = numberOf(settings, 'k');
  const units = unitsOf(settings, grid);
  for (const unit of units) run(unit, grid, k, rule);
  const over = (value: (unit: Unit) => number) => units.reduce((sum, unit) => sum + unit.weight * value(unit), 0);
  return {
    load: grid.positions.map((_, i) => over(({ classes }) => meanLoad(classes, i))),
    falsePositive: grid.positions.map((_, i) => over(({ classes }) => meanLoad(classes, i) ** k)),
    miss: (i, c) => over(({ classes }) => 1 - survival(classes, grid.at[i] as GapsAt, i, c) ** k),
  };
}

/** How a family of filters is planned, by what it does to a bit. */
export function filterPlan(name: string, rule: ClearingRule): FamilyPlan {
  return {
    name,
    candidates: () =>
      inLayouts(
        ['blocked', 'classic'],
        rule.filterCounts.map((k) => ({ k, ...rule.parameters })),
      ),
    course: (settings, grid) => course(settings, grid, rule),
  };
}
