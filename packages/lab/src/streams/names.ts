// The names of the kinds alone, for who has to list them without loading what they need.

export const streamKindNames = [
  'uniform',
  'numbered',
  'zipf',
  'recency',
  'drift',
  'bursts',
  'adversarial',
  'ids',
  'lines',
] as const;
