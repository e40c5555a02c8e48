// Rows share one pool of B buckets. When the pool is full, the row accessed longest ago gives up its buckets. So a row that was not
// accessed for a stretch T is empty, and an element is found if its row was never idle for T since. In a row accessed at the rate h,
// the chance Q that no idle stretch of length T ended within a stretch g follows
//     Q(g) = 1 for g < T,   Q(T) = 1 - exp(-h T),   dQ/dg = -h exp(-h T) Q(g - T) after that.
// T is the stretch that fills the pool: the signatures of the elements that are found add up to B.

import { bisect } from '../base/bisection.js';
import type { Steps } from '../base/steps.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { type Candidate, type Course, type FamilyPlan, inLayouts, numberOf } from './contract.js';
import { indexBelow } from './curve.js';
import type { ValueGroup } from './evicting.js';
import type { GapsAt, Grid } from './grid.js';
import { poissonCounts } from './poisson.js';
import { signatureGroups } from './signatures.js';

/** Candidates for r, r' and k. */
const SHAPES = [
  [4, 2, 2],
  [8, 4, 2],
  [8, 4, 4],
  [12, 6, 4],
  [16, 8, 2],
  [16, 8, 4],
  [24, 16, 4],
  [32, 24, 4],
] as const;

/** Steps of Q within one idle stretch, and the number of stretches after which Q falls by a constant factor in each. */
const STEPS = 12;
const RESTS = 12;
const BISECTIONS = 50;

/** Rows to which the same number of other elements belong. */
interface RowClass {
  weight: number;
  /** Chance that the next element of the stream belongs to the row. */
  arrival: number;
}

interface Pool {
  rows: number;
  buckets: number;
  values: readonly ValueGroup[];
}

function rowClasses({ rows }: Pool, { stream: { universeElements }, resolution }: Grid): RowClass[] {
  if (universeElements === undefined) return [{ weight: 1, arrival: 1 / rows }];
  return poissonCounts(universeElements / rows, resolution.counts).map(({ count, weight }) => ({
    weight,
    arrival: count / universeElements,
  }));
}

/** Q of a row with this rate of access, as a function of the stretch. */
function unrested(arrival: number, pause: number): (stretch: number) => number {
  const once = Math.exp(-arrival * pause);
  const width = pause / STEPS;
  const values = new Float64Array(STEPS * RESTS + 1);
  values.fill(1, 0, STEPS);
  values[STEPS] = 1 - once;
  for (let i = STEPS + 1; i < values.length; i++) {
    const lag = ((values[i - STEPS] as number) + (values[i - 1 - STEPS] as number)) / 2;
    values[i] = Math.max(0, (values[i - 1] as number) - arrival * once * lag * width);
  }
  const last = values[values.length - 1] as number;
  const before = values[values.length - 1 - STEPS] as number;
  const factor = before > 0 ? last / before : 0;
  return (stretch) => {
    if (stretch < pause) return 1;
    const at = stretch / width;
    if (at >= values.length - 1) return last * factor ** ((at - (values.length - 1)) / STEPS);
    const i = Math.floor(at);
    return (values[i] as number) + (at - i) * ((values[i + 1] as number) - (values[i] as number));
  };
}

/** Returns the expected number of distinct signatures among a number of elements. */
function signaturesOf(elements: number, values: readonly ValueGroup[]): number {
  return values.reduce((sum, { probability, count }) => sum - count * Math.expm1(-elements * probability), 0);
}

/** Returns the chance that a new element has the same signature as one of a number of elements. */
function collision(elements: number, values: readonly ValueGroup[]): number {
  return values.reduce(
    (sum, { probability, count }) => sum - probability * count * Math.expm1(-elements * probability),
    0,
  );
}

class PoolCourse implements Course {
  readonly load: Float64Array;
  readonly falsePositive: Float64Array;
  readonly #pool: Pool;
  readonly #grid: Grid;
  readonly #classes: RowClass[];
  /** Q of every class of rows, at every position. */
  readonly #found: ((stretch: number) => number)[][] = [];
  /** Elements held in a row of every class, at every position. */
  readonly #held: number[][] = [];

  constructor(pool: Pool, grid: Grid) {
    this.#pool = pool;
    this.#grid = grid;
    this.#classes = rowClasses(pool, grid);
    this.load = new Float64Array(grid.positions.length);
    this.falsePositive = new Float64Array(grid.positions.length);
  }

  /** Computes the course, from position to position. */
  *run(): Steps<void> {
    for (const i of this.#grid.positions.keys()) {
      this.#take(i);
      yield;
    }
  }

  #take(i: number): void {
    const { rows, buckets, values } = this.#pool;
    const position = this.#grid.positions[i] as number;
    const usedBuckets = (pause: number) =>
      rows * this.#over((row) => signaturesOf(this.#heldIn(row, position, unrested(row.arrival, pause)), values));
    const isFull = position > 0 && usedBuckets(2 * position) > buckets;
    const [, high] = isFull
      ? bisect([0, position], BISECTIONS, (pause) => !(usedBuckets(pause) > buckets))
      : [0, 2 * position];
    this.#found[i] = this.#classes.map(({ arrival }) => unrested(arrival, Math.max(high, 1)));
    this.#held[i] = this.#classes.map((row, r) => this.#heldIn(row, position, this.#foundOf(i, r)));
    this.falsePositive[i] = this.#over((_, r) => collision(this.#heldOf(i, r), values));
    this.load[i] = Math.min(1, (rows * this.#over((_, r) => signaturesOf(this.#heldOf(i, r), values))) / buckets);
  }

  #over(value: (row: RowClass, r: number) => number): number {
    return this.#classes.reduce((sum, row, r) => sum + row.weight * value(row, r), 0);
  }

  #foundOf(i: number, r: number): (stretch: number) => number {
    return (this.#found[i] as ((stretch: number) => number)[])[r] as (stretch: number) => number;
  }

  #heldOf(i: number, r: number): number {
    return (this.#held[i] as number[])[r] as number;
  }

  /** Elements held in a row: those last seen a stretch ago, each weighted by the chance that the row was not idle since. */
  #heldIn({ arrival }: RowClass, position: number, foundAfter: (stretch: number) => number): number {
    const { positions, distinct, stream } = this.#grid;
    const end = indexBelow(positions, position);
    let heldElements = this.#heldFirst(Math.min(position, positions[1] as number), foundAfter);
    for (let i = 1; i <= end && i < positions.length - 1; i++) {
      const from = positions[i] as number;
      const to = Math.min(position, positions[i + 1] as number);
      if (to <= from) break;
      const seenElements = to === positions[i + 1] ? (distinct[i + 1] as number) : stream.distinctIn(to);
      heldElements += (seenElements - (distinct[i] as number)) * foundAfter((from + to) / 2);
    }
    return heldElements * arrival;
  }

  /** Like `#heldIn`, up to the first position of the grid, which is late for a small pool: the cells of gaps are finer. */
  #heldFirst(position: number, found: (stretch: number) => number): number {
    const { cells, stream } = this.#grid;
    let held = 0;
    for (const { fromElements, toElements } of cells) {
      const to = Math.min(position, toElements);
      if (to <= fromElements) break;
      held += (stream.distinctIn(to) - stream.distinctIn(fromElements)) * found((fromElements + to) / 2);
    }
    return held;
  }

  miss(i: number, c: number): number {
    const gap = (this.#grid.at[i] as GapsAt).gaps[c] as number;
    const { values } = this.#pool;
    return this.#over((_, r) => (1 - this.#foundOf(i, r)(gap)) * (1 - collision(this.#heldOf(i, r), values)));
  }
}

function candidates(): Candidate[] {
  return inLayouts(
    ['classic'],
    SHAPES.map(([r, reduced, k]) => ({ r, "r'": reduced, k })),
  );
}

function poolOf(settings: DetectorSettings): Pool {
  const rows = 2 ** (numberOf(settings, 'p') - numberOf(settings, 'r'));
  return { rows, buckets: numberOf(settings, 'B'), values: signatureGroups(settings) };
}

export const dsqf: FamilyPlan = {
  name: 'dsqf',
  candidates,
  *course(settings, grid) {
    const course = new PoolCourse(poolOf(settings), grid);
    yield* course.run();
    return course;
  },
};
