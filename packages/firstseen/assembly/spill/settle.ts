// Settles a partition of a run that spills: a table of its distinct keys finds the first entry of each, and the bit of its
// record is set in a bitmap.

import { keepTouched } from '../lib/touched';
import { isInWindow, setBit } from './bitmap';
import { isSameKey, NUMBER_MASK, SPILL_ENTRY_BYTES, storeEntry } from './entries';

/** Entries whose slots are touched in one round before any of them is settled. */
export const ROUND_ENTRIES: u32 = 64;

let table: u32 = 0;
let tableBits: u32 = 0;
let room: u32 = 0;
/** Entries are settled if the low bits of their first word are `part`. */
let part: u64 = 0;
let partMask: u64 = 0;

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

/** The number of entries for which the table still has room. */
export function spillRoom(): u32 {
  return room;
}

export function isOfPart(first: u64): bool {
  return (first & partMask) == part;
}

export function slotCount(): u32 {
  return 1 << tableBits;
}

export function slotAt(slot: u32): u32 {
  return table + slot * SPILL_ENTRY_BYTES;
}

/** The index of the slot at an address. */
export function slotIndex(at: u32): u32 {
  return (at - table) / SPILL_ENTRY_BYTES;
}

function homeSlot(first: u64): u32 {
  return <u32>(first >> (64 - tableBits));
}

/** Touches the slots of the entries [start, end), which are one after the other from `address` on. */
export function touchSlots(address: u32, start: u32, end: u32): void {
  let sum: u64 = 0;
  for (let i = start; i < end; i++) sum += load<u64>(slotAt(homeSlot(load<u64>(address + i * SPILL_ENTRY_BYTES))));
  keepTouched(sum);
}

/** The slot that holds the key of an entry, or the empty slot where it belongs (linear probing). */
export function findSlot(first: u64, second: u64): u32 {
  const mask = (1 << tableBits) - 1;
  let slot = homeSlot(first);
  while (true) {
    const at = slotAt(slot);
    if (load<u64>(at, 8) == 0 || isSameKey(at, first, second)) return at;
    slot = (slot + 1) & mask;
  }
}

/** Stores an entry in the empty slot where its key belongs. */
export function takeSlot(slot: u32, first: u64, second: u64): void {
  storeEntry(slot, first, second);
  room--;
}

/**
 * Settles `count` entries at `address`, which must be in the order of their numbers over all calls for a part. Sets the
 * bits of those that are the first with their key. Returns the number of entries settled: fewer than `count` if the
 * next one finds no room in the table, or if its bit is outside the window of the bitmap. `spillRoom` says which.
 */
export function spillSettle(address: u32, count: u32): u32 {
  for (let start: u32 = 0; start < count; start += ROUND_ENTRIES) {
    const end = min(start + ROUND_ENTRIES, count);
    touchSlots(address, start, end);
    for (let i = start; i < end; i++) {
      if (!settleEntry(address + i * SPILL_ENTRY_BYTES)) return i;
    }
  }
  return count;
}

function settleEntry(at: u32): bool {
  const first = load<u64>(at);
  if (!isOfPart(first)) return true;
  const second = load<u64>(at, 8);
  const slot = findSlot(first, second);
  if (load<u64>(slot, 8) != 0) return true;
  const number = second & NUMBER_MASK;
  if (room == 0 || !isInWindow(number)) return false;
  takeSlot(slot, first, second);
  setBit(number);
  return true;
}
