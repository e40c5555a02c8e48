// The first reading of a run that spills: makes an entry for each key, and scatters the entries over partitions by the top
// bits of the fingerprint.

import { fingerprintAt, isKeyed, secretWord, seed, TIMES_OFFSET } from '../lib/memory';
import { siphash } from '../lib/siphash';
import { xxh64 } from '../lib/xxh64';
import { giveBack, reserve, spillBuffers } from './buffers';
import { isSameKey, RANKED_ENTRY_BYTES, SPILL_ENTRY_BYTES, SPILL_NUMBER_BITS, storeEntry } from './entries';
import { MAX_RANK_EXTRA_BYTES, rankedBytes, writeRank } from './ranks';

/** Entries that the first reading remembers: the last of each value of the top bits of the fingerprint. */
export const SPILL_RECENT_ENTRIES: u32 = 8192;
/** At most as many bits as choose a recent entry, so that entries at the same address are in the same partition. */
export const SPILL_MAX_PARTITION_BITS: u32 = 13;

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
/** True if entries have ranks. */
let hasRanks: bool = false;
/** Entries so far, and those that have a rank with bytes. */
let made: f64 = 0;
let ranked: f64 = 0;

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
 * then SPILL_RECENT_ENTRIES entries if `skipsRecent`. `bits` is from 1 to SPILL_MAX_PARTITION_BITS. Entries get the
 * ranks whose spans the scanner left in place of times if `isRanked`.
 */
export function spillBegin(bits: u32, address: u32, bytes: u32, skipsRecent: bool, isRanked: bool): void {
  hasRanks = isRanked;
  made = 0;
  ranked = 0;
  hashSeed = seed();
  hasSecret = isKeyed();
  secret0 = secretWord(0);
  secret1 = secretWord(1);
  partitionBits = bits;
  const end = spillBuffers(1 << bits, address, bytes);
  recent = skipsRecent ? end : 0;
  if (skipsRecent) memory.fill(recent, 0, SPILL_RECENT_ENTRIES * SPILL_ENTRY_BYTES);
}

/** Tells if a recent entry has the same key. Unused memory is zero; an entry is not, because its number is at least 1. */
function isRecent(remembered: u32, first: u64, second: u64): bool {
  return load<u64>(remembered, 8) != 0 && isSameKey(remembered, first, second);
}

/** The number of entries so far. */
export function spillMade(): f64 {
  return made;
}

/** The number of entries so far that have a rank with bytes. */
export function spillRanked(): f64 {
  return ranked;
}

function rankStart(index: u32): u32 {
  return load<u32>(TIMES_OFFSET + (index << 3));
}

function rankEnd(index: u32): u32 {
  return load<u32>(TIMES_OFFSET + (index << 3), 4);
}

/** Bytes that the entry of a key can have with its rank. */
function maxRankedBytes(index: u32): u32 {
  return rankedBytes(rankEnd(index) - rankStart(index) + MAX_RANK_EXTRA_BYTES);
}

/** Stores the rank of a key after its entry; returns the bytes of both. */
function storeRanked(at: u32, index: u32): u32 {
  const length = writeRank(rankStart(index), rankEnd(index), at + RANKED_ENTRY_BYTES);
  store<u64>(at, length, SPILL_ENTRY_BYTES);
  ranked += f64(length > 0);
  return rankedBytes(length);
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
    const remembered = recent + <u32>(top >> (64 - SPILL_MAX_PARTITION_BITS)) * SPILL_ENTRY_BYTES;
    if (recent != 0 && isRecent(remembered, first, second)) continue;
    const partition = <u32>(top >> (64 - partitionBits));
    const at = reserve(partition, hasRanks ? maxRankedBytes(i) : SPILL_ENTRY_BYTES);
    if (at == 0) return i;
    storeEntry(at, first, second);
    made++;
    if (hasRanks) giveBack(partition, maxRankedBytes(i) - storeRanked(at, i));
    if (recent != 0) storeEntry(remembered, first, second);
  }
  return count;
}
