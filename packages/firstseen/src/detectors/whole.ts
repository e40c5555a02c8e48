// Batches of keys of which all are taken or none: what may be refused is found before anything is added.

import type { FirstseenError } from '../base/errors.js';
import { DUPLICATE } from '../kernel/abi.js';
import { answerChecked, answerUpTo, type PlacedElements } from './batches.js';
import { type Detector, familyOf, observingOf, placedOf, testingOf } from './detector.js';
import type { KeyHasher } from './keyhasher.js';

/** Keys that a hasher takes from where they are. */
export interface PlaceableKeys {
  readonly count: number;
  /** Writes the fingerprints of the keys from an index on as the batch of the kernel: of one key at least, unless it is refused. */
  place(hasher: KeyHasher, from: number): PlacedElements;
}

/** The observation of elements that are not refused, as far as is known. */
export type ObserveElements = (fingerprints: BigUint64Array, verdicts: Uint8Array) => void;

/** The fingerprints of keys. @throws FirstseenError E_KEY for one that has none */
export function hashWhole(detector: Detector, keys: PlaceableKeys): BigUint64Array {
  const { kernel, hasher } = familyOf(detector);
  const fingerprints = new BigUint64Array(keys.count);
  for (let start = 0; start < keys.count; ) {
    const { count, error } = keys.place(hasher, start);
    if (error !== undefined) throw error;
    fingerprints.set(kernel.fingerprints.subarray(0, count), start);
    start += count;
  }
  return fingerprints;
}

/** Tests keys. @throws FirstseenError as `Detector.testMany`, also after some of them were answered */
export function testWhole(detector: Detector, keys: PlaceableKeys, verdicts: Uint8Array): void {
  const { hasher } = familyOf(detector);
  const place = (start: number) => keys.place(hasher, start);
  const { error } = answerUpTo(testingOf(detector), place, { verdicts, elements: keys.count });
  if (error !== undefined) throw error;
}

/** Tells if no key of a batch can be refused for its value or its place. */
function takesEveryKey({ settings: { fingerprint, partitions } }: Detector): boolean {
  return fingerprint !== 'identity' && (partitions === undefined || partitions.held === partitions.count);
}

/** Counts the elements that a test found to be new, without repeats. */
function countNew(fingerprints: BigUint64Array, verdicts: Uint8Array): number {
  return new Set(fingerprints.filter((_, i) => verdicts[i] !== DUPLICATE)).size;
}

/** Runs without a watch of the rate, which could end it in the middle. It looks before. @throws FirstseenError E_OVERLOAD */
function betweenLooks(detector: Detector, run: () => void): void {
  const placed = placedOf(detector);
  const { watch } = placed;
  if (watch?.elementsAhead() === 0) throw watch.refusal;
  placed.watch = undefined;
  try {
    run();
  } finally {
    placed.watch = watch;
  }
}

/** @throws FirstseenError E_PARTITION for an element that the detector does not hold, E_FULL when the new elements do not fit */
function checkWhole(detector: Detector, fingerprints: BigUint64Array, reserved: number): void {
  const verdicts = new Uint8Array(fingerprints.length);
  const elements = fingerprints.length;
  const tested = answerChecked(testingOf(detector), fingerprints, { verdicts, elements });
  if (tested.error !== undefined) throw tested.error;
  detector.checkRoom(countNew(fingerprints, verdicts), reserved);
}

/** Keys that are held besides, and how elements are observed then. */
export interface HeldBesides {
  readonly count: number;
  readonly observe: ObserveElements;
}

/**
 * Observes all keys or none, and writes the verdicts. The rate of a detector with `onOverload` is looked at before.
 * @param held is given if some keys are held
 * @throws FirstseenError as `Detector.observeMany`; the detector is unchanged then
 */
export function observeWhole(detector: Detector, keys: PlaceableKeys, verdicts: Uint8Array, held?: HeldBesides): void {
  const hasRoom = detector.roomProblem(keys.count, held?.count) === undefined;
  if (held === undefined && hasRoom && takesEveryKey(detector)) {
    betweenLooks(detector, () => refuseRest(observePlaced(detector, keys, verdicts)));
    return;
  }
  const fingerprints = hashWhole(detector, keys);
  checkWhole(detector, fingerprints, held?.count ?? 0);
  betweenLooks(detector, () => {
    if (held) held.observe(fingerprints, verdicts);
    else refuseRest(answerChecked(observingOf(detector), fingerprints, { verdicts, elements: keys.count }));
  });
}

function observePlaced(detector: Detector, keys: PlaceableKeys, verdicts: Uint8Array): PlacedElements {
  const { hasher } = familyOf(detector);
  const place = (start: number) => keys.place(hasher, start);
  return answerUpTo(observingOf(detector), place, { verdicts, elements: keys.count });
}

function refuseRest({ error }: PlacedElements): void {
  if (error !== undefined) throw error as FirstseenError;
}

/** Remembers a detector that has a kernel of its own. The function that it returns makes the detector as it was. */
export function rememberDetector(detector: Detector): () => void {
  const { kernel } = familyOf(detector);
  const bytes = kernel.bytes.slice(0, kernel.regionOffset);
  return () => {
    kernel.bytes.set(bytes);
    familyOf(detector).configure();
  };
}
