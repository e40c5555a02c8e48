// Finds the place of a value in a record of ndjson, for a host that writes the record with another value.

import { beginWalk, findPath, skipBlanks, skipValue } from './jsonwalk';

/** Where the value at `path` begins in the record [start, end), which was scanned without a failure; 0 if there is none. */
export function jsonValue(path: u32, start: u32, end: u32): u32 {
  beginWalk();
  return findPath(path, skipBlanks(start, end), end);
}

/** One past the value that begins at `at`; 0 if it is malformed. */
export function jsonValueEnd(at: u32, end: u32): u32 {
  beginWalk();
  return skipValue(at, end);
}
