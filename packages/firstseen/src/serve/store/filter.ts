// A Bloom filter for a number of elements and a rate of false positives once it has taken them.

import { formatCount } from '../../base/count.js';
import { FirstseenError } from '../../base/errors.js';
import { filterFamily } from '../../detectors/registry.js';
import { MIN_MEMORY_BYTES } from '../../detectors/settings.js';
import { MAX_MEMORY_BYTES } from '../../kernel/kernel.js';
import type { CreateOptions } from '../../plan/keys.js';
import { type FilterGoal, filterSize } from '../../plan/registry.js';
import type { DetectorRequest } from './request.js';

/**
 * The options of the filter.
 * @throws FirstseenError E_MEMORY when no filter has that much memory.
 */
export function filterOptions(goal: FilterGoal): CreateOptions & { memory: number } {
  const { layout, k, memoryBytes } = filterSize(goal);
  if (!(memoryBytes <= MAX_MEMORY_BYTES)) {
    const { capacity, errorRate } = goal;
    throw new FirstseenError(
      'E_MEMORY',
      `a filter of ${formatCount(capacity)} elements at the error rate ${errorRate} needs ${formatCount(memoryBytes)} bytes, ` +
        `but at most ${formatCount(MAX_MEMORY_BYTES)} are possible`,
      { option: 'capacity', given: capacity, remedy: 'give a smaller capacity or a higher error rate' },
    );
  }
  const memory = Math.max(MIN_MEMORY_BYTES, memoryBytes);
  return { algorithm: filterFamily.name, layout, memory, parameters: { k } };
}

/** The request for a filter that is made when an item is added to it. */
export function madeByItself(memory: number): DetectorRequest {
  return { options: { algorithm: filterFamily.name, memory } };
}
