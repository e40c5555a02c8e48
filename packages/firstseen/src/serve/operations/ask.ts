// Asks a detector about keys that are in the buffer of a connection, or that were hashed already.

import { FirstseenError } from '../../base/errors.js';
import type { Claims } from '../../claims/claims.js';
import { observeFree, PENDING } from '../../claims/observe.js';
import { hashCheckedSpans, observeChecked, observeCheckedSpans, testCheckedSpans } from '../../detectors/checked.js';
import { DUPLICATE } from '../../kernel/abi.js';
import type { DetectorEntry } from '../store/entry.js';

/** Keys in a buffer, as `Detector.observeSpans` takes them. The arrays may be longer than there are keys. */
export interface Spans {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
  /** Gets the answers. */
  readonly verdicts: Uint8Array;
  /** Room for the fingerprints, if there is some already. */
  readonly fingerprintRoom?: BigUint64Array;
}

/** Keys that were hashed already. */
export interface Prints {
  readonly fingerprints: BigUint64Array;
  readonly count: number;
  /** Gets the answers. */
  readonly verdicts: Uint8Array;
}

export type Keys = Spans | Prints;

function areHashed(keys: Keys): keys is Prints {
  return 'fingerprints' in keys;
}

/** The fingerprint at an index, and the place of its verdict. */
function printAt({ fingerprints, verdicts }: Prints, index: number): Prints {
  const end = index + 1;
  return { fingerprints: fingerprints.subarray(index, end), count: 1, verdicts: verdicts.subarray(index, end) };
}

/** Returns the array in which the fingerprints of keys are, or are to be written. */
export function fingerprintsOf(keys: Keys): BigUint64Array {
  if (areHashed(keys)) return keys.fingerprints;
  return keys.fingerprintRoom ?? new BigUint64Array(keys.count);
}

/** The answers of the first keys, and why the next one has none. */
export interface Answers {
  verdicts: Uint8Array;
  answered: number;
  error?: unknown;
}

/** The error for an element beyond the capacity of a filter that does not take more. */
export class FilterFull extends Error {}

/** The error for a command that has no answer for a key that a claim holds. */
export class MadeForClaims extends Error {}

/** Observes keys that claims may hold: such a key is not added, and its answer is `pending`. */
function observeUnlessHeld(entry: DetectorEntry, claims: Claims, keys: Keys): Answers {
  if (claims.holding.size === 0) return recorded(entry, keys);
  const { detector } = entry;
  const { verdicts, count } = keys;
  claims.advance();
  const fingerprints = fingerprintsOf(keys);
  const hashed = areHashed(keys) ? { count } : hashCheckedSpans(detector, keys, fingerprints);
  const observing = observeFree(detector, claims.holding, fingerprints.subarray(0, hashed.count), verdicts);
  const { count: answered, error = hashed.error } = observing;
  const observed = fingerprints.subarray(0, answered).filter((_, i) => verdicts[i] !== PENDING);
  if (observed.length > 0) entry.record('observed', observed);
  return { verdicts, answered, error };
}

/** Records the keys that were observed. A request that was not answered as a whole may be tried again, so it has no id then. */
function recordObserved(
  entry: DetectorEntry,
  fingerprints: BigUint64Array,
  count: number,
  { answered }: Pick<Answers, 'answered'>,
  id?: string,
): void {
  if (answered > 0) entry.record('observed', fingerprints.subarray(0, answered), answered === count ? id : undefined);
}

/** Observes keys, up to the first that is refused. The fingerprints of those that were observed are written. */
function observeAll({ detector }: DetectorEntry, keys: Keys, fingerprints?: BigUint64Array): Answers {
  const { verdicts } = keys;
  const { count, error } = areHashed(keys)
    ? observeChecked(detector, keys.fingerprints, { verdicts, elements: keys.count })
    : observeCheckedSpans(detector, keys, { verdicts, fingerprints });
  return { verdicts, answered: count, error };
}

function recorded(entry: DetectorEntry, keys: Keys, id?: string): Answers {
  const fingerprints = entry.isRecorded ? fingerprintsOf(keys) : undefined;
  const answers = observeAll(entry, keys, fingerprints);
  if (fingerprints) recordObserved(entry, fingerprints, keys.count, answers, id);
  return answers;
}

/** Observes keys one by one, up to the first new one that a full filter refuses. */
function observeUpTo(entry: DetectorEntry, keys: Keys, id?: string): Answers {
  const { detector } = entry;
  const { count, verdicts } = keys;
  const fingerprints = fingerprintsOf(keys);
  const hashed = areHashed(keys) ? { count } : hashCheckedSpans(detector, keys, fingerprints);
  let { error } = hashed;
  let answered = 0;
  for (; answered < hashed.count; answered++) {
    const one = printAt({ fingerprints, count, verdicts }, answered);
    detector.testBatch(one.fingerprints, one.verdicts);
    if (verdicts[answered] !== DUPLICATE && entry.room === 0) {
      error = new FilterFull();
      break;
    }
    observeAll(entry, one);
  }
  recordObserved(entry, fingerprints, count, { answered }, id);
  return { verdicts, answered, error };
}

/**
 * Observes keys, up to the first that is refused.
 * @param id that of the request, for the log
 */
export function observeSome(entry: DetectorEntry, keys: Keys, id?: string): Answers {
  if (entry.claims) throw new MadeForClaims();
  entry.keepTime();
  return counted(entry, keys, entry.room >= keys.count ? recorded(entry, keys, id) : observeUpTo(entry, keys, id));
}

/** Counts the key that was refused, if there is one, and those after it, which were not observed. */
function counted(entry: DetectorEntry, { count }: Keys, answers: Answers): Answers {
  if (answers.error !== undefined) entry.refused.add(answers.error, count - answers.answered);
  return answers;
}

/** Counts the elements that a test found to be new, without repeats. */
function newIn(fingerprints: BigUint64Array, verdicts: Uint8Array): number {
  return new Set(fingerprints.filter((_, i) => verdicts[i] !== DUPLICATE)).size;
}

/** Checks that there is room for all keys that a test found to be new. @throws FirstseenError E_FULL or E_MEMORY */
export function checkRoomForAll(entry: DetectorEntry, { verdicts, answered }: Answers, prints: BigUint64Array): void {
  const elements = newIn(prints.subarray(0, answered), verdicts);
  if (entry.room < elements) {
    throw new FirstseenError('E_FULL', 'the filter has no room for all keys of the request', {
      remedy: 'use a larger filter',
    });
  }
  entry.detector.checkRoom(elements);
}

/** Observes all keys or none. @throws FirstseenError for keys that have no room, or one that has no fingerprint */
function observeWhole(entry: DetectorEntry, keys: Keys): Answers {
  const { count, verdicts } = keys;
  const fingerprints = fingerprintsOf(keys);
  try {
    const tested = testAll(entry, keys, fingerprints);
    if (tested.error !== undefined) throw tested.error;
    checkRoomForAll(entry, tested, fingerprints);
  } catch (error) {
    entry.refused.add(error, count);
    throw error;
  }
  return observeSome(entry, { fingerprints, count, verdicts });
}

/**
 * Observes all keys or none, for a reply that has only the number of new ones: after an error, nobody could tell which were added.
 * @returns how many are new
 * @throws FirstseenError for keys that have no room, or one that has no fingerprint; MadeForClaims
 */
export function addAll(entry: DetectorEntry, keys: Keys): number {
  if (entry.claims) throw new MadeForClaims();
  const answers = keys.count === 1 ? observeSome(entry, keys) : observeWhole(entry, keys);
  if (answers.error !== undefined) throw answers.error;
  return countNew(answers);
}

/** Tests keys, up to the first that has no fingerprint. @param fingerprints gets those of keys that were not hashed */
export function testAll(entry: DetectorEntry, keys: Keys, fingerprints?: BigUint64Array): Answers {
  const { count, verdicts } = keys;
  entry.keepTime();
  if (!areHashed(keys)) {
    const { count: answered, error } = testCheckedSpans(entry.detector, keys, { verdicts, fingerprints });
    return { verdicts, answered, error };
  }
  entry.detector.testBatch(keys.fingerprints, verdicts);
  return { verdicts, answered: count };
}

/** Counts the keys that were answered and are new. */
export function countNew({ verdicts, answered }: Answers): number {
  return verdicts.subarray(0, answered).reduce((count, verdict) => count + (verdict === DUPLICATE ? 0 : 1), 0);
}

/** The kind of question of a command: whether it adds keys, and has an answer for those that are held. */
export interface Asking {
  readonly ask: 'observe' | 'test';
  readonly hasPending?: true;
}

/** Observes or tests keys, up to the first that is refused. @throws MadeForClaims */
export function askSome(entry: DetectorEntry, { ask, hasPending }: Asking, keys: Keys): Answers {
  if (ask === 'test') return testAll(entry, keys);
  if (entry.claims === undefined || !hasPending) return observeSome(entry, keys);
  entry.keepTime();
  return counted(entry, keys, observeUnlessHeld(entry, entry.claims, keys));
}
