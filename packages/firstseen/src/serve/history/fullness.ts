// How full a detector is, and how much has come of what it was planned for. These are two numbers: a memory may be full long before what was
// planned has come, and far from it when it has.

import { type Fullness, fullnessOf } from '../../detectors/fullness.js';
import type { DetectorEntry } from '../store/entry.js';

/**
 * Returns the fullness of a detector now; undefined for an algorithm whose load settles by itself. A filter of
 * BF.RESERVE is full at its capacity.
 */
export function fullnessNow({ detector, request, distinct, claims }: DetectorEntry): Fullness | undefined {
  const { filter } = request;
  if (filter === undefined) return fullnessOf(detector, Date.now(), claims?.stats().pending);
  return { share: distinct / filter.capacity, whenFull: filter.isNonScaling ? 'refuses' : 'misreports' };
}

/**
 * The distinct elements that a detector was planned for: those of BF.RESERVE, or those that were expected. Undefined for a detector with a
 * window, and where nothing was said.
 */
export function plannedElementsOf({ request: { filter, options } }: DetectorEntry): number | undefined {
  return filter?.capacity ?? (options.window === undefined ? options.distinctElements : undefined);
}

/** The distinct elements that came, as a share of those that were planned. */
export function plannedShareOf(entry: DetectorEntry): number | undefined {
  const planned = plannedElementsOf(entry);
  return planned === undefined ? undefined : entry.distinct / planned;
}
