// Poisson distributions, approximated by a few weighted values.

export interface WeightedCount {
  count: number;
  weight: number;
}

/** Above this mean, all counts are within a few percent of it, and a single value is enough. */
const CONCENTRATED_MEAN = 4000;
/** Counts this many times larger than the first of a group start a new group, unless the group has almost no weight. */
const FAR = 1.25;
const NEGLIGIBLE = 1e-4;
/** A caller that asks for at least this many values needs the tails. */
const MANY = 32;
/** Standard deviations that are kept on either side of the mean. */
const REACH = 6;

/** ln(n!) by Stirling's series, exact to nine digits from 8 on. */
export function logFactorial(n: number): number {
  let value = 0;
  let x = n + 1;
  while (x < 9) value -= Math.log(x++);
  const inverse = 1 / (x * x);
  return (
    value +
    (x - 0.5) * Math.log(x) -
    x +
    0.5 * Math.log(2 * Math.PI) +
    (1 / 12 - inverse * (1 / 360 - inverse / 1260)) / x
  );
}

function poissonProbability(n: number, mean: number): number {
  if (mean === 0) return n === 0 ? 1 : 0;
  return Math.exp(n * Math.log(mean) - mean - logFactorial(n));
}

/** Returns the probability that a Poisson number is at least `least`. */
export function poissonAtLeast(least: number, mean: number): number {
  if (least <= 0) return 1;
  if (mean > least) return 1 - poissonBelow(least, mean);
  let sum = 0;
  let term = poissonProbability(least, mean);
  for (let n = least + 1; term > sum * 1e-12; n++) {
    sum += term;
    term *= mean / n;
  }
  return Math.min(1, sum + term);
}

/** Returns the probability that a Poisson number is below `limit`, from the largest term down. */
function poissonBelow(limit: number, mean: number): number {
  let sum = 0;
  let term = poissonProbability(limit - 1, mean);
  for (let n = limit - 1; n >= 0 && term > sum * 1e-15; n--) {
    sum += term;
    term *= n / mean;
  }
  return Math.min(1, sum);
}

/** Gauss-Hermite quadrature of five points: standard deviations and weights, exact for polynomials up to the ninth degree. */
const HERMITE = [
  [-2.856970013872806, 0.011257411327720689],
  [-1.355626179974266, 0.22207592200561266],
  [0, 0.5333333333333333],
  [1.355626179974266, 0.22207592200561266],
  [2.856970013872806, 0.011257411327720689],
] as const;
/** Above this mean, a Poisson distribution is close to a slightly skewed normal distribution. */
const NORMAL_MEAN = 50;

/** The Cornish-Fisher expansion of a Poisson distribution at the points of the quadrature. */
function normalCounts(mean: number): WeightedCount[] {
  return HERMITE.map(([z, weight]) => ({ count: mean + z * Math.sqrt(mean) + (z * z - 1) / 6, weight }));
}

/** A Poisson distribution as at most `most` values: neighbouring counts are merged into their mean. */
export function poissonCounts(mean: number, most: number): WeightedCount[] {
  if (mean === 0 || mean > CONCENTRATED_MEAN || most === 1) return [{ count: mean, weight: 1 }];
  if (mean > NORMAL_MEAN && most < MANY) return normalCounts(mean);
  const spread = REACH * Math.sqrt(mean);
  const from = Math.max(0, Math.floor(mean - spread));
  const to = Math.ceil(mean + spread) + REACH;
  const probabilities = new Float64Array(to - from + 1);
  probabilities[0] = poissonProbability(from, mean);
  for (let i = 1; i < probabilities.length; i++) {
    probabilities[i] = ((probabilities[i - 1] as number) * mean) / (from + i);
  }
  return grouped(probabilities, from, most);
}

/** Poisson distributions of at most so many values, each computed once. */
export class PoissonTable {
  readonly #most: number;
  readonly #counts = new Map<number, readonly WeightedCount[]>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The distribution with this mean, as of `poissonCounts`. */
  of(mean: number): readonly WeightedCount[] {
    const computed = this.#counts.get(mean);
    if (computed !== undefined) return computed;
    const counts = poissonCounts(mean, this.#most);
    this.#counts.set(mean, counts);
    return counts;
  }
}

/** Merges the probabilities of consecutive counts, starting at `from`, into at most `most` values, each the mean of its counts. */
function grouped(probabilities: Float64Array, from: number, most: number): WeightedCount[] {
  const total = probabilities.reduce((sum, value) => sum + value, 0);
  const groups: WeightedCount[] = [];
  let weight = 0;
  let moment = 0;
  let first = 0;
  for (let i = 0; i < probabilities.length; i++) {
    const share = (probabilities[i] as number) / total;
    const isFull = weight > 0 && weight + share > 1.5 / most;
    // A few counts that are much larger than the rest may dominate.
    const isFar = weight > NEGLIGIBLE && from + i > FAR * first;
    if (isFull || isFar) {
      groups.push({ count: moment / weight, weight });
      weight = 0;
      moment = 0;
    }
    if (weight === 0) first = from + i;
    weight += share;
    moment += share * (from + i);
  }
  if (weight > 0) groups.push({ count: moment / weight, weight });
  return groups;
}

/** Above this number of trials, the number of rare events is treated as Poisson. */
const MANY_TRIALS = 400;

function binomialProbabilities(trials: number, chance: number): Float64Array {
  const probabilities = new Float64Array(trials + 2);
  probabilities[0] = (1 - chance) ** trials;
  for (let n = 1; n <= trials; n++) {
    probabilities[n] = ((probabilities[n - 1] as number) * (trials - n + 1) * chance) / (n * (1 - chance));
  }
  return probabilities;
}

/** A binomial distribution as at most `most` values; the number of trials need not be whole. */
export function binomialCounts(trials: number, chance: number, most: number): WeightedCount[] {
  if (chance >= 1) return [{ count: trials, weight: 1 }];
  if (trials > MANY_TRIALS) return poissonCounts(trials * chance, most);
  const whole = Math.floor(trials);
  const part = trials - whole;
  const fewer = binomialProbabilities(whole, chance);
  const more = binomialProbabilities(whole + 1, chance);
  return grouped(
    fewer.map((probability, n) => (1 - part) * probability + part * (more[n] as number)),
    0,
    most,
  );
}
