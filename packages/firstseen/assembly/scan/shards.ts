// Divides the keys of a stream among shards. Each run over the stream takes the keys of one shard.

import { FINGERPRINT_IDENTITY } from '../lib/fingerprint';
import { xxh64 } from '../lib/xxh64';

/**
 * The seed of the hash that chooses a shard: the first bytes of the fraction of pi. It is neither the seed nor the secret of the
 * detector, so that all shards of a stream agree, and a shard's keys are spread over its detector like all keys.
 */
const SHARD_SEED: u64 = 0x243f6a8885a308d3;

let shardIndex: u32 = 0;
/** 0 if keys are not divided. */
let shardCount: u32 = 0;

/** Takes only the keys of shard `index` of `count` from the next scan on; all keys if `count` is 0. */
export function scanShard(index: u32, count: u32): void {
  shardIndex = index;
  shardCount = count;
}

/**
 * Tells if a key belongs to another shard: the upper half of its hash, scaled to the number of shards (Lemire, "Fast Random
 * Integer Generation in an Interval", 2019). Under `identity`, integers with and without leading zeros are one key, so the
 * integer is hashed, which was stored at `fingerprint`.
 */
export function isElsewhere(kind: u32, offset: u32, length: u32, fingerprint: u32): bool {
  if (shardCount == 0) return false;
  const hash = kind == FINGERPRINT_IDENTITY ? xxh64(fingerprint, 8, SHARD_SEED) : xxh64(offset, length, SHARD_SEED);
  return u32(((hash >> 32) * u64(shardCount)) >> 32) != shardIndex;
}
