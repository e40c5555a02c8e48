// Bands: how the rows of a signature are cut into groups that have to agree whole, so that documents beyond a threshold of
// similarity are likely found and others are not.

import { formatCounted } from '../count.js';
import { FirstseenError } from '../errors.js';
import { checkedWhole, type LshFamily } from './contract.js';
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
  /** The threshold of similarity, above 0 and below 1. */
  similarity: number;
  /** Bands that have to be seen. */
  agreeing: number;
}

/** Points at which the probability is taken on either side of the threshold, in the middle of steps of equal width. */
const STEPS = 64;

/**
 * The S-curve: the probability that a document at `similarity` to another finds enough of its bands, 1 - (1 - p^r)^b where one
 * is enough and p is that of a row (Leskovec, Rajaraman and Ullman, "Mining of massive datasets", section 3.4).
 */
export function chanceAt(similarity: number, { bands, rowsPerBand }: Bands, lsh: LshFamily, agreeing: number): number {
  return chanceOfDuplicate(lsh.agreement(similarity) ** rowsPerBand, bands, agreeing);
}

/** Rows' agreement at the middles of the steps below the threshold and of those above it, and the widths of the steps. */
function stepsAround({ lsh, similarity }: BandRequest) {
  const middles = (from: number, width: number) =>
    Array.from({ length: STEPS }, (_, i) => lsh.agreement(from + (i + 0.5) * width));
  const below = similarity / STEPS;
  const above = (1 - similarity) / STEPS;
  return { below: middles(0, below), above: middles(similarity, above), belowWidth: below, aboveWidth: above };
}

/**
 * b and r of the least sum of two areas: under the S-curve below the threshold, where it reports what is not similar enough,
 * and above the curve beyond it, where it misses what is (as Zhu, Nargesian, Pu and Miller 2016, "LSH Ensemble", tune theirs).
 */
export function chooseBands(request: BandRequest): Bands {
  const { below, above, belowWidth, aboveWidth } = stepsAround(request);
  const { hashes, agreeing } = request;
  let best: Bands = { bands: agreeing, rowsPerBand: 1 };
  let least = Number.POSITIVE_INFINITY;
  for (let rowsPerBand = 1; rowsPerBand * agreeing <= hashes; rowsPerBand++) {
    const reported = below.map((agreement) => agreement ** rowsPerBand);
    const found = above.map((agreement) => agreement ** rowsPerBand);
    for (let bands = agreeing; bands * rowsPerBand <= hashes; bands++) {
      const chance = (band: number) => chanceOfDuplicate(band, bands, agreeing);
      const falsePositives = reported.reduce((sum, band) => sum + chance(band), 0) * belowWidth;
      const falseNegatives = found.reduce((sum, band) => sum + 1 - chance(band), 0) * aboveWidth;
      if (falsePositives + falseNegatives >= least) continue;
      least = falsePositives + falseNegatives;
      best = { bands, rowsPerBand };
    }
  }
  return best;
}

/**
 * `9x13` as nine bands of thirteen rows.
 * @throws FirstseenError E_PARAMETER for any other text, and for more rows than there are hashes or fewer bands than have to be
 * seen.
 */
export function parseBands(text: string, { hashes, agreeing }: Pick<BandRequest, 'hashes' | 'agreeing'>): Bands {
  const [, bands = '', rows = ''] = /^(\d{1,4})x(\d{1,4})$/.exec(text) ?? [];
  if (bands === '') {
    throw new FirstseenError(
      'E_PARAMETER',
      `bands is ${JSON.stringify(text)}, but must be bands and rows of each, such as 9x13`,
    );
  }
  const found = {
    bands: checkedWhole('the number of bands', Number(bands), agreeing, hashes),
    rowsPerBand: checkedWhole('the rows of a band', Number(rows), 1, hashes),
  };
  if (found.bands * found.rowsPerBand <= hashes) return found;
  throw new FirstseenError(
    'E_PARAMETER',
    `bands is ${text}, which takes ${formatCounted(found.bands * found.rowsPerBand, 'row')}, but a signature has ${hashes}; give fewer, or more hashes`,
  );
}

/** The text that `parseBands` reads as these bands. */
export function formatBands({ bands, rowsPerBand }: Bands): string {
  return `${bands}x${rowsPerBand}`;
}
