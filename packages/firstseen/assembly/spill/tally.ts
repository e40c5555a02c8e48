// Settles a partition of a run that spills where the whole partition decides: which record of a key is kept, how often the key
// occurs, and so which keys are chosen. Entries go into the table of settle.ts. After the last one, the bits of the kept
// records are set, and the counts are scattered over ranges of numbers.

import { isInWindow, setBit } from './bitmap';
import { reserve } from './buffers';
import { NUMBER_MASK, SPILL_ENTRY_BYTES, SPILL_NUMBER_BITS, storeEntry } from './entries';
import {
  findSlot,
  isOfPart,
  ROUND_ENTRIES,
  slotAt,
  slotCount,
  slotIndex,
  spillRoom,
  takeSlot,
  touchSlots,
} from './settle';

/** A count as it is written: the number of the key from the first of its range on, above the count in 40 bits. */
export const TALLY_PAIR_BYTES: u32 = 8;

/** A count of each slot, u64 each; 0 if nothing is counted. */
let counts: u32 = 0;
let keepsLast: bool = false;

/** Begins after `spillSettleBegin`. `address` has 8 bytes for each slot if entries are counted, otherwise it is 0. */
export function tallyBegin(address: u32, isLast: bool): void {
  counts = address;
  keepsLast = isLast;
  if (address != 0) memory.fill(address, 0, slotCount() << 3);
}

/** As `spillSettle`, but sets no bits. */
export function tallySettle(address: u32, count: u32): u32 {
  for (let start: u32 = 0; start < count; start += ROUND_ENTRIES) {
    const end = min(start + ROUND_ENTRIES, count);
    touchSlots(address, start, end);
    for (let i = start; i < end; i++) {
      if (!tallyEntry(address + i * SPILL_ENTRY_BYTES)) return i;
    }
  }
  return count;
}

function tallyEntry(at: u32): bool {
  const first = load<u64>(at);
  if (!isOfPart(first)) return true;
  const second = load<u64>(at, 8);
  const slot = findSlot(first, second);
  if (load<u64>(slot, 8) == 0) {
    if (spillRoom() == 0) return false;
    takeSlot(slot, first, second);
  } else if (keepsLast) {
    storeEntry(slot, first, second);
  }
  countEntry(slot);
  return true;
}

/** Counts an entry of the key in a slot. */
export function countEntry(slot: u32): void {
  if (counts == 0) return;
  const counted = counts + (slotIndex(slot) << 3);
  store<u64>(counted, load<u64>(counted) + 1);
}

/**
 * Sets the bits of the kept records that are in the window, of the keys that occur from `least` to `most` times. Without
 * counts, of all keys.
 */
export function tallyMark(least: f64, most: f64): void {
  const slots = slotCount();
  for (let i: u32 = 0; i < slots; i++) {
    const number = load<u64>(slotAt(i), 8) & NUMBER_MASK;
    if (number == 0 || !isInWindow(number)) continue;
    const count = counts == 0 ? least : <f64>load<u64>(counts + (i << 3));
    if (count >= least && count <= most) setBit(number);
  }
}

/**
 * Scatters the counts of the slots from `from` on over buffers, one for each range of `rangeNumbers` numbers, of at most
 * 2^24. Keys that occur once have none. Returns the slot whose buffer is full, or the number of slots.
 */
export function tallyScatter(from: u32, rangeNumbers: f64): u32 {
  const numbers = <u64>rangeNumbers;
  const slots = slotCount();
  for (let i = from; i < slots; i++) {
    const count = load<u64>(counts + (i << 3));
    if (count < 2) continue;
    const index = (load<u64>(slotAt(i), 8) & NUMBER_MASK) - 1;
    const range = index / numbers;
    const at = reserve(<u32>range, TALLY_PAIR_BYTES);
    if (at == 0) return i;
    store<u64>(at, ((index - range * numbers) << SPILL_NUMBER_BITS) | count);
  }
  return slots;
}

/** Writes the counts of `count` pairs at `address` to the places of their numbers at `target`, f64 each. */
export function tallySpread(address: u32, count: u32, target: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const pair = load<u64>(address + i * TALLY_PAIR_BYTES);
    store<f64>(target + ((<u32>(pair >> SPILL_NUMBER_BITS)) << 3), <f64>(pair & NUMBER_MASK));
  }
}
