import type { FamilyPlan } from './contract.js';
import { filterPlan } from './filters.js';

/** Every element, duplicate or not, clears one random bit in each filter: the rule of the published tables. */
export const rsbf: FamilyPlan = {
  ...filterPlan('rsbf', {
    cleared: () => 1,
    filterCounts: [1, 2, 3, 4],
    parameters: { variant: 'table' },
  }),
  isModelOf: ({ parameters }) => parameters.values.variant === 'table',
};
