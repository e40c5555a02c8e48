// Batches of keys of which all are taken or none: what may be refused is found before anything is added.

import type { FirstseenError } from '../base/errors.js';
import { fingerprintForms } from '../fingerprint/fingerprint.js';
import { DUPLICATE, INTEGER_KEY } from '../kernel/abi.js';
import { answerChecked, answerUpTo, type PlacedElements } from './batches.js';
import { type Detector, familyOf, observingOf, placedOf, testingOf } from './detector.js';
import type { Key } from './key.js';
import { INTEGER_BYTES, ROOM_BYTES } from './keybatch.js';
import type { GivenSpans } from './spans.js';

/** Keys that are hashed where they are. */
export interface PlaceableKeys {
  readonly count: number;
  /** Writes the fingerprints of the keys from an index on as the batch of the kernel: of one key at least, unless it is refused. */
  place(detector: Detector, from: number): PlacedElements;
}

/** Keys in a list. */
export function keysInList(keys: readonly Key[]): PlaceableKeys {
  return { count: keys.length, place: (detector, from) => familyOf(detector).hasher.hashBatch(keys, from) };
}

/** Keys in a buffer, whose spans need no check. */
export function keysInSpans(spans: GivenSpans): PlaceableKeys {
  return { count: spans.count, place: (detector, from) => familyOf(detector).hasher.hashSpans(spans, from) };
}

/** Integers of 64 bits in a buffer, in little-endian order. */
export function keysInIntegers(bytes: Uint8Array): PlaceableKeys {
  const count = bytes.length / INTEGER_BYTES;
  return { count, place: (detector, from) => placeIntegers(detector, bytes, from, count) };
}

function placeIntegers(detector: Detector, bytes: Uint8Array, from: number, count: number): PlacedElements {
  const { kernel } = familyOf(detector);
  const { recordEnds: lengths, recordClasses: classes, regionOffset, batchCapacity, exports } = kernel;
  const placed = Math.min(count - from, batchCapacity, ROOM_BYTES / INTEGER_BYTES);
  kernel.bytes.set(bytes.subarray(from * INTEGER_BYTES, (from + placed) * INTEGER_BYTES), regionOffset);
  lengths.fill(INTEGER_BYTES, 0, placed);
  classes.fill(INTEGER_KEY, 0, placed);
  exports.fingerprintKeys(fingerprintForms[detector.settings.fingerprint].id, regionOffset, regionOffset, placed);
  return { count: placed };
}

/** The observation of elements that are not refused, as far as is known. */
export type ObserveElements = (fingerprints: BigUint64Array, verdicts: Uint8Array) => void;

/** The fingerprints of keys. @throws FirstseenError E_KEY for one that has none */
export function hashWhole(detector: Detector, keys: PlaceableKeys): BigUint64Array {
  const { kernel } = familyOf(detector);
  const fingerprints = new BigUint64Array(keys.count);
  for (let start = 0; start < keys.count; ) {
    const { count, error } = keys.place(detector, start);
    if (error !== undefined) throw error;
    fingerprints.set(kernel.fingerprints.subarray(0, count), start);
    start += count;
  }
  return fingerprints;
}

/** Tests keys. @throws FirstseenError as `Detector.testMany`, also after some of them were answered */
export function testWhole(detector: Detector, keys: PlaceableKeys, verdicts: Uint8Array): void {
  const place = (start: number) => keys.place(detector, start);
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
  const { count } = keys;
  const isSure = held === undefined && takesEveryKey(detector) && detector.roomProblem(count) === undefined;
  // Which partition an element goes to, and so whether there is room for it, is found when it is observed.
  const rooms = familyOf(detector).partitioned?.rooms();
  if (rooms && Math.min(...rooms) < count) orRestored(detector, () => observeChecking(detector, keys, verdicts, held));
  else if (isSure) betweenLooks(detector, () => refuseRest(observePlaced(detector, keys, verdicts)));
  else observeChecking(detector, keys, verdicts, held);
}

/** Observes keys of which some may be refused, once it is known that none is. */
function observeChecking(
  detector: Detector,
  keys: PlaceableKeys,
  verdicts: Uint8Array,
  held: HeldBesides | undefined,
): void {
  const fingerprints = hashWhole(detector, keys);
  checkWhole(detector, fingerprints, held?.count ?? 0);
  betweenLooks(detector, () => {
    if (held) held.observe(fingerprints, verdicts);
    else refuseRest(answerChecked(observingOf(detector), fingerprints, { verdicts, elements: keys.count }));
  });
}

/** Runs, and makes the detector as it was if that fails. */
function orRestored(detector: Detector, run: () => void): void {
  const restore = rememberDetector(detector);
  try {
    run();
  } catch (error) {
    restore();
    throw error;
  }
}

function observePlaced(detector: Detector, keys: PlaceableKeys, verdicts: Uint8Array): PlacedElements {
  const place = (start: number) => keys.place(detector, start);
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
