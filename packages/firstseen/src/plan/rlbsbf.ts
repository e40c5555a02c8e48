import { filterPlan } from './filters.js';

/** Every element reported distinct clears a random bit with the probability of the load (bera-2012, algorithm 4). */
export const rlbsbf = filterPlan(
  'rlbsbf',
  { cleared: ({ reportedDistinct, load }) => reportedDistinct * load },
  { filterCounts: [1, 2, 3, 4, 5, 6] },
);
