// Observes elements of a detector whose claims may hold some of them.

import type { Detector } from '../detectors/detector.js';
import { batchVerdicts } from '../detectors/refusals.js';

/** The verdict on an element that a claim holds, in arrays of verdicts. */
const PENDING = 2;

/**
 * Observes the elements that no claim holds. An element that one holds is not added, and its verdict is 2. The elements between two that are
 * held are one batch, so those before an element that is refused are added and answered.
 */
export function observeFree(
  detector: Detector,
  isHeld: (fingerprint: bigint) => boolean,
  { fingerprints, verdicts: given }: { fingerprints: BigUint64Array; verdicts: Uint8Array | undefined },
): Uint8Array {
  const verdicts = batchVerdicts(fingerprints, given, new Uint8Array(0));
  const observe = (from: number, to: number) => {
    if (from < to) detector.observeBatch(fingerprints.subarray(from, to), verdicts.subarray(from, to));
  };
  let from = 0;
  for (let i = 0; i < fingerprints.length; i++) {
    if (!isHeld(fingerprints[i] as bigint)) continue;
    observe(from, i);
    verdicts[i] = PENDING;
    from = i + 1;
  }
  observe(from, fingerprints.length);
  return verdicts;
}
