import { biasedSamplingDescription, biasedSamplingFamily } from './filters.js';

export const bsbfDescription = /* @__PURE__ */ biasedSamplingDescription({
  title: 'Biased Sampling based Bloom Filter',
  source: 'bera-2012, algorithm 2',
  rule: 'An element reported distinct clears one random bit in each filter, then sets its own k bits.',
});

export const bsbf = biasedSamplingFamily({
  name: 'bsbf',
  id: 5,
});
