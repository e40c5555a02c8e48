// Every element takes one from P cells and sets K, so a cell's value is a chain of its own (src/detectors/cellchain.ts) that no
// verdict feeds back into. Eq. 9 to 16 of deng-2006 suppose that every element sets a given cell with probability K/m. On a
// stream of a fixed universe only those few set it that share it, which are Poisson's in number; and in the blocked layout a
// line has its own clock, its arrivals, Poisson's in number too.

import { cellChain } from '../detectors/cellchain.js';
import { victimsForRate } from '../detectors/sbf.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { type Candidate, type FamilyPlan, inLayouts, numberOf } from './contract.js';
import type { Grid } from './grid.js';
import { poissonCounts, type WeightedCount } from './poisson.js';

/** What is tried for each Max: K, and the stable rates that P follows from. More than one bit a cell seldom pays. */
const TRIED = [
  { Max: 1, hashes: [1, 2, 3, 4, 6, 8], rates: [0.5, 0.2, 0.1, 0.05, 0.02, 0.005, 0.001] },
  { Max: 3, hashes: [1, 2, 4], rates: [0.1, 0.01] },
] as const;
/** For deciding what P goes with a rate: cells of a line, fewest of all filters. */
const LINE_CELLS = 512;

interface CellClass {
  weight: number;
  zeroAfter: (elements: number, start: number) => number;
}

/** A filter that an element meets: all cells, or those of a line. */
interface Unit {
  weight: number;
  /** Chance that the stream's next element falls into it. */
  arrival: number;
  classes: CellClass[];
}

interface Shape {
  K: number;
  P: number;
  Max: number;
  m: number;
}

const ROUNDS = 8;

/**
 * How often a clear cell is set on a stream of no known universe: repeats find most of their cells set already, so of all
 * settings only those count that meet a clear cell. Both follow from one another.
 */
function settingRate({ K, P, Max, m }: Shape, elementsPerArrival: number, { at, newShare }: Grid): number {
  const last = at.at(-1);
  const fresh = newShare.at(-1) ?? 1;
  let rate = K / m;
  for (let round = 0; round < ROUNDS && last; round++) {
    const zeroAfter = cellChain(Math.min(1, P / m), rate, Max);
    const zero = zeroAfter(Number.MAX_SAFE_INTEGER, Max);
    let meeting = fresh * zero;
    for (const [c, share] of last.shares.entries()) {
      meeting += share * zeroAfter((last.gaps[c] as number) / elementsPerArrival, Max);
    }
    rate = zero > 0 ? (K / m) * Math.min(1, meeting / zero) : 0;
  }
  return rate;
}

/** The cells of a filter that takes every one of its `elements` others equally often. */
function cellClasses({ K, P, Max, m }: Shape, elements: number, counts: number): CellClass[] {
  const taken = Math.min(1, P / m);
  return poissonCounts((elements * K) / m, counts).map(({ count, weight }) => ({
    weight,
    zeroAfter: cellChain(taken, elements > 0 ? Math.min(1, count / elements) : 0, Max),
  }));
}

function unitsOf(settings: DetectorSettings, shape: Shape, grid: Grid): Unit[] {
  const { universeElements } = grid.stream;
  const { counts } = grid.resolution;
  const lines = settings.layout === 'classic' ? 1 : Math.floor(settings.memoryBytes / 64);
  if (universeElements === undefined) {
    const zeroAfter = cellChain(Math.min(1, shape.P / shape.m), settingRate(shape, lines, grid), shape.Max);
    return [{ weight: 1, arrival: 1 / lines, classes: [{ weight: 1, zeroAfter }] }];
  }
  if (lines === 1) return [{ weight: 1, arrival: 1, classes: cellClasses(shape, universeElements, counts) }];
  return poissonCounts(universeElements / lines, Math.ceil(counts / 2)).map(({ count, weight }) => ({
    weight,
    arrival: count / universeElements,
    classes: cellClasses(shape, count, counts),
  }));
}

/** What a unit has seen of so many elements of the stream: all of them, or a number of Poisson's. */
function arrivalsIn(unit: Unit, elements: number, counts: number): WeightedCount[] {
  if (unit.arrival === 1) return [{ count: elements, weight: 1 }];
  return poissonCounts(elements * unit.arrival, counts);
}

function course(settings: DetectorSettings, grid: Grid) {
  const K = numberOf(settings, 'K');
  const Max = numberOf(settings, 'Max');
  const shape = { K, Max, P: numberOf(settings, 'P'), m: numberOf(settings, 'm') };
  const units = unitsOf(settings, shape, grid);
  const { counts } = grid.resolution;
  /** Mean of the `power`-th power of the chance that a cell that was at `start` is set. */
  const set = (elements: number, start: number, power: number) => {
    let sum = 0;
    for (const unit of units) {
      for (const { count, weight } of arrivalsIn(unit, elements, counts)) {
        const zero = unit.classes.reduce((total, cell) => total + cell.weight * cell.zeroAfter(count, start), 0);
        sum += unit.weight * weight * (1 - zero) ** power;
      }
    }
    return sum;
  };
  const misses = new Map<number, number>();
  const missAfter = (gap: number) => {
    const known = misses.get(gap);
    if (known !== undefined) return known;
    const miss = 1 - set(gap, Max, K);
    misses.set(gap, miss);
    return miss;
  };
  return {
    load: grid.positions.map((position) => set(position, 0, 1)),
    falsePositive: grid.positions.map((position) => set(position, 0, K)),
    miss: (i: number, c: number) => missAfter(grid.at[i]?.gaps[c] as number),
  };
}

function setsOfParameters(fpr: number | undefined): Candidate['parameters'][] {
  const found = new Map<string, Candidate['parameters']>();
  for (const { Max, hashes, rates } of TRIED) {
    const m = 8 * Math.floor(LINE_CELLS / 8 / Math.log2(Max + 1));
    for (const K of hashes) {
      for (const rate of fpr === undefined ? rates : [...rates, fpr]) {
        const P = victimsForRate(rate, { K, Max, m });
        if (P <= m) found.set([K, Max, P].join(), { K, Max, P, victims: 'adjacent' });
      }
    }
  }
  return [...found.values()];
}

export const sbf: FamilyPlan = {
  name: 'sbf',
  candidates: ({ fpr }) => inLayouts(['blocked', 'classic'], setsOfParameters(fpr)),
  course,
};
