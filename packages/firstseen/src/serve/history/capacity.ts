// How many distinct elements a detector was made for.

import { exactFamily } from '../../detectors/registry.js';
import type { DetectorEntry } from '../store/entry.js';

/**
 * The distinct elements that a detector was made for: those of BF.RESERVE, those that an exact set has room for, or those that were expected.
 * Undefined for a detector with a window, and where nothing was said.
 */
export function capacityOf({ detector, request }: DetectorEntry): number | undefined {
  const { filter, options } = request;
  if (filter !== undefined) return filter.capacity;
  const { family, parameters } = detector.settings;
  if (family === exactFamily) return Number(parameters.values.n);
  return options.window === undefined ? options.distinctElements : undefined;
}
