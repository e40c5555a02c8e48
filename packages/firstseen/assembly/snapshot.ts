// What the host needs to save a region.

import { xxh64 } from './lib/xxh64';

/** Stores at `target` the checksum of a region: XXH64 with seed 0. */
export function checksum(offset: u32, length: u32, target: u32): void {
  store<u64>(target, xxh64(offset, length, 0));
}

/** The length of a region of 64-bit words without its trailing zero words, in bytes. */
export function usedBytes(offset: u32, bytes: u32): u32 {
  let used = bytes;
  while (used > 0 && load<u64>(offset + used - 8) == 0) used -= 8;
  return used;
}
