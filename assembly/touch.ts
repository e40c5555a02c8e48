// The limit of any detector, for the benchmarks.

import { LINE_BYTES } from './lib/lines';
import { cellsBytes, cellsOffset } from './lib/memory';
import { addressHash, reduce, seedRandom } from './lib/random';

/** Reads and writes `lines` random lines of the cells for each of `count` fingerprints. */
export function touchLines(fingerprints: u32, count: u32, lines: u32): void {
  seedRandom();
  const base = cellsOffset();
  const lineCount = cellsBytes() / LINE_BYTES;
  for (let i: u32 = 0; i < count; i++) {
    const fingerprint = load<u64>(fingerprints + (i << 3));
    for (let j: u32 = 0; j < lines; j++) {
      const at = base + reduce(addressHash(fingerprint, j), lineCount) * LINE_BYTES;
      store<u64>(at, load<u64>(at) + 1);
    }
  }
}
