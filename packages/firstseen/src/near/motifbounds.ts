// Bounds of range motifs: Theorem 4.1 of narang-2011, and the probability that noise opens a set.

/** The parameters that decide how often records agree. */
export interface MotifParameters {
  /** The paper's k. */
  hashes: number;
  /** The paper's l'. */
  addressBits: number;
  /** The paper's t. */
  threshold: number;
}

/** Distances are shares of the bits of a record. */
export interface MotifDistances {
  /** The paper's epsilon: the maximum distance of a record from its own set. */
  withinShare: number;
  /** The paper's delta: the minimum distance of a record from every other set. */
  apartShare: number;
}

type HashSettings = Pick<MotifParameters, 'hashes' | 'addressBits'>;

/** Probability that a hash agrees on two records at this distance: (1 - z)^l' (narang-2011, section 4.1). */
export function agreement(distanceShare: number, { addressBits }: Pick<HashSettings, 'addressBits'>): number {
  return (1 - distanceShare) ** addressBits;
}

/** e^(-(p_L - p_H)^2 k / 2): Hoeffding's bound that k trials of the smaller chance win (equation 4.2). */
function overtakes(nearShare: number, farShare: number, settings: HashSettings): number {
  const lead = agreement(nearShare, settings) - agreement(farShare, settings);
  return Math.exp((-(lead ** 2) * settings.hashes) / 2);
}

/** Theorem 4.1 (a): a bound on the probability that a distant set takes a record. */
export function falsePositiveBound({ withinShare, apartShare }: MotifDistances, settings: HashSettings): number {
  return overtakes(withinShare, apartShare, settings);
}

/**
 * Theorem 4.1 (b): the same for a record with given distances from the sets. The product of the paper assumes that the sets are
 * independent.
 */
export function generalFalsePositiveBound(
  withinShare: number,
  distanceShares: readonly number[],
  settings: HashSettings,
): number {
  return distanceShares.reduce((bound, share) => bound * overtakes(withinShare, share, settings), 1);
}

/** Theorem 4.1 (c): a bound on the probability that a record's own set does not take it. It can exceed 1. */
export function falseNegativeBound(
  { withinShare, apartShare }: MotifDistances,
  settings: HashSettings & { sets: number },
): number {
  return (settings.sets - 1) * overtakes(withinShare, apartShare, settings);
}

/**
 * A bound on the probability that a random record opens a set under the rule `confirmed`, if at most a share of the entries of
 * each array was set only by records without a set: P[Bin(k, share) >= t], by Hoeffding, for independent hashes.
 */
export function noiseOpeningBound(
  orphanShare: number,
  { hashes, threshold }: Pick<MotifParameters, 'hashes' | 'threshold'>,
): number {
  const excess = threshold / hashes - orphanShare;
  return excess <= 0 ? 1 : Math.exp(-2 * hashes * excess ** 2);
}
