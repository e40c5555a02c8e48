// Chooses the parameters of range motifs from the noise that is expected, and computes what they promise. Probabilities are over the
// positions that the hashes read, which are drawn independently and uniformly (narang-2011, section 4.1), and over the records.

import { lastWhole } from '../base/bisection.js';
import { formatCounted } from '../base/count.js';
import { type FirstseenError, invalidOption, joinPhrases, optionName, phrase } from '../base/errors.js';
import { logFactorial } from '../plan/poisson.js';
import { agreement, type MotifParameters } from './motifbounds.js';

/** Two records of a set are recognized with at least this probability. */
const MIN_RECOGNIZED = 0.999;
/** A record that is near nothing gets t votes with at most this probability, from a set and from records without a set. */
const MAX_TAKEN = 1e-6;
/** Records of that set, and records without a set, before it. */
const SET_RECORDS = 1e6;
const OTHER_RECORDS = 1e4;
/** The share of bits in which two records differ that have nothing to do with each other. */
const UNRELATED_SHARE = 0.5;
const LARGEST_ADDRESS_BITS = 20;
/** Steps in which the largest share that works is looked for. */
const STEP = 0.001;

/** The numbers of hashes that are tried, and the largest share of flipped bits. */
interface Tried {
  hashes: readonly number[];
  flips: number;
}

/** The candidates that are tried for a share that is given. */
const all: Tried = { hashes: [32, 48, 64, 80, 96, 128, 160, 192, 224, 255], flips: 0.1 };
/**
 * The candidates that are tried if nothing is given: a run without options takes no more than three times the memory of
 * 32 hashes.
 */
const usual: Tried = { hashes: [32, 48, 64, 80, 96], flips: 0.02 };

type VoteSettings = MotifParameters & { recordBytes: number };
type PairSettings = Omit<VoteSettings, 'threshold'>;

/** P[Bin(trials, chance) = count]. */
function binomial(count: number, trials: number, chance: number): number {
  if (chance <= 0) return count === 0 ? 1 : 0;
  if (chance >= 1) return count === trials ? 1 : 0;
  const ways = logFactorial(trials) - logFactorial(count) - logFactorial(trials - count);
  return Math.exp(ways + count * Math.log(chance) + (trials - count) * Math.log1p(-chance));
}

/** P[Bin(trials, chance) = count] for all counts from 0. */
function binomials(trials: number, chance: number): Float64Array {
  return Float64Array.from({ length: trials + 1 }, (_, count) => binomial(count, trials, chance));
}

interface WeightedShare {
  share: number;
  weight: number;
}

const MAX_SHARES = 64;
/** Standard deviations on either side of the mean; few bits need some more. */
const REACH = 7;

/** In which share of their bits records differ, if each bit differs with this probability. */
function distances(recordBytes: number, share: number): WeightedShare[] {
  const bits = 8 * recordBytes;
  const spread = REACH * Math.sqrt(bits * share * (1 - share)) + REACH;
  const from = Math.max(0, Math.floor(bits * share - spread));
  const to = Math.min(bits, Math.ceil(bits * share + spread));
  const step = Math.ceil((to - from + 1) / MAX_SHARES);
  const shares: WeightedShare[] = [];
  for (let count = from; count <= to; count += step) {
    shares.push({ share: count / bits, weight: binomial(count, bits, share) });
  }
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  return shares.map((one) => ({ ...one, weight: one.weight / total }));
}

/**
 * Returns the probability of each number of votes for a record, if a hash votes with a probability that depends on the
 * distance.
 */
function votesOver(shares: readonly WeightedShare[], hashes: number, chance: (share: number) => number): Float64Array {
  const votes = new Float64Array(hashes + 1);
  for (const { share, weight } of shares) {
    const atShare = binomials(hashes, chance(share));
    for (let count = 0; count <= hashes; count++)
      votes[count] = (votes[count] as number) + weight * (atShare[count] as number);
  }
  return votes;
}

function sumOf(probabilities: Float64Array): number {
  // The small ones first.
  return probabilities.toSorted().reduce((sum, value) => sum + value, 0);
}

/** In how many hashes two records of a set agree. Bits of two records that each differ from a centre differ with 2 e (1 - e). */
function pairVotes(flips: number, { recordBytes, ...settings }: PairSettings): Float64Array {
  const shares = distances(recordBytes, 2 * flips * (1 - flips));
  return votesOver(shares, settings.hashes, (share) => agreement(share, settings));
}

/**
 * The probability that a record is recognized by a single earlier record of its set: that the two agree in t hashes or more, if each
 * bit of a record differs from that of a common centre with the probability `flips`. With more earlier records it is larger.
 */
export function recognition(flips: number, settings: VoteSettings): number {
  return Math.max(0, 1 - sumOf(pairVotes(flips, settings).subarray(0, settings.threshold)));
}

/**
 * The probability that the entry of a hash is one that a set has reached, whose centre differs in this share of bits: each of its
 * records is at h given bits of an address with the probability e^h (1 - e)^(l' - h).
 */
function reached(share: number, flips: number, addressBits: number): number {
  return binomials(addressBits, share).reduce((sum, weight, bits) => {
    const one = flips ** bits * (1 - flips) ** (addressBits - bits);
    return sum + weight * (one >= 1 ? 1 : -Math.expm1(SET_RECORDS * Math.log1p(-one)));
  }, 0);
}

/** The probabilities that a record that is near nothing gets t votes: from a set, and from records without a set. */
function unrelatedVotes(flips: number, { recordBytes, hashes, addressBits, threshold }: VoteSettings): number {
  const shares = distances(recordBytes, UNRELATED_SHARE);
  const chance = (share: number) => agreement(share, { addressBits });
  const tail = (votes: Float64Array) => sumOf(votes.subarray(threshold));
  const bySet = tail(votesOver(shares, hashes, (share) => reached(share, flips, addressBits)));
  // The votes of many records together, or those of the nearest one.
  const each = shares.reduce((sum, { share, weight }) => sum + weight * chance(share), 0);
  const byMany = tail(binomials(hashes, -Math.expm1(OTHER_RECORDS * Math.log1p(-Math.min(each, 0.5)))));
  const byOne = OTHER_RECORDS * tail(votesOver(shares, hashes, chance));
  return Math.max(bySet, byMany, byOne);
}

/** The parameters that are given; the others are chosen. */
export type GivenParameters = { recordBytes: number } & Partial<MotifParameters>;

/** The largest t, at most half of the hashes, with which two records of a set are recognized. */
function thresholdFor(flips: number, settings: PairSettings): number {
  const votes = pairVotes(flips, settings);
  const most = Math.ceil(settings.hashes / 2);
  let missed = 0;
  for (let threshold = 0; threshold < most; threshold++) {
    missed += votes[threshold] as number;
    if (missed > 1 - MIN_RECOGNIZED) return threshold;
  }
  return most;
}

/** The parameters with the fewest hashes that work for this noise; undefined if none do. */
function parametersFor(flips: number, fixed: GivenParameters, tried: Tried): MotifParameters | undefined {
  const { recordBytes, addressBits = Math.min(LARGEST_ADDRESS_BITS, 8 * recordBytes) } = fixed;
  for (const hashes of fixed.hashes === undefined ? tried.hashes : [fixed.hashes]) {
    const pair = { recordBytes, hashes, addressBits };
    const most = thresholdFor(flips, pair);
    const threshold = fixed.threshold ?? most;
    if (threshold < 1 || threshold > hashes) continue;
    const settings = { ...pair, threshold };
    if (threshold > most && recognition(flips, settings) < MIN_RECOGNIZED) continue;
    if (unrelatedVotes(flips, settings) <= MAX_TAKEN) return { hashes, addressBits, threshold };
  }
  return undefined;
}

/** The largest share, in whole steps, for which parameters work; undefined if none do even without noise. */
function largestFlips(fixed: GivenParameters, tried: Tried): number | undefined {
  if (!parametersFor(0, fixed, tried)) return undefined;
  const fails = Math.round(tried.flips / STEP) + 1;
  const works = lastWhole([0, fails], (steps) => parametersFor(steps * STEP, fixed, tried) !== undefined);
  return Number((works * STEP).toFixed(3));
}

const names = ['hashes', 'addressBits', 'threshold'] as const;

function noParameters(flips: unknown, fixed: GivenParameters): FirstseenError {
  const largest = largestFlips(fixed, all);
  const fixedNames = names.filter((name) => fixed[name] !== undefined);
  const values = fixedNames.map((name) => phrase`${optionName(name)} ${fixed[name] as number}`);
  const records = phrase`records of ${formatCounted(fixed.recordBytes, 'byte')}`;
  const where = joinPhrases([records, ...values], ', ');
  const expected =
    largest === undefined
      ? phrase`left out, because no share works with ${where}`
      : phrase`a share from 0 to ${largest} with ${where}`;
  const remedy =
    fixedNames.length === 0
      ? phrase`choose ${optionName('hashes')}, ${optionName('addressBits')} and ${optionName('threshold')} yourself`
      : phrase`leave ${joinPhrases(
          fixedNames.map((name) => [optionName(name)]),
          ' or ',
        )} out`;
  return invalidOption({ option: 'flips', given: flips, expected, remedy });
}

/**
 * The parameters for the noise that a program expects.
 * @throws FirstseenError E_PARAMETER naming the largest share that works.
 */
export function chosenParameters(flips: unknown, fixed: GivenParameters): MotifParameters {
  const isShare = typeof flips === 'number' && flips >= 0 && flips < UNRELATED_SHARE;
  const parameters = isShare ? parametersFor(flips, fixed, all) : undefined;
  if (parameters) return parameters;
  throw noParameters(flips, fixed);
}

/** The parameters for the usual noise, or for the largest that works, if that is less; undefined if none works. */
export function usualParameters(fixed: GivenParameters): MotifParameters | undefined {
  const parameters = parametersFor(usual.flips, fixed, usual);
  if (parameters) return parameters;
  const largest = largestFlips(fixed, usual);
  return largest === undefined ? undefined : parametersFor(largest, fixed, usual);
}
