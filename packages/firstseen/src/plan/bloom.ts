// Every distinct element sets k bits, so the load follows from the distinct elements alone: 1 - (1 - k/m)^n (deng-2006,
// section 2.3). The cache lines of the blocked layout hold numbers of elements that are Poisson's (src/detectors/bloom.ts).

import { bisect } from '../base/bisection.js';
import { mapInSteps } from '../base/steps.js';
import { blockedRate } from '../detectors/bloom.js';
import type { LayoutName } from '../detectors/contract.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { CACHE_LINE_BITS, CACHE_LINE_BYTES } from '../kernel/abi.js';
import { type Candidate, type FamilyPlan, inLayouts, numberOf, type PlanGoal } from './contract.js';

const MAX_HASHES_TRIED = 24;

function loadOf(elements: number, k: number, bits: number): number {
  return -Math.expm1(elements * Math.log1p(-k / bits));
}

/** The elements after which this is the load, up to the last bit that is zero. */
function elementsAt(load: number, k: number, bits: number): number {
  return Math.log(Math.max(1 - load, 1 / bits)) / Math.log1p(-k / bits);
}

function bitsOf(settings: DetectorSettings): number {
  if (settings.layout === 'classic') return numberOf(settings, 'm');
  return Math.floor(settings.memoryBytes / CACHE_LINE_BYTES) * CACHE_LINE_BITS;
}

function candidates({ memoryBytes, distinctElements }: PlanGoal): Candidate[] {
  // The best k is (m / n) ln 2 (deng-2006, section 2.3), and fewer in the blocked layout and while the array fills.
  const best = Math.ceil((Math.LN2 * 8 * memoryBytes) / distinctElements);
  const most = Math.min(MAX_HASHES_TRIED, Math.max(1, best));
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
    const bits = bitsOf(settings);
    const load = distinct.map((elements) => loadOf(elements, k, bits));
    const falsePositive = yield* mapInSteps(distinct, (elements, i) =>
      isBlocked ? blockedRate(k, elements / cacheLines) : (load[i] as number) ** k,
    );
    return { load, falsePositive, miss: () => 0 };
  },
  // An element that is taken for a duplicate by mistake would have set bits that are all set already, so the load tells of it too.
  distinctAt: (settings, load) => elementsAt(load, numberOf(settings, 'k'), bitsOf(settings)),
};

/** Hashes beyond which a cache line of 512 bits gets no better. */
const MAX_BLOCKED_HASHES = 24;
const MAX_HASHES = 64;
/** A filter that looks at one cache line is taken if it needs no more than this times the memory. */
const MAX_BLOCKED_SHARE = 1.5;

/** The requirements for a filter. */
export interface FilterGoal {
  /** Different elements. */
  capacity: number;
  /** The rate of false positives once it has taken them. */
  errorRate: number;
}

/** A Bloom filter: its layout, its hashes and its memory. */
export interface FilterSize {
  layout: LayoutName;
  k: number;
  memoryBytes: number;
}

/** An array of m bits for n elements at the rate p: m = -n ln p / (ln 2)^2 and k = (m / n) ln 2 (deng-2006, section 2.3). */
function classicSize({ capacity, errorRate }: FilterGoal): FilterSize {
  const best = Math.min(MAX_HASHES, Math.max(1, Math.round(-Math.log2(errorRate))));
  // With k rounded: (1 - e^(-kn/m))^k = p (the same equation).
  const bits = (-best * capacity) / Math.log1p(-(errorRate ** (1 / best)));
  return { layout: 'classic', k: best, memoryBytes: Math.ceil(bits / 8) };
}

/** The most elements of a cache line, on average, at which k hashes keep the rate. */
function elementsOfLine(k: number, errorRate: number): number {
  return bisect([0, 1024 / k], 40, (elements) => blockedRate(k, elements) <= errorRate)[0];
}

function blockedSize({ capacity, errorRate }: FilterGoal): FilterSize {
  const rates = Array.from({ length: MAX_BLOCKED_HASHES }, (_, i) => ({
    k: i + 1,
    elements: elementsOfLine(i + 1, errorRate),
  }));
  const { k, elements } = rates.reduce((best, one) => (one.elements > best.elements ? one : best));
  return { layout: 'blocked', k, memoryBytes: Math.ceil(capacity / elements) * CACHE_LINE_BYTES };
}

/**
 * The filter with the least memory, or one that looks at a single cache line if that does not need much more. Its memory may be more than
 * there can be.
 */
export function filterSize(goal: FilterGoal): FilterSize {
  const [classic, blocked] = [classicSize(goal), blockedSize(goal)];
  return blocked.memoryBytes <= classic.memoryBytes * MAX_BLOCKED_SHARE ? blocked : classic;
}
