import { cellsBytes, cellsOffset } from './lib/memory';
import { addressHash, reduce, seedRandom } from './lib/random';
/** The limit of any detector: reads and writes `lines` random 64-byte lines for each element. */
export function touchLines(fingerprints: u32, count: u32, lines: u32): void {
  seedRandom();
  const base = cellsOffset();
  const lineCount = cellsBytes() >> 6;
  for (let i: u32 = 0; i < count; i++) {
    const fingerprint = load<u64>(fingerprints + (i << 3));
    for (let j: u32 = 0; j < lines; j++) {
      const at = base + (reduce(addressHash(fingerprint, j), lineCount) << 6);
      store<u64>(at, load<u64>(at) + 1);
    }
  }
}
export function touchTwice(fingerprints: u32, count: u32, lines: u32, block: u32): u64 {
  seedRandom();
  const base = cellsOffset();
  const lineCount = cellsBytes() >> 6;
  let sum: u64 = 0;
  for (let start: u32 = 0; start < count; start += block) {
    const end = min(count, start + block);
    for (let i = start; i < end; i++) {
      const fingerprint = load<u64>(fingerprints + (i << 3));
      for (let j: u32 = 0; j < lines; j++) sum += load<u64>(base + (reduce(addressHash(fingerprint, j), lineCount) << 6));
    }
    for (let i = start; i < end; i++) {
      const fingerprint = load<u64>(fingerprints + (i << 3));
      for (let j: u32 = 0; j < lines; j++) {
        const at = base + (reduce(addressHash(fingerprint, j), lineCount) << 6);
        store<u64>(at, load<u64>(at) + 1);
      }
    }
  }
  return sum;
}
