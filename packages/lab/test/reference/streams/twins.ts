// The twins of the streams that kernels generate, by their names in the registry.

import { adversarial } from './adversarial.js';
import { bursts } from './bursts.js';
import { drift } from './drift.js';
import { mixed } from './mixed.js';
import { numbered } from './numbered.js';
import { recency } from './recency.js';
import { shuffled } from './shuffled.js';
import type { Numbers, NumbersRequest } from './twin.js';
import { uniform } from './uniform.js';
import { zipf } from './zipf.js';

export const streamTwins: Readonly<Record<string, (request: NumbersRequest) => Numbers>> = {
  uniform,
  numbered,
  shuffled,
  zipf,
  mixed,
  recency,
  drift,
  bursts,
  adversarial,
};
