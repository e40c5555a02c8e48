import type { Family } from './contract.js';
import { filterParameters, resolveFilters } from './filters.js';

/** k that the paper settles on by experiment (bera-2012, section 6.1). */
const PUBLISHED_FILTERS = 2;

export const bsbfsd: Family = {
  name: 'bsbfsd',
  id: 6,
  title: 'Biased Sampling based Bloom Filter with Single Deletion',
  source: 'bera-2012, algorithm 3',
  rule: 'What is reported distinct clears one random bit in one random filter, then sets its own k bits.',
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  falsePositives: {
    kind: 'data-dependent',
    why: 'grows with the load of the filters, which the rule holds down but does not bound to a target',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'a cleared bit forgets the elements that shared it, the sooner the more distinct elements come between',
  },
  parameters: filterParameters,
  resolve(request) {
    const { k, s } = resolveFilters(request, PUBLISHED_FILTERS);
    return { values: { k, s }, kernel: [k] };
  },
};
