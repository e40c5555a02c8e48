// Exact deduplication of more than memory holds, in two readings of the input (docs/decisions/029-spill.md). The first
// reading makes an entry for each key and scatters the entries over partitions by the top bits of the fingerprint. The
// host writes full buffers to disk. Then each partition is settled: a table of its distinct fingerprints finds the first
// entry of each, and sets the bit of its record in a bitmap. The second reading takes its verdicts from the bitmap.
//
// An entry is two words of 64 bits. The first is one hash of the key. The second has 24 bits of another hash above the
// number of the key, from 1, in 40 bits, so no entry is zero. The partition is the top bits of the other hash.

import { DISTINCT, DUPLICATE } from './lib/classes';
import {
  DUPLICATES_REGISTER,
  fingerprintAt,
  isKeyed,
  OBSERVED_REGISTER,
  register,
  secretWord,
  seed,
  setRegister,
  VERDICTS_OFFSET,
} from './lib/memory';
import { siphash } from './lib/siphash';
import { keepTouched } from './lib/touched';
import { xxh64 } from './lib/xxh64';

export const SPILL_ENTRY_BYTES: u32 = 16;
/** Bits of the number of a key. */
export const SPILL_NUMBER_BITS: u32 = 40;
/** Entries that the first reading remembers: the last of each value of the top bits of the fingerprint. */
export const SPILL_RECENT_ENTRIES: u32 = 8192;
/** At most as many bits as choose a recent entry, so that entries at the same address are in the same partition. */
export const SPILL_MOST_PARTITION_BITS: u32 = 13;

const NUMBER_MASK: u64 = (1 << 40) - 1;
/** Separates the seed, or the secret, of the second hash from that of the first. */
const SECOND_HASH: u64 = 0x452821e638d01377;
/** Entries whose slots are touched in one round before any of them is settled. */
const ROUND_ENTRIES: u32 = 64;

// Of the first reading. The seed and the secret are read once, because the parameters store them as doubles.
let hashSeed: u64 = 0;
let hasSecret: bool = false;
let secret0: u64 = 0;
let secret1: u64 = 0;
let partitionBits: u32 = 0;
let buffers: u32 = 0;
let bufferBytes: u32 = 0;
/** Bytes in each buffer, u32 each. */
let fills: u32 = 0;
let recent: u32 = 0;
let fullPartition: u32 = 0;

// Of settling.
let table: u32 = 0;
let tableBits: u32 = 0;
let room: u32 = 0;
/** Entries are settled if the low bits of their first word are `part`. */
let part: u64 = 0;
let partMask: u64 = 0;

// Of the bitmap.
let windowAddress: u32 = 0;
let windowFirst: u64 = 0;
let windowNumbers: u64 = 0;

function firstHash(offset: u32, length: u32): u64 {
  return hasSecret ? siphash(offset, length, secret0, secret1) : xxh64(offset, length, hashSeed);
}

function secondHash(offset: u32, length: u32): u64 {
  return hasSecret
    ? siphash(offset, length, secret0 ^ SECOND_HASH, secret1 ^ SECOND_HASH)
    : xxh64(offset, length, hashSeed ^ SECOND_HASH);
}

function isSameKey(slot: u32, first: u64, second: u64): bool {
  return load<u64>(slot) == first && (load<u64>(slot, 8) ^ second) >> SPILL_NUMBER_BITS == 0;
}

function storeEntry(at: u32, first: u64, second: u64): void {
  store<u64>(at, first);
  store<u64>(at, second, 8);
}

/**
 * Begins the first reading. There are 2^`bits` buffers of `bytes` bytes from `address` on, then a u32 for each buffer,
 * then SPILL_RECENT_ENTRIES entries. `bits` is from 1 to SPILL_MOST_PARTITION_BITS.
 */
export function spillBegin(bits: u32, address: u32, bytes: u32): void {
  hashSeed = seed();
  hasSecret = isKeyed();
  secret0 = secretWord(0);
  secret1 = secretWord(1);
  partitionBits = bits;
  buffers = address;
  bufferBytes = bytes;
  fills = address + (bytes << bits);
  recent = fills + (4 << bits);
  memory.fill(fills, 0, (4 << bits) + SPILL_RECENT_ENTRIES * SPILL_ENTRY_BYTES);
}

/**
 * Scatters the keys [from, count) of the batch, whose spans the scanner left there. The first has the number `number`.
 * A key among the recent entries is a duplicate, so it makes no entry. Returns the index of the first key that was not
 * taken because the buffer of its partition, `spillFullPartition`, is full.
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
    // Unused memory is zero. An entry is not, because its number is at least 1.
    if (load<u64>(remembered, 8) != 0 && isSameKey(remembered, first, second)) continue;
    const partition = <u32>(top >> (64 - partitionBits));
    const fill = load<u32>(fills + (partition << 2));
    if (fill == bufferBytes) {
      fullPartition = partition;
      return i;
    }
    storeEntry(buffers + partition * bufferBytes + fill, first, second);
    storeEntry(remembered, first, second);
    store<u32>(fills + (partition << 2), fill + SPILL_ENTRY_BYTES);
  }
  return count;
}

export function spillFullPartition(): u32 {
  return fullPartition;
}

/** The bytes in the buffer of a partition. */
export function spillFill(partition: u32): u32 {
  return load<u32>(fills + (partition << 2));
}

/** Empties the buffer of a partition. */
export function spillEmpty(partition: u32): void {
  store<u32>(fills + (partition << 2), 0);
}

/**
 * Begins to settle the entries whose first word has `part` in its lowest `partBits` bits, with an empty table of
 * 2^`bits` slots at `address`.
 */
export function spillSettleBegin(address: u32, bits: u32, wanted: u32, partBits: u32): void {
  table = address;
  tableBits = bits;
  room = (1 << bits) - ((1 << bits) >> 3);
  part = wanted;
  partMask = (1 << partBits) - 1;
  memory.fill(address, 0, SPILL_ENTRY_BYTES << bits);
}

function homeSlot(first: u64): u32 {
  return <u32>(first >> (64 - tableBits));
}

function slotAt(slot: u32): u32 {
  return table + slot * SPILL_ENTRY_BYTES;
}

/** The slot that holds the key of an entry, or the empty slot where it belongs (linear probing). */
function findSlot(first: u64, second: u64): u32 {
  const mask = (1 << tableBits) - 1;
  let slot = homeSlot(first);
  while (true) {
    const at = slotAt(slot);
    if (load<u64>(at, 8) == 0 || isSameKey(at, first, second)) return at;
    slot = (slot + 1) & mask;
  }
}

/**
 * Settles `count` entries at `address`, which must be in the order of their numbers over all calls for a part. Sets the
 * bits of those that are the first with their key. Returns the number of entries settled: fewer than `count` if the
 * next one finds no room in the table, or if its bit is outside the window of the bitmap. `spillRoom` says which.
 */
export function spillSettle(address: u32, count: u32): u32 {
  for (let start: u32 = 0; start < count; start += ROUND_ENTRIES) {
    const end = min(start + ROUND_ENTRIES, count);
    let sum: u64 = 0;
    for (let i = start; i < end; i++) sum += load<u64>(slotAt(homeSlot(load<u64>(address + i * SPILL_ENTRY_BYTES))));
    keepTouched(sum);
    for (let i = start; i < end; i++) {
      if (!settleEntry(address + i * SPILL_ENTRY_BYTES)) return i;
    }
  }
  return count;
}

function settleEntry(at: u32): bool {
  const first = load<u64>(at);
  if ((first & partMask) != part) return true;
  const second = load<u64>(at, 8);
  const slot = findSlot(first, second);
  if (load<u64>(slot, 8) != 0) return true;
  const bit = (second & NUMBER_MASK) - windowFirst;
  // A number before the window is a large unsigned distance.
  if (room == 0 || bit >= windowNumbers) return false;
  storeEntry(slot, first, second);
  room--;
  const byte = windowAddress + <u32>(bit >> 3);
  store<u8>(byte, load<u8>(byte) | ((<u8>1) << (<u8>(bit & 7))));
  return true;
}

/** The number of entries for which the table still has room. */
export function spillRoom(): u32 {
  return room;
}

/** Says which bits of the bitmap are in memory: those of `numbers` keys from the key numbered `first` on. */
export function spillWindow(address: u32, first: f64, numbers: f64): void {
  windowAddress = address;
  windowFirst = <u64>first;
  windowNumbers = <u64>numbers;
}

/** Writes the verdicts [from, count) of the batch. The first is that of the key numbered `number`, all in the window. */
export function spillVerdicts(from: u32, count: u32, number: f64): void {
  let bit = <u64>number - windowFirst;
  let duplicates: u64 = 0;
  for (let i = from; i < count; i++) {
    const isFirst = (load<u8>(windowAddress + <u32>(bit >> 3)) >> <u8>(bit & 7)) & 1;
    store<u8>(VERDICTS_OFFSET + i, isFirst ? DISTINCT : DUPLICATE);
    duplicates += isFirst ? 0 : 1;
    bit++;
  }
  setRegister(OBSERVED_REGISTER, register(OBSERVED_REGISTER) + (count - from));
  setRegister(DUPLICATES_REGISTER, register(DUPLICATES_REGISTER) + duplicates);
}
