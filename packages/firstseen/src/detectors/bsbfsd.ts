import { biasedSamplingDescription, biasedSamplingFamily } from './filters.js';

export const bsbfsdDescription = /* @__PURE__ */ biasedSamplingDescription({
  title: 'Biased Sampling based Bloom Filter with Single Deletion',
  source: 'bera-2012, algorithm 3',
  rule: 'An element reported distinct clears one random bit in one random filter, then sets its own k bits.',
});

export const bsbfsd = biasedSamplingFamily({
  name: 'bsbfsd',
  id: 6,
});
