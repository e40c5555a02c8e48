import { filterPlan } from './filters.js';

/** Every element reported distinct clears one random bit in each filter (bera-2012, algorithm 2). */
export const bsbf = filterPlan(
  'bsbf',
  { cleared: ({ reportedDistinct }) => reportedDistinct },
  { filterCounts: [1, 2, 3, 4] },
);
