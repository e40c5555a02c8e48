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

/** The cells of a filter that takes every one of its `elements` others equally often, or endlessly new ones when undefined. */
function cellClasses(shape: Shape, elements: number | undefined, counts: number): CellClass[] {
  const { K, P, Max, m } = shape;
  const taken = Math.min(1, P / m);
  if (elements === undefined || elements === 0) return [{ weight: 1, zeroAfter: cellChain(taken, K / m, Max) }];
  return poissonCounts((elements * K) / m, counts).map(({ count, weight }) => ({
    weight,
    zeroAfter: cellChain(taken, Math.min(1, count / elements), Max),
  }));
}

function unitsOf(settings: DetectorSettings, shape: Shape, { stream, resolution }: Grid): Unit[] {
  const { universeElements } = stream;
  const classesOf = (elements: number | undefined) => cellClasses(shape, elements, resolution.counts);
  if (settings.layout === 'classic') return [{ weight: 1, arrival: 1, classes: classesOf(universeElements) }];
  const lines = Math.floor(settings.memoryBytes / 64);
  if (universeElements === undefined) return [{ weight: 1, arrival: 1 / lines, classes: classesOf(undefined) }];
  return poissonCounts(universeElements / lines, Math.ceil(resolution.counts / 2)).map(({ count, weight }) => ({
    weight,
    arrival: count / universeElements,
    classes: classesOf(count),
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
