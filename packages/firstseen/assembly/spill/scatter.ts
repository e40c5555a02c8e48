// The first reading of a run that spills: makes an entry for each key, and scatters the entries over partitions by the top
// bits of the fingerprint.

import { fingerprintAt, isKeyed, secretWord, seed } from '../lib/memory';
import { siphash } from '../lib/siphash';
import { xxh64 } from '../lib/xxh64';
import { reserve, spillBuffers } from './buffers';
import { isSameKey, SPILL_ENTRY_BYTES, SPILL_NUMBER_BITS, storeEntry } from './entries';

/** Entries that the first reading remembers: the last of each value of the top bits of the fingerprint. */
export const SPILL_RECENT_ENTRIES: u32 = 8192;
/** At most as many bits as choose a recent entry, so that entries at the same address are in the same partition. */
export const SPILL_MOST_PARTITION_BITS: u32 = 13;

/** Separates the seed, or the secret, of the second hash from that of the first. */
const SECOND_HASH: u64 = 0x452821e638d01377;

// The seed and the secret are read once, because the parameters store them as doubles.
let hashSeed: u64 = 0;
let hasSecret: bool = false;
let secret0: u64 = 0;
let secret1: u64 = 0;
let partitionBits: u32 = 0;
/** The address of the recent entries; 0 if every key makes an entry. */
let recent: u32 = 0;

function firstHash(offset: u32, length: u32): u64 {
  return hasSecret ? siphash(offset, length, secret0, secret1) : xxh64(offset, length, hashSeed);
}

function secondHash(offset: u32, length: u32): u64 {
  return hasSecret
    ? siphash(offset, length, secret0 ^ SECOND_HASH, secret1 ^ SECOND_HASH)
    : xxh64(offset, length, hashSeed ^ SECOND_HASH);
}

/**
 * Begins the first reading. There are 2^`bits` buffers of `bytes` bytes from `address` on, then a u32 for each buffer,
 * then SPILL_RECENT_ENTRIES entries if `skipsRecent`. `bits` is from 1 to SPILL_MOST_PARTITION_BITS.
 */
export function spillBegin(bits: u32, address: u32, bytes: u32, skipsRecent: bool): void {
  hashSeed = seed();
  hasSecret = isKeyed();
  secret0 = secretWord(0);
  secret1 = secretWord(1);
  partitionBits = bits;
  const end = spillBuffers(1 << bits, address, bytes);
  recent = skipsRecent ? end : 0;
  if (skipsRecent) memory.fill(recent, 0, SPILL_RECENT_ENTRIES * SPILL_ENTRY_BYTES);
}

/** Whether a recent entry has the same key. Unused memory is zero; an entry is not, because its number is at least 1. */
function isRecent(remembered: u32, first: u64, second: u64): bool {
  return load<u64>(remembered, 8) != 0 && isSameKey(remembered, first, second);
}

/**
 * Scatters the keys [from, count) of the batch, whose spans the scanner left there. The first has the number `number`.
 * A key among the recent entries is a duplicate, so it makes no entry, unless every key has to. Returns the index of the
 * first key that was not taken because the buffer of its partition is full.
 */
export function spillScatter(from: u32, count: u32, number: f64): u32 {
  let next = <u64>number;
  for (let i = from; i < count; i++) {
    const start = load<u32>(fingerprintAt(i));
    const length = load<u32>(fingerprintAt(i), 4) - start;
    const first = firstHash(start, length);
    const top = secondHash(start, length);
    const second = (((top << partitionBits) >> SPILL_NUMBER_BITS) << SPILL_NUMBER_BITS) | next++;
    const remembered = recent + <u32>(top >> (64 - SPILL_MOST_PARTITION_BITS)) * SPILL_ENTRY_BYTES;
    if (recent != 0 && isRecent(remembered, first, second)) continue;
    const at = reserve(<u32>(top >> (64 - partitionBits)), SPILL_ENTRY_BYTES);
    if (at == 0) return i;
    storeEntry(at, first, second);
    if (recent != 0) storeEntry(remembered, first, second);
  }
  return count;
}
