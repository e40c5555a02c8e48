// Requests that have an id, so that a retry is harmless.

import { FirstseenError } from '../../base/errors.js';
import type { DetectorEntry } from '../store/entry.js';
import { MAX_ID_BYTES, MAX_REQUEST_KEYS } from '../store/requestids.js';
import { checkRoomForAll, fingerprintsOf, type Keys, observeSome, testAll } from './ask.js';

/**
 * Observes the keys of a request, unless it is a retry: then its verdicts are those of the first try.
 * @param id a character for each byte
 * @throws FirstseenError E_USAGE for a request that is too large, or for an id that came with other keys; E_FULL when the keys do not all fit
 */
export function observeOnce(entry: DetectorEntry, id: string, keys: Keys): Uint8Array {
  const { count } = keys;
  // An empty id is one that was not set: all requests would have the same.
  if (id.length === 0 || id.length > MAX_ID_BYTES || count > MAX_REQUEST_KEYS) {
    throw new FirstseenError('E_USAGE', `the request has an id of ${id.length} bytes and ${count} keys`, {
      remedy: `give an id of 1 to ${MAX_ID_BYTES} bytes, and at most ${MAX_REQUEST_KEYS} keys`,
    });
  }
  const fingerprints = fingerprintsOf(keys);
  const tested = testAll(entry, keys, fingerprints);
  if (tested.error !== undefined) throw tested.error;
  const remembered = entry.requests.find(id, fingerprints);
  if (remembered) return remembered;
  try {
    // All keys or none: a retry would find those that were added before the error to be duplicates.
    checkRoomForAll(entry, tested, fingerprints);
    entry.requests.checkRoom(id, count);
  } catch (error) {
    entry.refused.add(error, count);
    throw error;
  }
  const { verdicts, error } = observeSome(entry, { fingerprints, count, verdicts: keys.verdicts }, id);
  if (error !== undefined) throw error;
  entry.requests.remember(id, fingerprints, verdicts);
  return verdicts;
}
