// Requests that have an id, so that a retry is harmless.

import { FirstseenError } from '../../base/errors.js';
import { DUPLICATE } from '../../kernel/abi.js';
import type { DetectorEntry } from '../store/entry.js';
import { MOST_ID_BYTES, MOST_REQUEST_KEYS } from '../store/requestids.js';
import { fingerprintsOf, type Keys, observeSome, testAll } from './ask.js';

/** How many elements a test found to be new, without repeats. */
function newIn(fingerprints: BigUint64Array, verdicts: Uint8Array): number {
  return new Set(fingerprints.filter((_, i) => verdicts[i] !== DUPLICATE)).size;
}

/** All keys or none: a retry would find those that were added before the error to be duplicates. @throws FirstseenError E_FULL or E_MEMORY */
function checkRoom(entry: DetectorEntry, id: string, count: number, elements: number): void {
  if (entry.room < count) {
    throw new FirstseenError('E_FULL', 'the filter has no room for all keys of the request', {
      remedy: 'use a larger filter',
    });
  }
  entry.detector.checkRoom(elements);
  entry.requests.checkRoom(id, count);
}

/**
 * Observes the keys of a request, unless it is a retry: then its verdicts are those of the first try.
 * @param id a character for each byte
 * @throws FirstseenError E_USAGE for a request that is too large, or for an id that came with other keys; E_FULL when the keys do not all fit
 */
export function observeOnce(entry: DetectorEntry, id: string, keys: Keys): Uint8Array {
  const { count } = keys;
  // An empty id is one that was not set: all requests would have the same.
  if (id.length === 0 || id.length > MOST_ID_BYTES || count > MOST_REQUEST_KEYS) {
    throw new FirstseenError('E_USAGE', `the request has an id of ${id.length} bytes and ${count} keys`, {
      remedy: `give an id of 1 to ${MOST_ID_BYTES} bytes, and at most ${MOST_REQUEST_KEYS} keys`,
    });
  }
  const fingerprints = fingerprintsOf(keys);
  const tested = testAll(entry, keys, fingerprints);
  if (tested.error !== undefined) throw tested.error;
  const known = entry.requests.find(id, fingerprints);
  if (known) return known;
  try {
    checkRoom(entry, id, count, newIn(fingerprints, tested.verdicts));
  } catch (error) {
    for (let i = 0; i < count; i++) entry.refused.add(error);
    throw error;
  }
  const { verdicts, error } = observeSome(entry, keys, id);
  if (error !== undefined) throw error;
  entry.requests.remember(id, fingerprints, verdicts);
  return verdicts;
}
