import { filterPlan } from './filters.js';

/** Every element, duplicate or not, clears one random bit in each filter: the rule of the published tables. */
export const rsbf = filterPlan('rsbf', {
  cleared: () => 1,
  filterCounts: [1, 2, 3, 4],
  parameters: { variant: 'table' },
});
