// Every distinct element sets k bits, so the load follows from the distinct elements alone: 1 - (1 - k/m)^n (deng-2006,
// section 2.3). The cache lines of the blocked layout hold numbers of elements that are Poisson's.

import { CACHE_LINE_BITS, CACHE_LINE_BYTES } from '../kernel/abi.js';
import { type FamilyPlan, inLayouts, numberOf } from './contract.js';
import { poissonCounts } from './poisson.js';

/** Samples of the number of elements in a cache line: a few full cache lines cause most of the false positives. */
const CACHE_LINE_COUNTS = 64;
const MOST_HASHES_TRIED = 24;

function loadOf(elements: number, k: number, bits: number): number {
  return -Math.expm1(elements * Math.log1p(-k / bits));
}

export const bloom: FamilyPlan = {
  name: 'bloom',
  candidates: ({ memoryBytes, distinctElements }) => {
    // The best k is (m / n) ln 2 (deng-2006, section 2.3), and fewer in the blocked layout and while the array fills.
    const best = Math.ceil((Math.LN2 * 8 * memoryBytes) / distinctElements);
    const most = Math.min(MOST_HASHES_TRIED, Math.max(1, best));
    return inLayouts(
      ['blocked', 'classic'],
      Array.from({ length: most }, (_, i) => ({ k: i + 1 })),
    );
  },
  *course(settings, { distinct }) {
    const k = numberOf(settings, 'k');
    const isBlocked = settings.layout === 'blocked';
    const bits = isBlocked ? CACHE_LINE_BITS : numberOf(settings, 'm');
    const cacheLines = isBlocked ? Math.floor(settings.memoryBytes / CACHE_LINE_BYTES) : 1;
    const load = new Float64Array(distinct.length);
    const falsePositive = new Float64Array(distinct.length);
    for (const [i, elements] of distinct.entries()) {
      const counts = isBlocked
        ? poissonCounts(elements / cacheLines, CACHE_LINE_COUNTS)
        : [{ count: elements, weight: 1 }];
      for (const { count, weight } of counts) {
        const here = loadOf(count, k, bits);
        load[i] = (load[i] as number) + weight * here;
        falsePositive[i] = (falsePositive[i] as number) + weight * here ** k;
      }
      yield;
    }
    return { load, falsePositive, miss: () => 0 };
  },
};
