// Observes elements of a detector whose claims may hold some of them.

import type { PlacedElements } from '../detectors/batches.js';
import { observeChecked } from '../detectors/checked.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import { batchVerdicts } from '../detectors/refusals.js';

/** The verdict on an element that a claim holds, in arrays of verdicts. */
export const PENDING = 2;

/**
 * Observes the elements that no claim holds, up to the first that is refused. An element that one holds is not added, and its verdict is 2.
 * The elements between two that are held are one batch.
 * @param verdicts has room for all of them
 * @returns how many elements were answered, and why no more
 */
export function observeFree(
  detector: Detector,
  isHeld: (fingerprint: bigint) => boolean,
  fingerprints: BigUint64Array,
  verdicts: Uint8Array,
): PlacedElements {
  const { length } = fingerprints;
  for (let from = 0, to = 0; from < length; from = to + 1) {
    for (to = from; to < length && !isHeld(fingerprints[to] as bigint); ) to++;
    const answers = { verdicts: verdicts.subarray(from, to), elements: to - from };
    const { count, error } = observeChecked(detector, fingerprints.subarray(from, to), answers);
    if (error !== undefined) return { count: from + count, error };
    if (to < length) verdicts[to] = PENDING;
  }
  return { count: length };
}

/** The same over arrays of a program. @throws FirstseenError as `Detector.observeBatch`, after the elements before are added and answered */
export function observeFreeBatch(
  detector: Detector,
  isHeld: (fingerprint: bigint) => boolean,
  fingerprints: BigUint64Array,
  given: Uint8Array | undefined,
): Uint8Array {
  const verdicts = batchVerdicts(fingerprints, given, kernelOf(detector).bytes);
  const { error } = observeFree(detector, isHeld, fingerprints, verdicts);
  if (error !== undefined) throw error;
  return verdicts;
}
