// The upper limit of any detector's speed, for benchmarks: only the memory traffic, as fast as possible.

import { LOCATION_BYTES, listLocation, locationWord } from './lib/batch';
import { CACHE_LINE_BYTES } from './lib/cachelines';
import { cellsBytes, cellsOffset, WORKSPACE_OFFSET } from './lib/memory';
import { addressHash, reduce, seedRandom } from './lib/random';

/** Number of elements listed at a time, as in a detector. */
const BLOCK: u32 = 64;

/** Reads and writes `cacheLines` random cache lines of the cells for each of `count` fingerprints. */
export function touchCacheLines(fingerprints: u32, count: u32, cacheLines: u32): void {
  seedRandom();
  const base = cellsOffset();
  const cacheLineCount = cellsBytes() / CACHE_LINE_BYTES;
  for (let start: u32 = 0; start < count; start += BLOCK) {
    const end = min(start + BLOCK, count);
    let listed: u32 = WORKSPACE_OFFSET;
    for (let i = start; i < end; i++) {
      const fingerprint = load<u64>(fingerprints + (i << 3));
      for (let j: u32 = 0; j < cacheLines; j++) {
        listed = listLocation(listed, base + reduce(addressHash(fingerprint, j), cacheLineCount) * CACHE_LINE_BYTES, 0);
      }
    }
    for (let at: u32 = WORKSPACE_OFFSET; at < listed; at += LOCATION_BYTES) {
      const cacheLine = locationWord(at);
      store<u64>(cacheLine, load<u64>(cacheLine) + 1);
    }
  }
}
