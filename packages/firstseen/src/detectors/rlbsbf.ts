import { biasedSamplingDescription, biasedSamplingFamily } from './filters.js';

export const rlbsbfDescription = /* @__PURE__ */ biasedSamplingDescription({
  title: 'Randomized Load Balanced Biased Sampling based Bloom Filter',
  source: 'bera-2012, algorithm 4',
  rule: "An element reported distinct picks one random bit in each filter, clears it with a probability equal to the filter's load, then sets its own k bits.",
});

export const rlbsbf = biasedSamplingFamily({
  name: 'rlbsbf',
  id: 7,
});
