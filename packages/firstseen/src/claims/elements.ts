// Single elements of a detector, without the arrays of a batch: a claim looks up one key, and its commit adds it.

import { type Detector, kernelOf } from '../detectors/detector.js';
import { DUPLICATE } from '../kernel/abi.js';

function place(detector: Detector, fingerprint: bigint): void {
  // First the clock, because that of a program may use the detector.
  detector.keepTime();
  kernelOf(detector).fingerprints[0] = fingerprint;
}

/** Tells if an element is seen. */
export function isSeen(detector: Detector, fingerprint: bigint): boolean {
  place(detector, fingerprint);
  detector.testPlaced(1);
  return kernelOf(detector).verdicts[0] === DUPLICATE;
}

/** Observes an element. @throws FirstseenError as `Detector.observe`. */
export function addElement(detector: Detector, fingerprint: bigint): void {
  place(detector, fingerprint);
  detector.observePlaced(1);
}

/** Tells if an element is seen. If so, the repeat is observed. @throws FirstseenError as `Detector.observe` */
export function isRepeat(detector: Detector, fingerprint: bigint): boolean {
  if (!isSeen(detector, fingerprint)) return false;
  // As `observe` does: families that keep repeated elements must see the repeat. It marks nothing that was unseen.
  addElement(detector, fingerprint);
  return true;
}
