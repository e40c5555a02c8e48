import { filterPlan } from './filters.js';

/** Every element reported distinct clears one random bit in one of the k filters (bera-2012, algorithm 3). */
export const bsbfsd = filterPlan(
  'bsbfsd',
  { cleared: ({ reportedDistinct }, filters) => reportedDistinct / filters },
  { filterCounts: [1, 2, 3, 4] },
);
