// A ring of k + l slices. What matters of an element is its age: the adds since it was added. After j turns its bits are in the
// slices j to j + k - 1: all of them up to j = l, fewer after that, and then the rest of a run must be set by chance. Without
// refresh a duplicate that is found is not added again, so its age at an occurrence follows from the previous one. The
// probabilities of all ages are carried from occurrence to occurrence,
//     P_t = new (never if a false positive, else 0) + sum over gaps g of share(g) (P_(t-g) aged by A(t) - A(t-g), found or 0),
// where A counts the adds, which are the elements reported distinct.

import type { Steps } from '../base/steps.js';
import { runAges, runRate } from '../detectors/ring.js';
import type { Course } from './contract.js';
import type { GapsAt, Grid } from './grid.js';
import { poissonCounts } from './poisson.js';

/** Steps in which the ages of a whole ring are computed. */
const MAX_STEPS = 64;
/** Parts of the first generation, while it fills. */
const PARTS = 8;
/** Probabilities below this are ignored. */
const NEGLIGIBLE = 1e-9;
/** Moments of a generation that represent all. */
const PHASES = [0.1, 0.3, 0.5, 0.7, 0.9];
/** Turns after which an element is found only by chance. */
const MAX_PARTIAL_TURNS = 6;

export interface Ring {
  k: number;
  l: number;
  g: number;
  /** Bits of a slice. */
  bits: number;
  /** Adds of one generation in a part, if parts are so small that this varies. */
  addsPerPlace: number | undefined;
  refreshes: boolean;
  /** True if the ring turns with all elements, not only with those that are added. */
  countsAll?: boolean;
  /** Different elements among a number of adds. */
  different: (adds: number) => number;
  /**
   * The factor by which an add is likelier to set a given clear bit than any bit: it would have been found, had all its
   * bits been set.
   */
  bias: number;
}

/** Generations of adds, whole and in part, that the slice of an age has taken, if `behind` whole generations are over. */
function generationsIn(age: number, k: number, behind: number, phase: number): number {
  const current = age < k ? phase : 0;
  return current + Math.max(0, Math.min(age, behind) - Math.max(1, age - k + 1) + 1);
}

/** Returns the shares of ones by age, with `crowding` times the mean adds of a part. */
export function sharesOf(
  { k, l, g, bits, different, bias }: Ring,
  generations: number,
  phase: number,
  crowding: number,
): number[] {
  return Array.from({ length: k + l }, (_, age) => {
    const elements = different(generationsIn(age, k, generations, phase) * g);
    return -Math.expm1((-elements * crowding * bias) / bits);
  });
}

/**
 * Returns how crowded parts are, with the weight of each case. The slices of a run share most of their adds, but not
 * all: over k slices that each hold k generations, the variance of the mean of their adds is two thirds of the variance
 * of one.
 */
export function crowdings({ k, addsPerPlace }: Ring, counts: number): { crowding: number; weight: number }[] {
  if (addsPerPlace === undefined) return [{ crowding: 1, weight: 1 }];
  const mean = k * addsPerPlace * 1.2;
  return poissonCounts(mean, counts).map(({ count, weight }) => ({ crowding: count / mean, weight }));
}

/** The mean of a function of a ring's shares of ones, over the phases of a generation and the crowding of parts. */
export function overShares(ring: Ring, behind: number, counts: number, decide: (shares: number[]) => number): number {
  let sum = 0;
  for (const { crowding, weight } of crowdings(ring, counts)) {
    for (const phase of PHASES) sum += (weight / PHASES.length) * decide(sharesOf(ring, behind, phase, crowding));
  }
  return sum;
}

/** Returns the chances that an element is found after 0, 1, 2, ... turns; the last one holds for all later turns. */
function foundAfterTurns(ring: Ring, counts: number): number[] {
  const { k, l } = ring;
  const settledTurns = k + l;
  const foundAfter = (turns: number) =>
    overShares(ring, settledTurns, counts, (shares) =>
      runRate(
        k,
        shares.map((share, age) => (age >= turns && age < turns + k ? 1 : share)),
      ),
    );
  const partial = Math.min(k, MAX_PARTIAL_TURNS);
  return [
    ...new Array<number>(l + 1).fill(1),
    ...Array.from({ length: partial }, (_, i) => foundAfter(l + 1 + i)),
    overShares(ring, settledTurns, counts, (shares) => runRate(k, shares)),
  ];
}

/**
 * Returns the chance of each age at which the run of an element begins that is found by chance: it is found until the
 * run has grown too old.
 */
function chanceAges(ring: Ring, counts: number): Float64Array {
  const { k, l } = ring;
  const chances = new Float64Array(l + 1);
  const total = overShares(ring, k + l, counts, (shares) => {
    const begins = runAges(k, shares);
    for (const [age, chance] of begins.entries()) chances[age] = (chances[age] as number) + chance;
    return 1;
  });
  const sum = chances.reduce((part, chance) => part + chance, 0);
  return chances.map((chance) => (sum > 0 ? (chance * total) / sum : 0));
}

function stepsPerGeneration({ l }: Ring): number {
  return Math.max(1, Math.floor(MAX_STEPS / (l + 1 + MAX_PARTIAL_TURNS)));
}

/** Chance that an element of an age, in steps of a part of a generation, is found: a turn comes at any moment of its own. */
function foundByAge(byTurns: readonly number[], perGeneration: number): Float64Array {
  const steps = (byTurns.length - 1) * perGeneration + 1;
  return Float64Array.from({ length: steps }, (_, step) => {
    const turns = Math.floor(step / perGeneration);
    const share = step / perGeneration - turns;
    const next = byTurns[Math.min(turns + 1, byTurns.length - 1)] as number;
    return (1 - share) * (byTurns[turns] as number) + share * next;
  });
}

class RingCourse implements Course {
  readonly load: Float64Array;
  readonly falsePositive: Float64Array;
  readonly late: Float64Array;
  readonly #ring: Ring;
  readonly #grid: Grid;
  readonly #found: Float64Array;
  /** Chances of ages just after an occurrence at each position. */
  readonly #ages: Float64Array[];
  readonly #adds: Float64Array;
  readonly #stepsPerGeneration: number;
  /** Share of the elements at the current position that are found by chance alone. */
  #byChance = 0;
  /** Share of the elements at the current position that are found although the window is over. */
  #lateNow = 0;
  readonly #misses: Float64Array[];
  /**
   * The chance of each number of turns: an element that is found by chance is as if added so many turns ago. The
   * chances add up to 1.
   */
  readonly #chanceAges: Float64Array;

  /**
   * @param foundChances chances that an element is found, by its age
   * @param chanceAges chances of the ages of what is found by chance
   */
  constructor(ring: Ring, grid: Grid, foundChances: Float64Array, chanceAges: Float64Array) {
    const count = grid.positions.length;
    this.#ring = ring;
    this.#grid = grid;
    this.#found = foundChances;
    this.#chanceAges = chanceAges;
    this.#stepsPerGeneration = stepsPerGeneration(ring);
    this.#ages = Array.from({ length: count }, () => new Float64Array(this.#found.length));
    this.#adds = new Float64Array(count);
    this.#misses = grid.at.map(({ gaps }) => new Float64Array(gaps.length));
    this.load = new Float64Array(count);
    this.falsePositive = new Float64Array(count);
    this.late = new Float64Array(count);
  }

  /** Computes the course, from position to position. */
  *run(): Steps<void> {
    const [ring, grid] = [this.#ring, this.#grid];
    const rates = new Map<number, { load: number; fpr: number }>();
    (this.#ages[0] as Float64Array)[0] = 1;
    let addedShare = 1;
    for (let i = 1; i < grid.positions.length; i++) {
      const span = (grid.positions[i] as number) - (grid.positions[i - 1] as number);
      for (let round = 0; round < 2; round++) {
        const before = round === 0 ? addedShare : (addedShare + this.#reported(i)) / 2;
        this.#adds[i] = (this.#adds[i - 1] as number) + span * (ring.refreshes || ring.countsAll ? 1 : before);
        this.#rate(i, rates);
        this.#occur(i);
        yield;
      }
      addedShare = this.#reported(i);
    }
  }

  #rate(i: number, ratesByPhase: Map<number, { load: number; fpr: number }>): void {
    const { k, l, g } = this.#ring;
    const { counts } = this.#grid.resolution;
    const generations = Math.min(k + l, (this.#adds[i] as number) / g);
    // While the first generation fills, its phase follows from the number of adds, rounded to a few parts.
    const part = Math.ceil(generations * PARTS) / PARTS;
    const key = generations < 1 ? part - 2 : Math.floor(generations);
    let rates = ratesByPhase.get(key);
    if (!rates) {
      const scaledRing = generations < 1 ? { ...this.#ring, g: g * part * 2 } : this.#ring;
      let load = 0;
      const fpr = overShares(scaledRing, Math.floor(generations), counts, (shares) => {
        load += shares.reduce((sum, share) => sum + share, 0);
        return runRate(k, shares);
      });
      // The mean of all: the crowding of a part hardly changes its share of ones.
      const sampledSlices = PHASES.length * crowdings(scaledRing, counts).length * (k + l);
      rates = { fpr, load: load / sampledSlices };
      ratesByPhase.set(key, rates);
    }
    this.falsePositive[i] = rates.fpr;
    this.load[i] = rates.load;
  }

  /** Returns the share of the elements at a position that are reported distinct. */
  #reported(i: number): number {
    let share = (this.#grid.newShare[i] as number) * (1 - (this.falsePositive[i] as number));
    for (const [c, weight] of (this.#grid.at[i] as GapsAt).shares.entries()) share += weight * this.miss(i, c);
    return share;
  }

  /** The ages of what occurs at a position, from those at the occurrences before. */
  #occur(i: number): void {
    const at = this.#grid.at[i] as GapsAt;
    const ages = this.#ages[i] as Float64Array;
    const fpr = this.falsePositive[i] as number;
    const fresh = this.#grid.newShare[i] as number;
    ages.fill(0);
    ages[0] = fresh * (1 - fpr);
    this.#byChance = fresh * fpr;
    this.#lateNow = 0;
    for (const [c, share] of at.shares.entries()) {
      const below = at.below[c] as number;
      const fraction = at.fraction[c] as number;
      const before = this.#adds[below] as number;
      const then = before + fraction * ((this.#adds[below + 1] as number) - before);
      const steps = (((this.#adds[i] as number) - then) / this.#ring.g) * this.#stepsPerGeneration;
      // The previous occurrence was between two positions. If the later one is the current position, its ages are not known yet.
      const above = below + 1 === i ? below : below + 1;
      const missChance =
        (1 - fraction) * this.#carry(ages, this.#ages[below] as Float64Array, steps, share * (1 - fraction)) +
        fraction * this.#carry(ages, this.#ages[above] as Float64Array, steps, share * fraction);
      (this.#misses[i] as Float64Array)[c] = missChance;
    }
    this.#findByChance(ages, this.#byChance);
    this.late[i] = this.#lateNow;
  }

  /**
   * Carries the chances of ages to the next occurrence, a number of steps later; returns the share that is missed there. The
   * chances of an element depend on its phase in a generation and the bits of others, which do not change. So an element that is
   * found at one age is found at a later age with the quotient of both chances.
   */
  #carry(ages: Float64Array, source: Float64Array, steps: number, weight: number): number {
    const last = ages.length - 1;
    const whole = Math.floor(steps);
    let missedShare = 0;
    for (let age = 0; age <= last; age++) {
      const chance = source[age] as number;
      if (chance < NEGLIGIBLE) continue;
      const low = Math.min(last, age + whole);
      const part = steps - whole;
      const lossChance =
        (1 - part) * this.#meet(ages, age, low, weight * chance * (1 - part)) +
        part * this.#meet(ages, age, Math.min(last, low + 1), weight * chance * part);
      missedShare += chance * lossChance;
      if (age + steps > this.#ring.l * this.#stepsPerGeneration) this.#lateNow += weight * chance * (1 - lossChance);
    }
    return missedShare;
  }

  /** Elements that are known to be found at one age occur at another: the ages that they get, and the share that is missed. */
  #meet(ages: Float64Array, from: number, to: number, weight: number): number {
    const last = ages.length - 1;
    const found =
      from === last ? (this.#found[last] as number) : (this.#found[to] as number) / (this.#found[from] as number);
    const kept = this.#ring.refreshes ? 0 : Math.min(1, found);
    if (to === last) this.#byChance += weight * kept;
    else ages[to] = (ages[to] as number) + weight * kept;
    ages[0] = (ages[0] as number) + weight * (1 - kept);
    return 1 - Math.min(1, found);
  }

  #findByChance(ages: Float64Array, weight: number): void {
    for (const [turns, share] of this.#chanceAges.entries()) {
      const age = turns * this.#stepsPerGeneration;
      ages[age] = (ages[age] as number) + weight * share;
    }
  }

  miss(i: number, c: number): number {
    return (this.#misses[i] as Float64Array)[c] as number;
  }
}

/** The course of a ring. */
export function* ringCourse(ring: Ring, grid: Grid): Steps<Course> {
  const { counts } = grid.resolution;
  const found = foundByAge(foundAfterTurns(ring, counts), stepsPerGeneration(ring));
  yield;
  const course = new RingCourse(ring, grid, found, chanceAges(ring, counts));
  yield* course.run();
  return course;
}
