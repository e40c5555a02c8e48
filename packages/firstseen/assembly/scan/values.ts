// Finds the place of a value in a record of ndjson, for a host that writes the record with another value.

import { RECORD_ENDS_OFFSET, RECORD_STARTS_OFFSET } from '../lib/memory';
import { beginWalk, findPath, skipBlanks, skipValue } from './jsonwalk';
import { joinedContentEnd, recordCount } from './records';

/**
 * Returns the start of the value at `path` in the record [start, end), which was scanned without a failure; 0 if there
 * is none.
 */
function jsonValue(path: u32, start: u32, end: u32): u32 {
  beginWalk();
  return findPath(path, skipBlanks(start, end), end);
}

/** One past the value that begins at `at`; 0 if it is malformed. */
function jsonValueEnd(at: u32, end: u32): u32 {
  beginWalk();
  return skipValue(at, end);
}

/** Stores at `target` for each record of the last scan where its value at `path` begins and ends: two zeros if it has none. */
export function jsonPlaces(path: u32, target: u32): void {
  for (let i: u32 = 0; i < recordCount; i++) {
    const end = joinedContentEnd(i) || load<u32>(RECORD_ENDS_OFFSET + (i << 2));
    const start = jsonValue(path, load<u32>(RECORD_STARTS_OFFSET + (i << 2)), end);
    store<u32>(target + (i << 3), start);
    store<u32>(target + (i << 3), start == 0 ? 0 : jsonValueEnd(start, end), 4);
  }
}
