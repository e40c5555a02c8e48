// Confidence intervals of rates: at 95 %, two-sided.

/** A rate that was estimated from a sample, with an interval of 95 % confidence. */
export interface RateEstimate {
  /** Null if there was nothing to estimate from. The bounds are then 0 and 1. */
  estimate: number | null;
  /** The lower bound of the rate. */
  low: number;
  /** The upper bound of the rate. */
  high: number;
}

export const unknownRate: Readonly<RateEstimate> = { estimate: null, low: 0, high: 1 };

const TAIL = 0.025;
/** The quantile of the normal distribution that leaves TAIL above it. */
export const NORMAL_QUANTILE = 1.959963984540054;

/** Above this number of events the bounds of the score interval are within 2 % of the exact ones. */
const MANY_EVENTS = 100;

/** The relative precision of quantiles. */
const PRECISION = 1e-9;
const LENTZ_ROUNDS = 1000;
const LENTZ_TINY = 1e-300;

/** Lanczos' series with g = 7 and nine terms (Numerical Recipes, third edition, 6.1, has the method). */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x + 6.5;
  const series = LANCZOS.reduce((sum, term, i) => (i === 0 ? term : sum + term / (x - 1 + i)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}

function awayFromZero(value: number): number {
  return Math.abs(value) < LENTZ_TINY ? LENTZ_TINY : value;
}

/** The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes, third edition, 6.4). */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m < LENTZ_ROUNDS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    fraction *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    fraction *= c * d;
    if (Math.abs(c * d - 1) < PRECISION) break;
  }
  return fraction;
}

/** The value below which Beta(a, b) falls with the given probability, by bisection. */
export function betaQuantile(probability: number, a: number, b: number): number {
  const logScale = logGamma(a + b) - logGamma(a) - logGamma(b);
  const distribution = (x: number) => {
    const front = Math.exp(logScale + a * Math.log(x) + b * Math.log1p(-x));
    const isBelowMean = x < (a + 1) / (a + b + 2);
    return isBelowMean ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
  };
  let low = 0;
  let high = 1;
  while (high - low > PRECISION * high) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (distribution(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The quantile of Student's distribution that leaves TAIL above it: t^2 / (t^2 + f) is of Beta(1/2, f/2). */
export function studentQuantile(degreesOfFreedom: number): number {
  const x = betaQuantile(2 * TAIL, degreesOfFreedom / 2, 0.5);
  return Math.sqrt((degreesOfFreedom * (1 - x)) / x);
}

function clippedToRate(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** The score interval (Wilson 1927). */
function scoreBounds(rate: number, trials: number): [number, number] {
  const z2 = NORMAL_QUANTILE ** 2;
  const center = rate + z2 / (2 * trials);
  const half = NORMAL_QUANTILE * Math.sqrt((rate * (1 - rate)) / trials + z2 / (4 * trials ** 2));
  const scale = 1 + z2 / trials;
  return [clippedToRate((center - half) / scale), clippedToRate((center + half) / scale)];
}

/** The exact interval (Clopper and Pearson 1934), for numbers that need not be whole. */
function exactBounds(rate: number, trials: number): [number, number] {
  const events = rate * trials;
  const others = trials - events;
  // Without events, or with nothing else, the distribution has a closed form.
  if (events <= 0) return [0, -Math.expm1(Math.log(TAIL) / trials)];
  if (others <= 0) return [TAIL ** (1 / trials), 1];
  return [betaQuantile(TAIL, events, others + 1), betaQuantile(1 - TAIL, events + 1, others)];
}

/** The exact lower bound of the rate of events in a number of trials, or nearly. */
function lowerBound(events: number, trials: number): number {
  if (events > MANY_EVENTS) return scoreBounds(events / trials, trials)[0];
  return betaQuantile(TAIL, events, trials - events + 1);
}

/** The upper bound if the last of the events, and of the trials, was not seen. */
function upperBound(events: number, trials: number): number {
  if (events > MANY_EVENTS) return scoreBounds(events / trials, trials)[1];
  return betaQuantile(1 - TAIL, events, trials - events);
}

/** A limited rate and its bounds, none of them outside 0 to 1. */
export function limitedRate(estimate: number, low: number, high: number): RateEstimate & { estimate: number } {
  return { estimate: clippedToRate(estimate), low: clippedToRate(low), high: clippedToRate(high) };
}

/** A number of events that is estimated from a sample in which each event has a weight. */
export interface Count {
  events: number;
  variance: number;
  /** The weight of an event that the sample may have missed. */
  missedWeight: number;
}

/**
 * The bounds of the rate of a count among `base` trials. The lower bound is that of as many trials with equal weights as have
 * the same variance. The upper bound is that with one more event, which has the weight of a missed one (Fay and Feuer 1997).
 */
export function countInterval({ events, variance, missedWeight }: Count, base: number): { low: number; high: number } {
  const rate = clippedToRate(events / base);
  if (rate > 0.5) {
    const complement = countInterval({ events: base - events, variance, missedWeight }, base);
    return { low: 1 - complement.high, high: 1 - complement.low };
  }
  const weight = events > 0 ? variance / (events * (1 - rate)) : 0;
  const nextEventWeight = Math.max(missedWeight, weight);
  const low = weight === 0 ? rate : lowerBound(events / weight, base / weight);
  const withMissed = weight * events + nextEventWeight ** 2;
  if (events > MANY_EVENTS * nextEventWeight) return { low, high: scoreBounds(rate, (base * events) / withMissed)[1] };
  const nextWeight = withMissed / (events + nextEventWeight);
  return { low, high: upperBound((events + nextEventWeight) / nextWeight, (base + nextEventWeight) / nextWeight) };
}

/** The interval of a rate seen in a number of independent trials. With infinitely many it has no width. */
export function binomialInterval(rate: number, trials: number): RateEstimate {
  const estimate = clippedToRate(rate);
  if (trials === Number.POSITIVE_INFINITY) return { estimate, low: estimate, high: estimate };
  const rarer = Math.min(estimate, 1 - estimate) * trials;
  const [low, high] = rarer > MANY_EVENTS ? scoreBounds(estimate, trials) : exactBounds(estimate, trials);
  return { estimate, low, high };
}
