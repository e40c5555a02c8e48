// Files that may be compressed with gzip.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The bytes of a file, decompressed if they are those of gzip. */
export function readStored(path) {
  const stored = readFileSync(path);
  return stored[0] === 0x1f && stored[1] === 0x8b ? gunzipSync(stored) : stored;
}
