// Every element decrements P cells and sets K, so the value of a cell is a Markov chain (src/detectors/cellchain.ts) that does not
// depend on verdicts. Eq. 9 to 16 of deng-2006 assume that every element sets a given cell with probability K/m. On a stream with a
// fixed universe, only the few elements that share a cell set it; their number is Poisson. In the blocked layout, each cache line has its own
// clock: its arrivals, whose number is also Poisson.

import { mapInSteps, type Steps } from '../base/steps.js';
import { cellChain } from '../detectors/cellchain.js';
import { victimsForRate } from '../detectors/sbf.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { CACHE_LINE_BITS, CACHE_LINE_BYTES } from '../kernel/abi.js';
import { type Candidate, type Course, type FamilyPlan, inLayouts, numberOf } from './contract.js';
import { type Grid, missByGap } from './grid.js';
import { poissonCounts, type WeightedCount } from './poisson.js';

/** Candidates for each Max: K, and the stable rates from which P follows. More than one bit per cell rarely pays. */
const TRIED = [
  { Max: 1, hashes: [1, 2, 3, 4, 6, 8], rates: [0.5, 0.2, 0.1, 0.05, 0.02, 0.005, 0.001] },
  { Max: 3, hashes: [1, 2, 4], rates: [0.1, 0.01] },
] as const;
/** Cells used to derive P from a rate: those of a cache line, the smallest filter. */
const CACHE_LINE_CELLS = CACHE_LINE_BITS;

interface CellClass {
  weight: number;
  zeroAfter: (elements: number, start: number) => number;
}

/** A filter that an element meets: all cells, or those of a cache line. */
interface Unit {
  weight: number;
  /** Chance that the next element of the stream belongs to the unit. */
  arrival: number;
  classes: CellClass[];
}

/** The parameters of deng-2006, of a filter or of a cache line. */
export interface StableShape {
  K: number;
  P: number;
  Max: number;
  m: number;
  /** Share of the cells from which victims are drawn; 1 for the published algorithm. */
  victimShare: number;
}

const ROUNDS = 8;

/** Cells that an element sets with the same probability: those from which victims are drawn, and the others. */
function regionClasses({ P, Max, m, victimShare }: StableShape, rate: number): CellClass[] {
  const regions = [
    { weight: victimShare, taken: Math.min(1, P / (victimShare * m)) },
    { weight: 1 - victimShare, taken: 0 },
  ];
  return regions
    .filter(({ weight }) => weight > 0)
    .map(({ weight, taken }) => ({ weight, zeroAfter: cellChain(taken, rate, Max) }));
}

/** Returns the chance that a cell is zero after a number of elements, if all cells started with the value `start`. */
function meanZero(classes: readonly CellClass[], elements: number, start: number): number {
  return classes.reduce((sum, { weight, zeroAfter }) => sum + weight * zeroAfter(elements, start), 0);
}

/**
 * Returns the rate at which a clear cell is set on a stream with an unknown universe. Repeats find most of their cells
 * already set, so only those settings count that meet a clear cell. The rate and the share of clear cells determine
 * each other.
 */
function stableSettingRate(shape: StableShape, elementsPerArrival: number, { at, newShare }: Grid): number {
  const { K, Max, m } = shape;
  const last = at.at(-1);
  const fresh = newShare.at(-1) ?? 1;
  let rate = K / m;
  for (let round = 0; round < ROUNDS && last; round++) {
    const classes = regionClasses(shape, rate);
    const zero = meanZero(classes, Number.MAX_SAFE_INTEGER, Max);
    let meeting = fresh * zero;
    for (const [c, share] of last.shares.entries()) {
      meeting += share * meanZero(classes, (last.gaps[c] as number) / elementsPerArrival, Max);
    }
    rate = zero > 0 ? (K / m) * Math.min(1, meeting / zero) : 0;
  }
  return rate;
}

/** The cells of a filter whose elements are all equally frequent. */
function cellClasses(shape: StableShape, elements: number, counts: number): CellClass[] {
  return poissonCounts((elements * shape.K) / shape.m, counts).flatMap((sharing) => {
    const classes = regionClasses(shape, elements > 0 ? Math.min(1, sharing.count / elements) : 0);
    return classes.map(({ weight, zeroAfter }) => ({ weight: weight * sharing.weight, zeroAfter }));
  });
}

function unitsOf(shape: StableShape, cacheLines: number, grid: Grid): Unit[] {
  const { universeElements } = grid.stream;
  const { counts } = grid.resolution;
  if (universeElements === undefined) {
    return [
      { weight: 1, arrival: 1 / cacheLines, classes: regionClasses(shape, stableSettingRate(shape, cacheLines, grid)) },
    ];
  }
  if (cacheLines === 1) return [{ weight: 1, arrival: 1, classes: cellClasses(shape, universeElements, counts) }];
  return poissonCounts(universeElements / cacheLines, Math.ceil(counts / 2)).map(({ count, weight }) => ({
    weight,
    arrival: count / universeElements,
    classes: cellClasses(shape, count, counts),
  }));
}

/** The number of arrivals in a unit among a number of elements of the stream: all of them, or a Poisson distribution. */
function arrivalsIn(unit: Unit, elements: number, { arrivals }: Grid): readonly WeightedCount[] {
  if (unit.arrival === 1) return [{ count: elements, weight: 1 }];
  return arrivals.of(elements * unit.arrival);
}

/** The course of a filter of one shape, or of a number of cache lines, each a filter. */
export function* stableCourse(shape: StableShape, cacheLines: number, grid: Grid): Steps<Course> {
  const { K, Max } = shape;
  const units = unitsOf(shape, cacheLines, grid);
  yield;
  /** Means over the units of the chance that a cell with the initial value `start` is set, and that K cells are. */
  const set = (elements: number, start: number): { one: number; all: number } => {
    let one = 0;
    let all = 0;
    for (const unit of units) {
      for (const { count, weight } of arrivalsIn(unit, elements, grid)) {
        const chance = 1 - meanZero(unit.classes, count, start);
        one += unit.weight * weight * chance;
        all += unit.weight * weight * chance ** K;
      }
    }
    return { one, all };
  };
  const falsePositive = new Float64Array(grid.positions.length);
  const load = yield* mapInSteps(grid.positions, (position, i) => {
    const { one, all } = set(position, 0);
    falsePositive[i] = all;
    return one;
  });
  return {
    load,
    falsePositive,
    miss: missByGap(grid, (gap) => 1 - set(gap, Max).all),
  };
}

function course(settings: DetectorSettings, grid: Grid): Steps<Course> {
  const cacheLines = settings.layout === 'classic' ? 1 : Math.floor(settings.memoryBytes / CACHE_LINE_BYTES);
  const [K, Max] = [numberOf(settings, 'K'), numberOf(settings, 'Max')];
  return stableCourse(
    { K, P: numberOf(settings, 'P'), Max, m: numberOf(settings, 'm'), victimShare: 1 },
    cacheLines,
    grid,
  );
}

function setsOfParameters(fpr: number | undefined): Candidate['parameters'][] {
  const byParameters = new Map<string, Candidate['parameters']>();
  for (const { Max, hashes, rates } of TRIED) {
    const m = 8 * Math.floor(CACHE_LINE_CELLS / 8 / Math.log2(Max + 1));
    for (const K of hashes) {
      for (const rate of fpr === undefined ? rates : [...rates, fpr]) {
        const P = victimsForRate(rate, { K, Max, m });
        if (P <= m) byParameters.set([K, Max, P].join(), { K, Max, P, victims: 'adjacent' });
      }
    }
  }
  return [...byParameters.values()];
}

export const sbf: FamilyPlan = {
  name: 'sbf',
  candidates: ({ fpr }) => inLayouts(['blocked', 'classic'], setsOfParameters(fpr)),
  course,
};
