// The partition of an element (partitions.ts).

import { isBlocked, PARTITION_BITS_PARAMETER, parameter } from './memory';
import { addressHash, reduce } from './random';

/** The hash that selects a partition where no cache line does; no family uses as many hashes. */
const PARTITION_HASH: u32 = 0xffff;

/** log2 of the number of partitions. */
export function partitionBits(): u32 {
  return <u32>parameter(PARTITION_BITS_PARAMETER);
}

/** The partition of an element, counted from the first of all. */
export function partitionOf(fingerprint: u64): u32 {
  const hash = addressHash(fingerprint, isBlocked() ? 0 : PARTITION_HASH);
  return reduce(hash, 1 << partitionBits());
}
