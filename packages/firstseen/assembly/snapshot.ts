// What the host needs to save a region.

import { addPiece, beginPieces, endPieces, xxh64 } from './lib/xxh64';

/** Stores at `target` the checksum of a region: XXH64 with seed 0. */
export function checksum(offset: u32, length: u32, target: u32): void {
  store<u64>(target, xxh64(offset, length, 0));
}

/** Begins the checksum of bytes that come in pieces. Its lanes, 32 bytes, are at `lanes` until it ends. */
export function beginChecksum(lanes: u32): void {
  beginPieces(lanes);
}

/** Adds a piece of whole stripes of 32 bytes. */
export function addToChecksum(lanes: u32, offset: u32, length: u32): void {
  addPiece(lanes, offset, length);
}

/** Stores at `lanes` the checksum of `total` bytes, 32 or more. Those after the last stripe are at `offset`. */
export function endChecksum(lanes: u32, offset: u32, total: u32): void {
  store<u64>(lanes, endPieces(lanes, offset, total));
}

/** The length of a region of 64-bit words without its trailing zero words, in bytes. */
export function usedBytes(offset: u32, bytes: u32): u32 {
  let used = bytes;
  while (used > 0 && load<u64>(offset + used - 8) == 0) used -= 8;
  return used;
}
