// The different shingles of a document, or a sample of them: those whose hashes have as many leading zeros as the level of the
// sample. So the samples of two documents at one level are the same part of both (Broder 1997, "On the resemblance and
// containment of documents", section 4, with a power of two in place of m).

import { GOLDEN, mix64, streamKey } from '../../lib/random';

const SAMPLE_STREAM: u64 = 0x9216d5d98979fb1b;

/** Bytes in the sample for a hash and its slot, and of a slot of the table in which repeated shingles are found. */
export const SAMPLE_HASH_BYTES: u32 = 16;
export const SAMPLE_SLOT_BYTES: u32 = 8;

/** In a slot in place of the hash 0, which is an empty one. */
const ZERO: u64 = 1;

let maxHashes: u32 = 0;
let mask: u32 = 0;
let hashes: u32 = 0;
/** A slot has a hash. All are empty between documents, because several instances of the kernel have the same memory. */
let slots: u32 = 0;
let count: u32 = 0;
let level: u32 = 0;
let sampleKey: u64 = 0;

/** A sample has fewer hashes than `most`. `slotCount` is a power of two, and `work` has room for the slots and `most` hashes. */
export function configureSample(most: u32, slotCount: u32, work: u32): void {
  maxHashes = most;
  mask = slotCount - 1;
  slots = work;
  hashes = work + slotCount * SAMPLE_SLOT_BYTES;
  sampleKey = mix64(streamKey(SAMPLE_STREAM) + GOLDEN);
  memory.fill(slots, 0, slotCount * SAMPLE_SLOT_BYTES);
}

export function beginSample(): void {
  count = 0;
  level = 0;
}

/** Makes the slots of all hashes empty. Required after each document. */
export function endSample(): void {
  for (let at = hashes; at < hashes + count * SAMPLE_HASH_BYTES; at += SAMPLE_HASH_BYTES) {
    store<u64>(load<u32>(at, 8), 0);
  }
}

/** Adds a hash, unless the sample has it. */
function insert(hash: u64): void {
  const entry = hash == 0 ? ZERO : hash;
  let slot = <u32>hash & mask;
  for (;;) {
    const found = load<u64>(slots + slot * SAMPLE_SLOT_BYTES);
    if (found == entry) return;
    if (found == 0) break;
    slot = (slot + 1) & mask;
  }
  const target = slots + slot * SAMPLE_SLOT_BYTES;
  store<u64>(target, entry);
  const at = hashes + count * SAMPLE_HASH_BYTES;
  store<u64>(at, hash);
  store<u32>(at, target, 8);
  count++;
}

/** Leaves out the hashes that do not belong to the next level. */
function raise(): void {
  endSample();
  const all = count;
  count = 0;
  level++;
  for (let i: u32 = 0; i < all; i++) {
    const hash = load<u64>(hashes + i * SAMPLE_HASH_BYTES);
    if (<u32>clz(hash) >= level) insert(hash);
  }
}

/** Adds a block of hashes of shingles. */
export function addToSample(block: u32, blockCount: u32): void {
  for (let i: u32 = 0; i < blockCount; i++) {
    // Bands are made from the lower half of the same hash, so the sample has another one.
    const hash = mix64(load<u64>(block + (i << 3)) ^ sampleKey);
    if (<u32>clz(hash) < level) continue;
    insert(hash);
    while (count == maxHashes) raise();
  }
}

/** The least level of the sample. */
export function sampleLevel(): u32 {
  return level;
}

/** Hashes in the sample, and the address of the first. */
export function sampleCount(): u32 {
  return count;
}

export function sampleHashes(): u32 {
  return hashes;
}

/** The least level at which the sample has at most this number of hashes. */
export function levelFor(most: u32): u32 {
  if (count <= most) return level;
  let result = level;
  for (let left = count; left > most; ) {
    result++;
    left = 0;
    for (let i: u32 = 0; i < count; i++) left += u32(<u32>clz(load<u64>(hashes + i * SAMPLE_HASH_BYTES)) >= result);
  }
  return result;
}
