// Settles a partition of a run that spills where the record with the greatest or least rank of each key is kept. The rank of
// each slot is in an arena: u32 capacity, u32 length, and the bytes. tally.ts counts entries and sets bits.

import { NUMBER_MASK, RANKED_ENTRY_BYTES, SPILL_ENTRY_BYTES, storeEntry } from './entries';
import { isBetter, rankedBytes } from './ranks';
import { findSlot, isOfPart, slotCount, slotIndex, spillRoom, takeSlot } from './settle';
import { countEntry } from './tally';

const ARENA_HEADER_BYTES: u32 = 8;

/** The address in the arena for each slot, u32 each; 0 for a rank without bytes. */
let ranks: u32 = 0;
let arenaNext: u32 = 0;
let arenaEnd: u32 = 0;
let keepsLeast: bool = false;

/**
 * Begins after `spillSettleBegin` and `tallyBegin`. `address` has 4 bytes for each slot. The arena follows them, and ends at
 * `end`.
 */
export function bestBegin(address: u32, end: u32, isLeast: bool): void {
  ranks = address;
  arenaNext = (address + (slotCount() << 2) + 7) & ~7;
  arenaEnd = end;
  keepsLeast = isLeast;
  memory.fill(address, 0, slotCount() << 2);
}

/** Keeps a rank for a slot; false if the arena is full. A rank that grows gets more room than it needs, so that few are moved. */
function keepRank(slot: u32, rank: u32, length: u32): bool {
  if (length == 0) return true;
  const place = ranks + (slotIndex(slot) << 2);
  let at = load<u32>(place);
  if (at == 0 || load<u32>(at) < length) {
    const capacity = ((at == 0 ? length : 2 * length) + 7) & ~7;
    if (arenaEnd - arenaNext < ARENA_HEADER_BYTES + capacity) return false;
    at = arenaNext;
    arenaNext += ARENA_HEADER_BYTES + capacity;
    store<u32>(at, capacity);
    store<u32>(place, at);
  }
  store<u32>(at, length, 4);
  memory.copy(at + ARENA_HEADER_BYTES, rank, length);
  return true;
}

/** Tells if a rank is better than that of a slot. */
function isBest(slot: u32, rank: u32, length: u32): bool {
  const at = load<u32>(ranks + (slotIndex(slot) << 2));
  if (at == 0) return length > 0;
  return isBetter(rank, length, at + ARENA_HEADER_BYTES, load<u32>(at, 4), keepsLeast);
}

/** Settles the entries with ranks in `bytes` bytes at `address`. False if the table or the arena is full. */
export function bestSettle(address: u32, bytes: u32): bool {
  const end = address + bytes;
  let at = address;
  while (at < end) {
    const length = <u32>load<u64>(at, SPILL_ENTRY_BYTES);
    if (!settleEntry(at, length)) return false;
    at += rankedBytes(length);
  }
  return true;
}

function settleEntry(at: u32, length: u32): bool {
  const first = load<u64>(at);
  if (!isOfPart(first)) return true;
  const second = load<u64>(at, 8);
  const slot = findSlot(first, second);
  const rank = at + RANKED_ENTRY_BYTES;
  if ((load<u64>(slot, 8) & NUMBER_MASK) == 0) {
    if (spillRoom() == 0 || !keepRank(slot, rank, length)) return false;
    takeSlot(slot, first, second);
  } else if (isBest(slot, rank, length)) {
    if (!keepRank(slot, rank, length)) return false;
    storeEntry(slot, first, second);
  }
  countEntry(slot);
  return true;
}
