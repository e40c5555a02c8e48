// Exact set of 64-bit fingerprints: open addressing with linear probing. The table starts small and doubles in place
// until it fills the memory. After that, the first element that does not fit ends the batch, and the host reports that
// the memory is full.

import { LOCATION_BYTES, listLocation, locationDetail, observeBatch, Rule, testBatch } from '../lib/batch';
import { cellsBytes, cellsOffset, FAMILY_REGISTER, register, setRegister } from '../lib/memory';
import { addressHash, reduce, seedRandom } from '../lib/random';

/** Bytes of a slot: a fingerprint. */
export const EXACT_SLOT_BYTES: u32 = 8;
/** At level 0 the table has fewer slots than this. */
export const EXACT_FIRST_SLOTS_LIMIT: u32 = 1024;

/** Registers: elements held, doublings so far, and whether fingerprint 0 was seen, which marks an empty slot. */
const HELD: u32 = FAMILY_REGISTER;
const LEVEL: u32 = FAMILY_REGISTER + 1;
const ZERO_SEEN: u32 = FAMILY_REGISTER + 2;

let cells: u32 = 0;
/** Slots at level 0, and the level at which the memory is full. */
let baseSlots: u32 = 0;
let lastLevel: u32 = 0;

function slotCount(level: u32): u32 {
  return baseSlots << level;
}

/** At most seven eighths of the slots are used: beyond that, runs of linear probing grow long. */
function maxHeld(level: u32): u64 {
  const slots = <u64>slotCount(level);
  return slots - (slots >> 3) - 1;
}

/**
 * The slot where the search for an element begins. Doubling the table leaves it unchanged or moves it up by the old
 * size.
 */
function homeSlot(fingerprint: u64, level: u32): u32 {
  const hash = addressHash(fingerprint, 0);
  return (<u32>hash & ((1 << level) - 1)) * baseSlots + reduce(hash, baseSlots);
}

function slotAt(slot: u32): u32 {
  return cells + (slot << 3);
}

/** The first slot from `home` on that holds the fingerprint or is empty. */
function findSlot(fingerprint: u64, home: u32, level: u32): u32 {
  const slots = slotCount(level);
  let slot = home;
  while (true) {
    const held = load<u64>(slotAt(slot));
    if (held == 0 || held == fingerprint) return slot;
    slot = slot + 1 == slots ? 0 : slot + 1;
  }
}

/**
 * Doubles the table in place. Elements are moved in order, starting after an empty slot. Each finds a slot at or before its own, in
 * the lower or the upper half, so no search ever crosses a gap that was not there before.
 */
function grow(): void {
  const level = <u32>register(LEVEL);
  const slots = slotCount(level);
  setRegister(LEVEL, level + 1);
  let empty: u32 = 0;
  while (load<u64>(slotAt(empty)) != 0) empty++;
  for (let i: u32 = 1; i <= slots; i++) {
    const slot = empty + i < slots ? empty + i : empty + i - slots;
    const held = load<u64>(slotAt(slot));
    if (held == 0) continue;
    store<u64>(slotAt(slot), 0);
    store<u64>(slotAt(findSlot(held, homeSlot(held, level + 1), level + 1)), held);
  }
}

/** A list is the location of the element's home slot, then its fingerprint. */
class ExactRule extends Rule {
  listBytes(): u32 {
    return 2 * LOCATION_BYTES;
  }

  touchBytes(): u32 {
    return LOCATION_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const home = homeSlot(fingerprint, <u32>register(LEVEL));
    store<u64>(listLocation(at, slotAt(home), home), fingerprint);
  }

  observe(at: u32, index: u64): u32 {
    const fingerprint = load<u64>(at + LOCATION_BYTES);
    if (fingerprint == 0) {
      const seen = <u32>register(ZERO_SEEN);
      setRegister(ZERO_SEEN, 1);
      return seen;
    }
    const slot = slotAt(findSlot(fingerprint, locationDetail(at), <u32>register(LEVEL)));
    if (load<u64>(slot) != 0) return 1;
    store<u64>(slot, fingerprint);
    setRegister(HELD, register(HELD) + 1);
    return 0;
  }

  test(at: u32): u32 {
    return u32(isHeld(load<u64>(at + LOCATION_BYTES)));
  }
}

function isHeld(fingerprint: u64): bool {
  if (fingerprint == 0) return register(ZERO_SEEN) != 0;
  const level = <u32>register(LEVEL);
  return load<u64>(slotAt(findSlot(fingerprint, homeSlot(fingerprint, level), level))) != 0;
}

export function exactConfigure(): void {
  seedRandom();
  cells = cellsOffset();
  const slots = cellsBytes() / EXACT_SLOT_BYTES;
  lastLevel = 0;
  while (slots >> lastLevel >= EXACT_FIRST_SLOTS_LIMIT) lastLevel++;
  baseSlots = slots >> lastLevel;
}

/** Slots in [from, to) that hold an element. */
function countHeld(from: u32, to: u32): u64 {
  let held: u64 = 0;
  for (let slot = from; slot < to; slot++) held += u64(load<u64>(slotAt(slot)) != 0);
  return held;
}

/** Tells if a loaded snapshot is valid. Only then do searches end and the table stay inside the memory. */
export function exactCheck(): u32 {
  if (register(LEVEL) > <u64>lastLevel || register(ZERO_SEEN) > 1) return 0;
  const level = <u32>register(LEVEL);
  const slots = slotCount(level);
  if (register(HELD) > maxHeld(level) || countHeld(0, slots) != register(HELD)) return 0;
  return u32(countHeld(slots, cellsBytes() >> 3) == 0);
}

/** The number of elements that fit for certain without growing. */
function room(): u32 {
  return <u32>(maxHeld(<u32>register(LEVEL)) - register(HELD));
}

export function exactObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  let taken: u32 = 0;
  while (taken < count) {
    if (room() == 0 && <u32>register(LEVEL) < lastLevel) grow();
    const next = fingerprints + (taken << 3);
    // In a full table, duplicates are still answered; the first distinct element ends the batch.
    if (room() == 0 && !isHeld(load<u64>(next))) return taken;
    taken += observeBatch<ExactRule>(next, verdicts + taken, max<u32>(1, min(room(), count - taken)));
  }
  return taken;
}

/** Elements that fit for certain. */
export function exactRoom(): f64 {
  return <f64>(maxHeld(lastLevel) - register(HELD));
}

export function exactTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testBatch<ExactRule>(fingerprints, verdicts, count);
}

/** Fraction of the memory's slots that hold an element. */
export function exactLoad(): f64 {
  return <f64>register(HELD) / <f64>slotCount(lastLevel);
}

/** Elements held, of those that fit. */
export function exactFullness(): f64 {
  return <f64>register(HELD) / <f64>maxHeld(lastLevel);
}
