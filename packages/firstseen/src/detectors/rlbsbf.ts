import { biasedSamplingFamily } from './filters.js';

export const rlbsbf = biasedSamplingFamily({
  name: 'rlbsbf',
  id: 7,
  title: 'Randomized Load Balanced Biased Sampling based Bloom Filter',
  source: 'bera-2012, algorithm 4',
  rule: "An element reported distinct picks one random bit in each filter, clears it with a probability equal to the filter's load, then sets its own k bits.",
});
