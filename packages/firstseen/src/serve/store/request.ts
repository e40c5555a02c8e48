// What a detector is made from.

import type { CreateOptions } from '../../plan/keys.js';
import type { FilterGoal } from './bloomsize.js';

/** A filter that was reserved for a number of elements. */
export interface Filter extends FilterGoal {
  /** Whether it refuses elements beyond its capacity. Otherwise its rate of false positives grows. */
  isNonScaling: boolean;
}

/** What a detector is made from. */
export interface DetectorRequest {
  options: CreateOptions;
  filter?: Filter | undefined;
}
