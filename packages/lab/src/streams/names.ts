// The names of the kinds, for code that lists them without loading the kinds.

export const streamKindNames = [
  'uniform',
  'numbered',
  'shuffled',
  'zipf',
  'mixed',
  'recency',
  'drift',
  'bursts',
  'adversarial',
  'ids',
  'lines',
] as const;
