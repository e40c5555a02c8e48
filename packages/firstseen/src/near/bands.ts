// Bands: groups of rows of a signature. A band agrees if all its rows agree, so documents above a threshold of similarity are
// likely to be found and others are not.

import { matchOf } from '../base/check.js';
import { formatCounted } from '../base/count.js';
import { invalidOption, optionName, phrase } from '../base/errors.js';
import type { LshFamily } from './contract.js';
import { chanceOfDuplicate } from './decision.js';

export interface Bands {
  /** b. */
  bands: number;
  /** r. */
  rowsPerBand: number;
}

export interface BandRequest {
  lsh: LshFamily;
  hashes: number;
  /** The threshold of similarity, between 0 and 1. */
  similarity: number;
  /** Bands that must be seen. */
  agreeing: number;
}

/** Steps of equal width on either side of the threshold. The probability is taken in the middle of each. */
const STEPS = 64;

/**
 * The S-curve: the probability that a document at `similarity` to another finds enough of its bands, 1 - (1 - p^r)^b if one
 * is enough and p is the probability of a row (Leskovec, Rajaraman and Ullman, "Mining of massive datasets", section 3.4).
 */
export function chanceAt(similarity: number, { bands, rowsPerBand }: Bands, lsh: LshFamily, agreeing: number): number {
  return chanceOfDuplicate(lsh.agreement(similarity) ** rowsPerBand, bands, agreeing);
}

/** The agreement of rows in the middle of the steps below and above the threshold, and the widths of the steps. */
function stepsAround({ lsh, similarity }: BandRequest) {
  const middles = (from: number, width: number) =>
    Array.from({ length: STEPS }, (_, i) => lsh.agreement(from + (i + 0.5) * width));
  const below = similarity / STEPS;
  const above = (1 - similarity) / STEPS;
  return { below: middles(0, below), above: middles(similarity, above), belowWidth: below, aboveWidth: above };
}

/**
 * The b and r with the least sum of two areas: false positives, under the S-curve below the threshold, and false negatives,
 * above the curve beyond it (as in Zhu, Nargesian, Pu and Miller 2016, "LSH Ensemble").
 */
export function chooseBands(request: BandRequest): Bands {
  const { below, above, belowWidth, aboveWidth } = stepsAround(request);
  const { hashes, agreeing } = request;
  let best: Bands = { bands: agreeing, rowsPerBand: 1 };
  let least = Number.POSITIVE_INFINITY;
  for (let rowsPerBand = 1; rowsPerBand * agreeing <= hashes; rowsPerBand++) {
    const reported = below.map((agreement) => agreement ** rowsPerBand);
    const atLeastSimilar = above.map((agreement) => agreement ** rowsPerBand);
    for (let bands = agreeing; bands * rowsPerBand <= hashes; bands++) {
      const chance = (band: number) => chanceOfDuplicate(band, bands, agreeing);
      const falsePositives = reported.reduce((sum, band) => sum + chance(band), 0) * belowWidth;
      const falseNegatives = atLeastSimilar.reduce((sum, band) => sum + 1 - chance(band), 0) * aboveWidth;
      if (falsePositives + falseNegatives >= least) continue;
      least = falsePositives + falseNegatives;
      best = { bands, rowsPerBand };
    }
  }
  return best;
}

/** The least probability that a document at the threshold has a band in common, and one beyond which more bands find little more. */
const MIN_FOUND = 0.98;
const ENOUGH_FOUND = 0.99;

/**
 * The b and r for a table that verifies what its bands find: documents below the threshold do no harm, so bands have as many rows as
 * documents at the threshold allow, which are found with a probability of MIN_FOUND.
 */
export function chooseVerifiedBands({ lsh, hashes, similarity }: BandRequest): Bands {
  const chanceOf = (bands: Bands) => chanceAt(similarity, bands, lsh, 1);
  let rowsPerBand = 1;
  while (chanceOf({ bands: Math.floor(hashes / (rowsPerBand + 1)), rowsPerBand: rowsPerBand + 1 }) >= MIN_FOUND) {
    rowsPerBand++;
  }
  let bands = Math.floor(hashes / rowsPerBand);
  while (bands > 1 && chanceOf({ bands: bands - 1, rowsPerBand }) >= ENOUGH_FOUND) bands--;
  return { bands, rowsPerBand };
}

/**
 * Reads `9x13` as nine bands of thirteen rows.
 * @throws FirstseenError E_PARAMETER for any other text, for more rows than hashes, or for fewer bands than must be seen.
 */
export function parseBands(text: string, { hashes, agreeing }: Pick<BandRequest, 'hashes' | 'agreeing'>): Bands {
  const [, first = '', second = ''] = matchOf(/^(\d{1,4})x(\d{1,4})$/, text);
  const [bands, rowsPerBand] = [Number(first), Number(second)];
  const invalid = { option: 'bands', given: text };
  if (first === '') throw invalidOption({ ...invalid, expected: 'bands and rows per band, such as 9x13' });
  if (rowsPerBand < 1 || bands < agreeing) {
    const expected = phrase`at least ${formatCounted(agreeing, 'band')}, as many as ${optionName('agreeing')}, of 1 row or more`;
    throw invalidOption({ ...invalid, expected });
  }
  if (bands * rowsPerBand <= hashes) return { bands, rowsPerBand };
  throw invalidOption({
    ...invalid,
    expected: phrase`BxR with B times R at most ${hashes}, the value of ${optionName('hashes')}`,
    remedy: phrase`use fewer bands or rows, or more ${optionName('hashes')}`,
  });
}

/** The inverse of `parseBands`. */
export function formatBands({ bands, rowsPerBand }: Bands): string {
  return `${bands}x${rowsPerBand}`;
}
