// The rate of false positives of an Age-Partitioned Bloom Filter, and the ring that keeps it lowest.

import { lastWhole } from '../base/bisection.js';
import { MAX_BUNDLED_SLICES } from '../kernel/abi.js';

/** A slice consists of parts: one for each cache line in `blocked`, a single one in `classic`. An element sets a bit in one part. */
export interface RingShape {
  k: number;
  l: number;
  bits: number;
  parts: number;
}

/**
 * Returns the number of slices of a ring with one part that share a hash and a word: a power of two, so that their bits
 * fill words, and so few that the slices of a bundle are k or more apart all around the ring.
 */
export function bundledSlices({ k, l }: RingShape): number {
  let bundled = 1;
  while (bundled < MAX_BUNDLED_SLICES && 2 * bundled * k <= k + l) bundled *= 2;
  return bundled;
}

/** Cache lines that an element reads: one for each bundle and each remaining slice, or a single one in `blocked`. */
export function cacheLinesRead(shape: RingShape): number {
  if (shape.parts > 1) return 1;
  const slices = shape.k + shape.l;
  const bundled = bundledSlices(shape);
  return Math.floor(slices / bundled) + (slices % bundled);
}

/** More adds than this in one part fill it so far that the rate is 1. */
const MAX_MEAN_ADDS = 500;
/** A sum ends when a term is this small a part of it. */
const NEGLIGIBLE = 1e-9;

/**
 * Returns the chances by age that the first run of k slices that hold an element which was never added begins there, given
 * each slice's share of ones, youngest first. They are computed forwards over the lengths a of the current run.
 */
export function runAges(k: number, shares: readonly number[]): Float64Array {
  // The chance of a run of a slices that ends at the current one, with no run of k before.
  const lengths = new Float64Array(k);
  lengths[0] = 1;
  const begins = new Float64Array(shares.length - k + 1);
  let foundChance = 0;
  for (const [age, share] of shares.entries()) {
    const missChance = (1 - foundChance) * (1 - share);
    const endChance = (lengths[k - 1] as number) * share;
    if (age >= k - 1) begins[age - k + 1] = endChance;
    foundChance += endChance;
    for (let a = k - 1; a > 0; a--) lengths[a] = (lengths[a - 1] as number) * share;
    lengths[0] = missChance;
  }
  return begins;
}

/**
 * Returns the chance that k slices in a row hold an element that was never added: F(0, 0) with F(a, i) = 1 if a = k, 0 if
 * i > l + a, else r_i F(a + 1, i + 1) + (1 - r_i) F(0, i + 1) (arXiv 2001.03147, section on false positives).
 */
export function runRate(k: number, shares: readonly number[]): number {
  return runAges(k, shares).reduce((sum, chance) => sum + chance, 0);
}

/**
 * Shares of ones once a generation is full, from the adds that the k youngest slices took in one part: slice i took the adds of
 * min(i + 1, k) generations. The paper sets r_i = (i + 1) / 2k for the young slices, a chord below this curve.
 */
function sharesAfter({ k, l, bits }: RingShape, adds: number): number[] {
  const perGeneration = (adds * Math.log1p(-1 / bits)) / k;
  const shares: number[] = [];
  for (let i = 0; i < k; i++) shares.push(-Math.expm1((i + 1) * perGeneration));
  const oldest = shares[k - 1] as number;
  for (let i = 0; i < l; i++) shares.push(oldest);
  return shares;
}

/**
 * The mean of `runRate` over parts whose adds are Poisson distributed. The generations of a part vary independently. If they
 * varied together, a run of k slices would be likeliest (Hölder's inequality), so this is a bound.
 */
function poissonRate(shape: RingShape, mean: number): number {
  if (mean > MAX_MEAN_ADDS) return 1;
  let rate = 0;
  let probability = Math.exp(-mean);
  for (let adds = 0; adds <= mean || probability > NEGLIGIBLE * rate; adds++) {
    rate += probability * runRate(shape.k, sharesAfter(shape, adds));
    probability *= mean / (adds + 1);
  }
  return Math.min(1, rate);
}

/**
 * A bound on the rate when g adds fill a generation and false positives kept at most `share` of the distinct elements from
 * being added. An add then sets a given bit with at most 1 / (1 - share) times the chance of any bit.
 */
export function ringRate(shape: RingShape, g: number, share: number): number {
  const mean = (shape.k * g) / (shape.parts * (1 - share));
  return shape.parts === 1 ? runRate(shape.k, sharesAfter(shape, mean)) : poissonRate(shape, mean);
}

/** The bound in which `share` is the bound itself: the smallest fixed point, at most 1. */
export function stableRingRate(shape: RingShape, g: number): number {
  let rate = 0;
  for (let round = 0; round < 100; round++) {
    const next = rate < 1 ? ringRate(shape, g, rate) : 1;
    if (next - rate <= 1e-6 * next) return next;
    rate = next;
  }
  return 1;
}

/** The maximum number of adds per generation that keeps the rate at `fpr`; 0 if there is none. */
export function maxAdds(shape: RingShape, fpr: number): number {
  const isMet = (g: number) => ringRate(shape, g, fpr) <= fpr;
  let over = 1;
  while (isMet(over)) over *= 2;
  return lastWhole([Math.floor(over / 2), over], isMet);
}
