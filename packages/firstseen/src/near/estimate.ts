// The similarity of two documents, estimated from their sketches (docs/NEAR.md derives it).

/** Bins of two sketches: not empty in at least one, not empty in both, and equal and not empty. */
export interface SketchAgreement {
  either: number;
  both: number;
  equal: number;
}

export interface Estimate {
  /** The Jaccard similarity. */
  similarity: number;
  /** Its standard error. */
  standardError: number;
}

/** Values of a bin that is not empty. Different shingles have the same one by chance. */
const VALUES = 3;

/** Distinct hashes of which so many of `bins` bins are not empty (Whang, Vander-Zanden and Taylor 1990, linear counting). */
function countOf(filled: number, bins: number): number {
  const empty = Math.max(bins - filled, 0.5);
  return Math.max(filled, -bins * Math.log(empty / bins));
}

/**
 * The estimate from sketches of `bins` bins. A bin that is empty in both says nothing. In the other ones, the least shingle of both
 * documents together is in both of them with a probability of J, the similarity (Li, Owen and Zhang 2012). Bins that are filled in both but
 * by different shingles have equal values with a probability of 1/3, so equal bins have the expectation m + (both - m) / 3 for m bins
 * with the same shingle (Li and König 2010).
 */
export function estimateOf({ either, both, equal }: SketchAgreement, bins: number): Estimate {
  const chance = 1 / VALUES;
  const same = (equal - both * chance) / (1 - chance);
  const similarity = Math.min(1, Math.max(0, same / either));
  // The shingles of the bins are drawn without replacement from those of both documents: a hypergeometric variance.
  const count = countOf(either, bins);
  const drawn = count > 1 ? (count - either) / (count - 1) : 0;
  const ofShingles = either * similarity * (1 - similarity) * drawn;
  // Binomial, over the bins with different shingles, and enlarged by the correction.
  const ofChance = (Math.max(0, both - same) * chance) / (1 - chance);
  return { similarity, standardError: Math.sqrt(ofShingles + ofChance) / either };
}

/** Estimates of the documents that were compared: their number, their sum, and the sum of their squares. */
export interface Estimates {
  count: number;
  sum: number;
  squares: number;
}

/** With fewer estimates than this, their variance says too little. */
const LEAST_ESTIMATES = 4;

/**
 * The largest of several estimates is too large: of many documents that share a template, some seem to be near by chance. So it
 * moves toward the mean, the more of the variance of the estimates their standard error explains (James and Stein 1961, in the form of
 * Efron and Morris 1973 with an unknown mean).
 */
export function shrunk(largest: Estimate, { count, sum, squares }: Estimates): Estimate {
  const { similarity, standardError } = largest;
  if (count < LEAST_ESTIMATES || standardError === 0) return largest;
  const mean = sum / count;
  const scatter = Math.max(0, squares - count * mean * mean);
  const explained = Math.min(1, ((count - 3) * standardError ** 2) / scatter);
  return { similarity: similarity - (similarity - mean) * explained, standardError };
}
