// Shared by the families of k Bloom filters with one hash each: k, s, and the papers' rule for k.

import { CACHE_LINE_BITS, CACHE_LINE_BYTES, FILTER_COUNT_PARAMETER } from '../kernel/abi.js';
import {
  type DetectorFamily,
  type FamilyDescription,
  type FamilyParameter,
  type ParameterRequest,
  wholeParameter,
} from './contract.js';

const MAX_FILTERS = 64;

export const filterParameters: readonly FamilyParameter[] = [
  { letter: 'k', name: 'filterCount', description: 'Bloom filters; an element sets one bit in each (1 to 64)' },
  { letter: 's', name: 'filterBits', description: 'bits of one filter', derived: true },
];

/**
 * k for a target rate: the mean of 1, which has the fewest false negatives, and ln(FPR) / ln(1 - 1/e), which meets the rate
 * after s elements (dutta-2012, eq. 5.27 and section 5.4; bera-2012, eq. 6.1), to the nearest whole number.
 */
export function filterCountForRate(fpr: number): number {
  const meeting = Math.log(fpr) / Math.log(1 - 1 / Math.E);
  return Math.max(1, Math.round((1 + meeting) / 2));
}

/** Bits of one filter: whole 64-bit words in `classic`; a slice of every 64-byte cache line in `blocked`. */
function filterBits(request: ParameterRequest, k: number): number {
  if (request.layout === 'blocked')
    return Math.floor(request.memoryBytes / CACHE_LINE_BYTES) * Math.floor(CACHE_LINE_BITS / k);
  return Math.floor(Math.floor(request.memoryBytes / 8) / k) * 64;
}

/** k as given, from the target rate, or `fallback`; and the resulting s. */
export function resolveFilters(request: ParameterRequest, fallback: number): { k: number; s: number } {
  const { fpr } = request;
  const k = wholeParameter(request, 'k', { least: 1, most: MAX_FILTERS }, () =>
    fpr === undefined ? fallback : filterCountForRate(fpr),
  );
  // The smallest memory, 1 KiB, has a word for each filter of the largest k.
  return { k, s: filterBits(request, k) };
}

/** The k that bera-2012 chose by experiment for its three families (section 6.1). */
const PUBLISHED_FILTERS = 2;

/** A family of bera-2012, sections 4 and 5, which has one parameter, k. */
export function biasedSamplingFamily(identity: Pick<DetectorFamily, 'name' | 'id'>): DetectorFamily {
  return {
    ...identity,
    layouts: ['classic', 'blocked'],
    layout: 'blocked',
    parameters: filterParameters,
    resolve(request) {
      const { k, s } = resolveFilters(request, PUBLISHED_FILTERS);
      return { values: { k, s }, kernel: [[FILTER_COUNT_PARAMETER, k]] };
    },
  };
}

/** The description of such a family. The errors of all of them depend on the stream. */
export function biasedSamplingDescription(
  texts: Pick<FamilyDescription, 'title' | 'source' | 'rule'>,
): FamilyDescription {
  return {
    ...texts,
    falsePositives: {
      kind: 'data-dependent',
      why: 'the rate grows with the load of the filters, which the rule limits, but not to a target',
    },
    falseNegatives: {
      kind: 'data-dependent',
      why: 'a cleared bit forgets the elements that shared it, so the rate grows with the distinct elements between',
    },
  };
}
