// The memory of a Bloom filter for a number of elements and a rate of false positives once it has taken them.

import { formatCount } from '../../base/count.js';
import { FirstseenError } from '../../base/errors.js';
import { blockedRate } from '../../detectors/bloom.js';
import { LEAST_MEMORY_BYTES } from '../../detectors/settings.js';
import { CACHE_LINE_BYTES } from '../../kernel/abi.js';
import { MOST_MEMORY_BYTES } from '../../kernel/kernel.js';
import type { CreateOptions } from '../../plan/keys.js';

/** Hashes beyond which a cache line of 512 bits gets no better. */
const MOST_BLOCKED_HASHES = 24;
const MOST_HASHES = 64;
/** A filter that looks at one cache line is taken if it needs no more than this times the memory. */
const MOST_BLOCKED_SHARE = 1.5;

/** What a filter is made for. */
export interface FilterGoal {
  /** Different elements. */
  capacity: number;
  /** The rate of false positives once it has taken them. */
  errorRate: number;
}

type FilterSize = Pick<CreateOptions, 'layout'> & { k: number; memoryBytes: number };

/** An array of m bits for n elements at the rate p: m = -n ln p / (ln 2)^2 and k = (m / n) ln 2 (deng-2006, section 2.3). */
function classicSize({ capacity, errorRate }: FilterGoal): FilterSize {
  const best = Math.min(MOST_HASHES, Math.max(1, Math.round(-Math.log2(errorRate))));
  // With k rounded: (1 - e^(-kn/m))^k = p (the same equation).
  const bits = (-best * capacity) / Math.log1p(-(errorRate ** (1 / best)));
  return { layout: 'classic', k: best, memoryBytes: Math.ceil(bits / 8) };
}

/** The most elements of a cache line, on average, at which k hashes keep the rate. */
function elementsOfLine(k: number, errorRate: number): number {
  let [low, high] = [0, 1024 / k];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (blockedRate(k, middle) <= errorRate) low = middle;
    else high = middle;
  }
  return low;
}

function blockedSize({ capacity, errorRate }: FilterGoal): FilterSize {
  const rates = Array.from({ length: MOST_BLOCKED_HASHES }, (_, i) => ({
    k: i + 1,
    elements: elementsOfLine(i + 1, errorRate),
  }));
  const { k, elements } = rates.reduce((best, one) => (one.elements > best.elements ? one : best));
  return { layout: 'blocked', k, memoryBytes: Math.ceil(capacity / elements) * CACHE_LINE_BYTES };
}

/**
 * The options of the filter with the least memory, or of one that looks at a single cache line if that does not need much more.
 * @throws FirstseenError E_MEMORY when no filter has that much memory.
 */
export function filterOptions(goal: FilterGoal): CreateOptions & { memory: number } {
  const [classic, blocked] = [classicSize(goal), blockedSize(goal)];
  const isBlocked = blocked.memoryBytes <= classic.memoryBytes * MOST_BLOCKED_SHARE;
  const { layout, k, memoryBytes } = isBlocked ? blocked : classic;
  if (!(memoryBytes <= MOST_MEMORY_BYTES)) {
    const { capacity, errorRate } = goal;
    throw new FirstseenError(
      'E_MEMORY',
      `a filter of ${formatCount(capacity)} elements at the error rate ${errorRate} needs ${formatCount(memoryBytes)} bytes, ` +
        `and ${formatCount(MOST_MEMORY_BYTES)} are the most`,
      { option: 'capacity', given: capacity, remedy: 'give a smaller capacity or a higher error rate' },
    );
  }
  const memory = Math.max(LEAST_MEMORY_BYTES, memoryBytes);
  return { algorithm: 'bloom', layout, memory, parameters: { k } };
}
