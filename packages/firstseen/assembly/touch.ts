// The upper limit of any detector's speed, for benchmarks: only the memory traffic, as fast as possible.

import { LOCATION_BYTES, listLocation, locationWord } from './lib/batch';
import { LINE_BYTES } from './lib/lines';
import { cellsBytes, cellsOffset, WORKSPACE_OFFSET } from './lib/memory';
import { addressHash, reduce, seedRandom } from './lib/random';

/** Number of elements listed at a time, as in a detector. */
const BLOCK: u32 = 64;

/** Reads and writes `lines` random lines of the cells for each of `count` fingerprints. */
export function touchLines(fingerprints: u32, count: u32, lines: u32): void {
  seedRandom();
  const base = cellsOffset();
  const lineCount = cellsBytes() / LINE_BYTES;
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const end = min(start + BLOCK, count);
    let listed: u32 = WORKSPACE_OFFSET;
    for (let i = start; i < end; i++) {
      const fingerprint = load<u64>(fingerprints + (i << 3));
      for (let j: u32 = 0; j < lines; j++) {
        listed = listLocation(listed, base + reduce(addressHash(fingerprint, j), lineCount) * LINE_BYTES, 0);
      }
    }
    for (let at: u32 = WORKSPACE_OFFSET; at < listed; at += LOCATION_BYTES) {
      const line = locationWord(at);
      store<u64>(line, load<u64>(line) + 1);
    }
  }
}
