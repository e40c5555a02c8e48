// Observes elements of a detector whose claims may hold some of them. What claims hold has its room kept: after a record is delivered, it would
// be too late to refuse its key.

import type { PlacedElements } from '../detectors/batches.js';
import { observeChecked } from '../detectors/checked.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import { batchVerdicts } from '../detectors/refusals.js';
import { isSeen } from './elements.js';
import type { PendingTable } from './pending.js';

/** The verdict on an element that a claim holds, in arrays of verdicts. */
export const PENDING = 2;

/** The words of verdicts. */
export const observedWords = ['distinct', 'duplicate', 'pending'] as const;

/** The keys that claims hold. */
export type Holding = Pick<PendingTable, 'get' | 'size'>;

/**
 * Observes elements that no claim holds, up to the first that is refused: a new one has no room when only that of the keys that are held is
 * left. Repeats need none.
 * @param heldCount the number of keys that are held
 * @param verdicts has room for all of them
 * @returns how many elements were answered, and why no more
 */
export function observeBesides(
  detector: Detector,
  heldCount: number,
  fingerprints: BigUint64Array,
  verdicts: Uint8Array,
): PlacedElements {
  const { length } = fingerprints;
  const hasRoom = detector.roomProblem(length, heldCount) === undefined;
  if (hasRoom) return observeChecked(detector, fingerprints, { verdicts, elements: length });
  for (let i = 0; i < length; i++) {
    const problem = isSeen(detector, fingerprints[i] as bigint) ? undefined : detector.roomProblem(1, heldCount);
    if (problem) return { count: i, error: problem };
    const single = { verdicts: verdicts.subarray(i, i + 1), elements: 1 };
    const { error } = observeChecked(detector, fingerprints.subarray(i, i + 1), single);
    if (error !== undefined) return { count: i, error };
  }
  return { count: length };
}

/**
 * Observes the elements that no claim holds, up to the first that is refused. An element that one holds is not added, and its verdict is 2.
 * The elements between two that are held are one batch. Parameters and result as those of `observeBesides`.
 */
export function observeFree(
  detector: Detector,
  holding: Holding,
  fingerprints: BigUint64Array,
  verdicts: Uint8Array,
): PlacedElements {
  const { length } = fingerprints;
  const isFree = (at: number) => holding.get(fingerprints[at] as bigint) === undefined;
  for (let from = 0, to = 0; from < length; from = to + 1) {
    for (to = from; to < length && isFree(to); ) to++;
    const parts = [fingerprints.subarray(from, to), verdicts.subarray(from, to)] as const;
    const { count, error } = observeBesides(detector, holding.size, ...parts);
    if (error !== undefined) return { count: from + count, error };
    if (to < length) verdicts[to] = PENDING;
  }
  return { count: length };
}

/** The same over arrays of a program. @throws FirstseenError as `Detector.observeBatch`, after the elements before are added and answered */
export function observeFreeBatch(
  detector: Detector,
  holding: Holding,
  fingerprints: BigUint64Array,
  givenVerdicts: Uint8Array | undefined,
): Uint8Array {
  const verdicts = batchVerdicts(fingerprints, givenVerdicts, kernelOf(detector).bytes);
  const { error } = observeFree(detector, holding, fingerprints, verdicts);
  if (error !== undefined) throw error;
  return verdicts;
}
