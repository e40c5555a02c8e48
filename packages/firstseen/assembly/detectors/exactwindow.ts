// Exact set of the fingerprints of a sliding window. A ring has the elements that were added, with their times, oldest
// first. A hash table has the position in the ring of each element (linear probing). Before an element is observed,
// elements that have left the window are removed. When the memory is full, the first element that does not fit ends the
// batch, and the host reports that. A time is the number of an element in the stream, or milliseconds that the host
// sets; the kernel reads no clock.

import { LOCATION_BYTES, listLocation, locationDetail, observeBatch, Rule, testBatch } from '../lib/batch';
import {
  cellsOffset,
  FAMILY_PARAMETER,
  FAMILY_REGISTER,
  OBSERVED_REGISTER,
  parameter,
  register,
  setRegister,
} from '../lib/memory';
import { addressHash, reduce, seedRandom } from '../lib/random';
import { beginTimes, endTimes, hasTimes, ownTime } from '../lib/timedbatch';

/** Parameter slots. One of the window's two sizes is 0. */
export const EXACTWINDOW_CAPACITY_PARAMETER: u32 = FAMILY_PARAMETER;
export const EXACTWINDOW_ELEMENTS_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const EXACTWINDOW_MILLISECONDS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const EXACTWINDOW_REFRESH_PARAMETER: u32 = FAMILY_PARAMETER + 3;

/** Bytes of an entry of the ring: a fingerprint and a time. */
export const EXACTWINDOW_ENTRY_BYTES: u32 = 16;
/** Bytes of the table for each element: two slots of four bytes, so that at most half of the slots are in use. */
export const EXACTWINDOW_TABLE_BYTES: u32 = 8;
/** With refresh, the ring has this share of additional entries, for elements that were added again. */
export const EXACTWINDOW_SPARE_DIVISOR: u32 = 4;

/** Registers: the oldest entry, entries in the ring, elements held, and the largest time seen, in milliseconds. */
const HEAD: u32 = FAMILY_REGISTER;
const COUNT: u32 = FAMILY_REGISTER + 1;
const HELD: u32 = FAMILY_REGISTER + 2;
const CLOCK: u32 = FAMILY_REGISTER + 3;

/** No number of a slot. */
const NO_SLOT: u32 = u32.MAX_VALUE;

let capacity: u32 = 0;
let window: u64 = 0;
let isTimed: bool = false;
let refreshes: bool = false;
/** True while duplicates are added again, even without refresh. */
let renews: bool = false;
let ring: u32 = 0;
let ringEntries: u32 = 0;
let table: u32 = 0;
let tableSlots: u32 = 0;

function entryAt(position: u32): u32 {
  return ring + position * EXACTWINDOW_ENTRY_BYTES;
}

function slotAt(slot: u32): u32 {
  return table + (slot << 2);
}

function nextSlot(slot: u32): u32 {
  return slot + 1 == tableSlots ? 0 : slot + 1;
}

/** The position that is `steps` entries after the oldest. */
function positionAfter(steps: u32): u32 {
  const position = <u32>register(HEAD) + steps;
  return position < ringEntries ? position : position - ringEntries;
}

function homeSlot(fingerprint: u64): u32 {
  return reduce(addressHash(fingerprint, 0), tableSlots);
}

/** The fingerprint of a slot that is in use. A slot has the position of its entry plus one; 0 is empty. */
function heldIn(slot: u32): u64 {
  return load<u64>(entryAt(load<u32>(slotAt(slot)) - 1));
}

/** The slot that has the fingerprint, or the empty slot where it belongs. */
function findSlot(fingerprint: u64, home: u32): u32 {
  let slot = home;
  while (load<u32>(slotAt(slot)) != 0 && heldIn(slot) != fingerprint) slot = nextSlot(slot);
  return slot;
}

/** Empties a slot and moves later ones up, so that no search ends too early (Knuth, volume 3, algorithm 6.4R). */
function removeSlot(removed: u32): void {
  let gap = removed;
  let slot = removed;
  while (true) {
    slot = nextSlot(slot);
    if (load<u32>(slotAt(slot)) == 0) break;
    const home = homeSlot(heldIn(slot));
    const staysBehind = gap <= slot ? gap < home && home <= slot : gap < home || home <= slot;
    if (staysBehind) continue;
    store<u32>(slotAt(gap), load<u32>(slotAt(slot)));
    gap = slot;
  }
  store<u32>(slotAt(gap), 0);
}

/** Moves the clock forward; a late element counts as current. */
function advance(time: u64): void {
  if (time > register(CLOCK)) setRegister(CLOCK, time);
}

/** The time of element number `index`. */
function timeOf(index: u64): u64 {
  if (!isTimed) return index;
  if (hasTimes) advance(ownTime(index));
  return register(CLOCK);
}

/** Removes the elements that have left the window. */
function expire(now: u64): void {
  while (register(COUNT) > 0) {
    const position = <u32>register(HEAD);
    const entry = entryAt(position);
    if (now - load<u64>(entry, 8) <= window) return;
    const fingerprint = load<u64>(entry);
    const slot = findSlot(fingerprint, homeSlot(fingerprint));
    // An element that was added again since has a later entry.
    if (load<u32>(slotAt(slot)) == position + 1) {
      removeSlot(slot);
      setRegister(HELD, register(HELD) - 1);
    }
    setRegister(HEAD, positionAfter(1));
    setRegister(COUNT, register(COUNT) - 1);
  }
}

/** Drops the entries of elements that were added again since, and that of a slot that gets another one. */
function compactRing(renewed: u32): void {
  let kept: u32 = 0;
  for (let i: u32 = 0; i < <u32>register(COUNT); i++) {
    const from = positionAfter(i);
    const fingerprint = load<u64>(entryAt(from));
    const slot = findSlot(fingerprint, homeSlot(fingerprint));
    if (slot == renewed || load<u32>(slotAt(slot)) != from + 1) continue;
    const to = positionAfter(kept++);
    memory.copy(entryAt(to), entryAt(from), EXACTWINDOW_ENTRY_BYTES);
    store<u32>(slotAt(slot), to + 1);
  }
  setRegister(COUNT, kept);
}

/** Adds an element as the newest; its slot is found again if the ring was compacted, which moves no slot. */
function append(fingerprint: u64, slot: u32, now: u64): void {
  if (<u32>register(COUNT) == ringEntries) compactRing(slot);
  const position = positionAfter(<u32>register(COUNT));
  store<u64>(entryAt(position), fingerprint);
  store<u64>(entryAt(position), now, 8);
  store<u32>(slotAt(slot), position + 1);
  setRegister(COUNT, register(COUNT) + 1);
}

/** A list is the location of the element's home slot, then its fingerprint. */
class WindowRule extends Rule {
  listBytes(): u32 {
    return 2 * LOCATION_BYTES;
  }

  touchBytes(): u32 {
    return LOCATION_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const home = homeSlot(fingerprint);
    // Two slots share a word.
    store<u64>(listLocation(at, slotAt(home & ~1), home), fingerprint);
  }

  observe(at: u32, index: u64): u32 {
    const now = timeOf(index);
    expire(now);
    const fingerprint = load<u64>(at + LOCATION_BYTES);
    const slot = findSlot(fingerprint, locationDetail(at));
    if (load<u32>(slotAt(slot)) != 0) {
      if (renews) append(fingerprint, slot, now);
      return 1;
    }
    append(fingerprint, slot, now);
    setRegister(HELD, register(HELD) + 1);
    return 0;
  }

  test(at: u32): u32 {
    return u32(isHeld(load<u64>(at + LOCATION_BYTES)));
  }
}

/** The time of the next element, as far as it is known. */
function timeNow(): u64 {
  return isTimed ? register(CLOCK) : register(OBSERVED_REGISTER);
}

/** Tells if the next element, if it is this one, is in the window. */
function isHeld(fingerprint: u64): bool {
  const slot = slotAt(findSlot(fingerprint, homeSlot(fingerprint)));
  const position = load<u32>(slot);
  if (position == 0) return false;
  return timeNow() - load<u64>(entryAt(position - 1), 8) <= window;
}

export function exactwindowConfigure(): void {
  seedRandom();
  capacity = <u32>parameter(EXACTWINDOW_CAPACITY_PARAMETER);
  const elements = <u64>parameter(EXACTWINDOW_ELEMENTS_PARAMETER);
  isTimed = elements == 0;
  window = isTimed ? <u64>parameter(EXACTWINDOW_MILLISECONDS_PARAMETER) : elements;
  refreshes = parameter(EXACTWINDOW_REFRESH_PARAMETER) == 1.0;
  renews = refreshes;
  ring = cellsOffset();
  ringEntries = refreshes ? capacity + capacity / EXACTWINDOW_SPARE_DIVISOR + 1 : capacity;
  table = entryAt(ringEntries);
  tableSlots = 2 * capacity;
}

/** Adds duplicates again from now on, as with refresh, or no more. Without refresh, the ring then has each element once. */
export function exactwindowRenew(isOn: u32): void {
  renews = refreshes || isOn == 1;
  if (!renews) compactRing(NO_SLOT);
}

/** The largest time seen, in milliseconds; 0 before the first. */
export function exactwindowClock(): f64 {
  return <f64>register(CLOCK);
}

/** Sets the clock back. What is in the window counts as added at that time or before, and ages from then on. */
export function exactwindowSetClock(milliseconds: f64): void {
  const clock = <u64>milliseconds;
  setRegister(CLOCK, clock);
  for (let i: u32 = 0; i < <u32>register(COUNT); i++) {
    const entry = entryAt(positionAfter(i));
    store<u64>(entry, min(load<u64>(entry, 8), clock), 8);
  }
}

/** Moves the clock forward. Only valid for a detector whose window is a duration. */
export function exactwindowAdvance(milliseconds: f64): void {
  advance(<u64>milliseconds);
}

function room(): u32 {
  return capacity - <u32>register(HELD);
}

/** Tells if the element number `index` has no room although all that have left the window are removed. */
function isRefused(fingerprint: u64, index: u64): bool {
  if (room() > 0) return false;
  expire(timeOf(index));
  return room() == 0 && !isHeld(fingerprint);
}

export function exactwindowObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  let taken: u32 = 0;
  while (taken < count) {
    const next = fingerprints + (taken << 3);
    if (isRefused(load<u64>(next), register(OBSERVED_REGISTER))) return taken;
    taken += observeBatch<WindowRule>(next, verdicts + taken, max<u32>(1, min(room(), count - taken)));
  }
  return taken;
}

/** Observes each element at its time, which the host has stored at TIMES_OFFSET. */
export function exactwindowObserveTimed(fingerprints: u32, verdicts: u32, count: u32): u32 {
  beginTimes();
  const taken = exactwindowObserve(fingerprints, verdicts, count);
  endTimes();
  return taken;
}

/** Elements that fit for certain. */
export function exactwindowRoom(): f64 {
  expire(timeNow());
  return <f64>room();
}

export function exactwindowTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testBatch<WindowRule>(fingerprints, verdicts, count);
}

/** Slots in use, or more than there can be if one of them is not that of its element. */
function countHeld(): u32 {
  let held: u32 = 0;
  for (let slot: u32 = 0; slot < tableSlots; slot++) {
    const position = load<u32>(slotAt(slot));
    if (position == 0) continue;
    if (position > ringEntries) return u32.MAX_VALUE;
    const age = position - 1 + (position - 1 < <u32>register(HEAD) ? ringEntries : 0) - <u32>register(HEAD);
    if (age >= <u32>register(COUNT)) return u32.MAX_VALUE;
    held++;
  }
  return held;
}

/** Tells if every slot in use is found by its fingerprint, as after a series of additions. */
function areSlotsFound(): bool {
  for (let slot: u32 = 0; slot < tableSlots; slot++) {
    if (load<u32>(slotAt(slot)) == 0) continue;
    if (findSlot(heldIn(slot), homeSlot(heldIn(slot))) != slot) return false;
  }
  return true;
}

/** Tells if the times of the ring ascend and none is in the future. */
function areTimesInOrder(): bool {
  let before: u64 = 0;
  for (let i: u32 = 0; i < <u32>register(COUNT); i++) {
    const time = load<u64>(entryAt(positionAfter(i)), 8);
    if (time < before) return false;
    before = time;
  }
  return before <= (isTimed ? register(CLOCK) : register(OBSERVED_REGISTER));
}

/** Tells if a loaded snapshot is valid. Only then do searches end and stay inside the memory. */
export function exactwindowCheck(): u32 {
  const count = register(COUNT);
  const held = register(HELD);
  if (register(HEAD) >= <u64>ringEntries || count > <u64>ringEntries || held > <u64>capacity || held > count) return 0;
  if (!refreshes && held != count) return 0;
  return u32(countHeld() == <u32>held && areSlotsFound() && areTimesInOrder());
}

/** Elements held, of those that fit. Elements that left the window count until the next one is observed. */
export function exactwindowLoad(): f64 {
  return <f64>register(HELD) / <f64>capacity;
}

/** Elements that are in the window at a time in milliseconds, of those that fit. It neither moves the clock nor removes anything. */
export function exactwindowFullnessAt(milliseconds: f64): f64 {
  const now = isTimed ? max(register(CLOCK), <u64>milliseconds) : register(OBSERVED_REGISTER);
  let low: u32 = 0;
  let high = <u32>register(COUNT);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (now - load<u64>(entryAt(positionAfter(middle)), 8) > window) low = middle + 1;
    else high = middle;
  }
  // Entries of elements that were added again since are in the ring too.
  const entries = register(COUNT) - low;
  return <f64>min(register(HELD), entries) / <f64>capacity;
}
