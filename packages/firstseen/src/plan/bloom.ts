// Every distinct element sets k bits, so the load follows from the distinct elements alone: 1 - (1 - k/m)^n (deng-2006,
// section 2.3). The cache lines of the blocked layout hold numbers of elements that are Poisson's (src/detectors/bloom.ts).

import { mapInSteps } from '../base/steps.js';
import { blockedRate } from '../detectors/bloom.js';
import { CACHE_LINE_BITS, CACHE_LINE_BYTES } from '../kernel/abi.js';
import { type Candidate, type FamilyPlan, inLayouts, numberOf, type PlanGoal } from './contract.js';

const MOST_HASHES_TRIED = 24;

function loadOf(elements: number, k: number, bits: number): number {
  return -Math.expm1(elements * Math.log1p(-k / bits));
}

function candidates({ memoryBytes, distinctElements }: PlanGoal): Candidate[] {
  // The best k is (m / n) ln 2 (deng-2006, section 2.3), and fewer in the blocked layout and while the array fills.
  const best = Math.ceil((Math.LN2 * 8 * memoryBytes) / distinctElements);
  const most = Math.min(MOST_HASHES_TRIED, Math.max(1, best));
  return inLayouts(
    ['blocked', 'classic'],
    Array.from({ length: most }, (_, i) => ({ k: i + 1 })),
  );
}

export const bloom: FamilyPlan = {
  name: 'bloom',
  candidates,
  autoCandidates: (goal) => (goal.promise === 'expected stream' ? candidates(goal) : []),
  *course(settings, { distinct }) {
    const k = numberOf(settings, 'k');
    const isBlocked = settings.layout === 'blocked';
    const cacheLines = Math.floor(settings.memoryBytes / CACHE_LINE_BYTES);
    const bits = isBlocked ? cacheLines * CACHE_LINE_BITS : numberOf(settings, 'm');
    const load = distinct.map((elements) => loadOf(elements, k, bits));
    const falsePositive = yield* mapInSteps(distinct, (elements, i) =>
      isBlocked ? blockedRate(k, elements / cacheLines) : (load[i] as number) ** k,
    );
    return { load, falsePositive, miss: () => 0 };
  },
};
