import { bisect } from '../base/bisection.js';
import { BLOOM_HASHES_PARAMETER, CACHE_LINE_BITS } from '../kernel/abi.js';
import { DEFAULT_FPR_OF_PAPERS } from '../options/detector.js';
import { type DetectorFamily, type FamilyDescription, wholeParameter } from './contract.js';

const MAX_HASHES = 64;

/** Elements for which k is the best number of hashes, at which the array is half full: n = m ln 2 / k (deng-2006, section 2.3). */
export function bloomCapacity(bits: number, k: number): number {
  return Math.floor((bits * Math.LN2) / k);
}

/** Bits of a word of a cache line, and words of a cache line. An element sets as many bits in each word, or one more. */
const WORD_BITS = 64;
const WORDS = CACHE_LINE_BITS / WORD_BITS;

/**
 * The chance that all bits of an element are set in a cache line that has taken `elements` others. It is the mean of the k-th power of
 * the load, to the second order of its variance. The k-th power of the mean is too low, because the load of so few bits varies (Bose
 * et al., On the false-positive rate of Bloom filters, 2008).
 */
export function cacheLineRate(k: number, elements: number): number {
  const least = Math.floor(k / WORDS);
  const more = k / WORDS - least;
  const hits = (elements * k) / WORDS;
  const clear = Math.exp(hits * Math.log1p(-1 / WORD_BITS));
  const twoClear = Math.exp(hits * Math.log1p(-2 / WORD_BITS));
  const ofBits = (clear * (1 - clear) + (WORD_BITS - 1) * (twoClear - clear ** 2)) / WORD_BITS;
  const ofHits = (clear / WORD_BITS) ** 2 * elements * more * (1 - more);
  const pairs = WORDS * ((least * (least - 1)) / 2 + more * least);
  const load = 1 - clear;
  return elements > 0 ? Math.exp(k * Math.log(load) + (pairs * (ofBits + ofHits)) / load ** 2) : 0;
}

/** Standard deviations of the number of elements in a cache line beyond which nothing counts. */
const REACH = 14;
/** Above this mean, almost all bits are set, and the numbers are close to it. */
const MAX_MEAN = 700;

/**
 * The rate of false positives of cache lines that have taken `mean` elements each on average. Their numbers are Poisson's, and the
 * fullest cache lines cause most of the false positives (Putze, Sanders and Singler, Cache-, hash- and space-efficient Bloom filters, 2007).
 */
export function blockedRate(k: number, mean: number): number {
  if (mean > MAX_MEAN) return cacheLineRate(k, mean);
  const most = Math.ceil(mean + REACH * Math.sqrt(mean) + REACH);
  let chance = Math.exp(-mean);
  let rate = 0;
  for (let elements = 1; elements <= most; elements++) {
    chance *= mean / elements;
    rate += chance * cacheLineRate(k, elements);
  }
  return rate;
}

const BISECTIONS = 30;

/** Returns the number of elements at which cache lines reach the rate that a half full array has, 2^-k. */
export function blockedCapacity(bits: number, k: number): number {
  // A cache line never keeps more than twice what an array of as many bits does.
  const most = (2 * CACHE_LINE_BITS) / k;
  const [low] = bisect([0, most], BISECTIONS, (elements) => !(blockedRate(k, elements) > 2 ** -k));
  return Math.floor((bits / CACHE_LINE_BITS) * low);
}

export const bloomDescription: FamilyDescription = {
  title: 'Bloom filter',
  source: 'Bloom 1970; deng-2006, section 2.3',
  rule: 'Every element sets k bits of one array. No bit is ever cleared.',
  falsePositives: {
    kind: 'bounded',
    bound:
      '2^-k up to n distinct elements: (1 - e^(-kn/m))^k in the classic layout; in the blocked layout, the mean over the lines, whose numbers of elements are Poisson; tends to 1 beyond n',
    source: 'deng-2006, section 2.3; Putze, Sanders and Singler 2007',
  },
  falseNegatives: { kind: 'never' },
};

export const bloom: DetectorFamily = {
  name: 'bloom',
  id: 2,
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  ignoresRepeats: true,
  capacityFpr: ({ k }) => 2 ** -Number(k),
  parameters: [
    { letter: 'k', name: 'hashCount', description: 'bits that an element sets (1 to 64)' },
    { letter: 'm', name: 'bitCount', description: 'bits of the array', derived: true },
    {
      letter: 'n',
      name: 'capacityElements',
      description: 'distinct elements up to which the rate is at most 2^-k',
      derived: true,
    },
  ],
  resolve(request) {
    // A half full array meets the target with k = log2(1 / fpr) (deng-2006, section 2.3), rounded up. Cache lines would keep up to 12 %
    // more with fewer hashes, but then the array would depend on the layout.
    const k = wholeParameter(request, 'k', { least: 1, most: MAX_HASHES }, () =>
      Math.ceil(-Math.log2(request.fpr ?? DEFAULT_FPR_OF_PAPERS)),
    );
    const isBlocked = request.layout === 'blocked';
    const unitBits = isBlocked ? CACHE_LINE_BITS : WORD_BITS;
    const m = Math.floor((request.memoryBytes * 8) / unitBits) * unitBits;
    const n = isBlocked ? blockedCapacity(m, k) : bloomCapacity(m, k);
    return { values: { k, m, n }, kernel: [[BLOOM_HASHES_PARAMETER, k]] };
  },
};
