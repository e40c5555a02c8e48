// Pockets with a guaranteed window, our own: an element is an entry in one of two pockets (lib/pocketpairs.ts) of one group. A
// generation is a sixth of the window, in adds or by a clock that the host sets. At its end all entries age. Entries of the oldest
// age have left the window: they are not found, and their slots are free. No other entry is ever replaced. An element whose two
// pockets have no free slot is counted, but not stored. With a clock, the order of arrival ages entries too (lib/windowages.ts), and
// the oldest leave early where the memory has no room for all.

import { LOCATION_BYTES, locationWord, observeTouched, testBatch } from '../lib/batch';
import { FAMILY_REGISTER, OBSERVED_REGISTER, parameter, register, setRegister } from '../lib/memory';
import { pocketEntries } from '../lib/pocketheader';
import {
  addListed,
  arePockets,
  configurePairs,
  findListed,
  firstPocket,
  handicap,
  PairRule,
  POCKET_FAMILY_PARAMETER,
  PocketTouch,
  pocketCount,
  replaceByListed,
  slotCount,
} from '../lib/pocketpairs';
import {
  ageEntries,
  entryAge,
  firstOldest,
  mapAges,
  OLDEST_AGE,
  oldestOf,
  POCKET_BYTES,
  POCKET_MAX_SLOTS,
  stampEntry,
} from '../lib/pockets';
import { seedRandom } from '../lib/random';
import { sampled } from '../lib/sample';
import { beginTimes, endTimes, hasTimes, ownTime } from '../lib/timedbatch';
import {
  areLags,
  beginLevels,
  endGeneration,
  entriesAged,
  hasLevels,
  heldEntries,
  NEXT_AGES,
  OLDEST_AGES,
  SAME_AGES,
  setEntriesAged,
  shedOldest,
  splitGeneration,
  thenAges,
} from '../lib/windowages';

export { POCKETWINDOW_COUNTS_REGISTER } from '../lib/windowages';

/** Parameter slots. */
export const POCKETWINDOW_GENERATION_ELEMENTS_PARAMETER: u32 = POCKET_FAMILY_PARAMETER;
export const POCKETWINDOW_GENERATION_MILLISECONDS_PARAMETER: u32 = POCKET_FAMILY_PARAMETER + 1;
export const POCKETWINDOW_REFRESH_PARAMETER: u32 = POCKET_FAMILY_PARAMETER + 2;

/** The pockets are full when all but this part of the slots, over the square root of the slots of a pocket, have entries in the window. */
export const POCKETWINDOW_SPARE: f64 = 1.15;

/**
 * Registers: adds in the current generation or level, elements that were not stored, and the largest time seen, in milliseconds. With a
 * clock also the levels that left the window early, and the adds at which the levels are looked at.
 */
export const POCKETWINDOW_ADDS_REGISTER: u32 = FAMILY_REGISTER;
export const POCKETWINDOW_UNSTORED_REGISTER: u32 = FAMILY_REGISTER + 1;
const CLOCK: u32 = FAMILY_REGISTER + 2;
export const POCKETWINDOW_SHORTENED_REGISTER: u32 = FAMILY_REGISTER + 3;
export const POCKETWINDOW_LOOK_REGISTER: u32 = FAMILY_REGISTER + 4;

/** Adds in a generation; with a clock, those after which a level within it begins. */
let maxAdds: u64 = 0;
/** Entries in the window for which there is room. */
let maxHeld: u64 = 0;
/** Milliseconds of a generation; 0 if adds end it. */
let generationMilliseconds: u64 = 0;
/** True if duplicates are added again. */
let refreshes: bool = false;

function endOfPockets(): u32 {
  return firstPocket + pocketCount * POCKET_BYTES;
}

/** Gives all entries new ages. */
function changeAges(ages: u32): void {
  if (ages == SAME_AGES) return;
  const end = endOfPockets();
  for (let pocket = firstPocket; pocket < end; pocket += POCKET_BYTES) {
    // Memory that was never written takes no pages if it is only read.
    if (pocketEntries(pocket) == 0) continue;
    if (ages == NEXT_AGES) ageEntries(pocket);
    else mapAges(pocket, ages);
  }
}

function makeLevels(): void {
  if (!hasLevels()) beginLevels();
}

/** Takes note of the adds at which the level, or the memory, may be full. */
function planLook(): void {
  const adds = register(POCKETWINDOW_ADDS_REGISTER);
  const held = heldEntries();
  setRegister(POCKETWINDOW_LOOK_REGISTER, min(maxAdds, adds + (held < maxHeld ? maxHeld - held : 0)));
}

/** The clock never goes back: a late element counts as current. */
function advance(time: u64): void {
  const before = register(CLOCK);
  if (time <= before) return;
  setRegister(CLOCK, time);
  const turns = time / generationMilliseconds - before / generationMilliseconds;
  if (turns == 0) return;
  makeLevels();
  let ages = SAME_AGES;
  if (turns >= OLDEST_AGE) {
    ages = OLDEST_AGES;
    beginLevels();
  } else for (let i: u64 = 0; i < turns; i++) ages = thenAges(ages, endGeneration());
  changeAges(ages);
  setRegister(POCKETWINDOW_ADDS_REGISTER, 0);
  planLook();
}

/**
 * Starts a new level when the current one has enough adds. If the memory has no room for a new entry, drops the oldest level from the window
 * early.
 */
function lookAtLevels(isNew: bool): void {
  makeLevels();
  if (isNew && heldEntries() >= maxHeld) {
    while (heldEntries() >= maxHeld) {
      setRegister(POCKETWINDOW_SHORTENED_REGISTER, register(POCKETWINDOW_SHORTENED_REGISTER) + 1);
      changeAges(shedOldest());
    }
    setRegister(POCKETWINDOW_ADDS_REGISTER, 0);
  } else if (register(POCKETWINDOW_ADDS_REGISTER) >= maxAdds) {
    changeAges(splitGeneration());
    setRegister(POCKETWINDOW_ADDS_REGISTER, 0);
  }
  planLook();
}

/** Counts an add. If the generation is full, ends it first. */
function countAdd(isNew: bool): void {
  const adds = register(POCKETWINDOW_ADDS_REGISTER);
  if (generationMilliseconds > 0) {
    if (adds >= register(POCKETWINDOW_LOOK_REGISTER)) lookAtLevels(isNew);
  } else if (adds >= maxAdds) {
    changeAges(NEXT_AGES);
    setRegister(POCKETWINDOW_ADDS_REGISTER, 0);
  }
  setRegister(POCKETWINDOW_ADDS_REGISTER, register(POCKETWINDOW_ADDS_REGISTER) + 1);
}

/** Makes an entry as young as a new one. */
function renew(at: u32, slot: u32): void {
  const pocket = locationWord(at);
  const age = entryAge(pocket, slot);
  if (generationMilliseconds > 0) {
    if (age < OLDEST_AGE) setEntriesAged(age, entriesAged(age) - 1);
    setEntriesAged(0, entriesAged(0) + 1);
  }
  stampEntry(pocket, slot);
}

class WindowRule extends PairRule {
  test(at: u32): u32 {
    const second = at + LOCATION_BYTES;
    return u32(isInWindow(at, findListed(at)) || isInWindow(second, findListed(second)));
  }

  observe(at: u32, index: u64): u32 {
    if (hasTimes) advance(ownTime(index));
    const slot = findListed(at);
    if (isInWindow(at, slot)) return repeat(at, slot);
    const second = at + LOCATION_BYTES;
    const secondSlot = findListed(second);
    if (isInWindow(second, secondSlot)) return repeat(second, secondSlot);
    countAdd(true);
    // An entry that has left the window becomes that of the new element.
    if (slot < POCKET_MAX_SLOTS) renew(at, slot);
    else if (secondSlot < POCKET_MAX_SLOTS) renew(second, secondSlot);
    else enter(at);
    return 0;
  }
}

function isInWindow(at: u32, slot: u32): bool {
  return slot < POCKET_MAX_SLOTS && entryAge(locationWord(at), slot) < OLDEST_AGE;
}

function repeat(at: u32, slot: u32): u32 {
  if (!refreshes) return 1;
  countAdd(false);
  renew(at, slot);
  return 1;
}

function enter(at: u32): void {
  const second = at + LOCATION_BYTES;
  const inSecond = pocketEntries(locationWord(second));
  const heldSecond = inSecond - oldestOf(locationWord(second), inSecond);
  const outOfSecond = firstOldest();
  const inFirst = pocketEntries(locationWord(at));
  const heldFirst = inFirst - oldestOf(locationWord(at), inFirst);
  if (heldFirst < slotCount && heldSecond + handicap >= heldFirst) storeIn(at, inFirst, firstOldest());
  else if (heldSecond < slotCount) storeIn(second, inSecond, outOfSecond);
  else setRegister(POCKETWINDOW_UNSTORED_REGISTER, register(POCKETWINDOW_UNSTORED_REGISTER) + 1);
}

/** Adds an element to a pocket of `entries` entries; if it is full, in place of entry `out`, which has left the window. */
function storeIn(at: u32, entries: u32, out: u32): void {
  if (entries < slotCount) addListed(at, entries, 0);
  else replaceByListed(at, out, 0);
  if (generationMilliseconds > 0) setEntriesAged(0, entriesAged(0) + 1);
}

export function pocketwindowConfigure(): void {
  seedRandom();
  generationMilliseconds = <u64>parameter(POCKETWINDOW_GENERATION_MILLISECONDS_PARAMETER);
  maxAdds = <u64>parameter(POCKETWINDOW_GENERATION_ELEMENTS_PARAMETER);
  maxHeld = maxAdds * OLDEST_AGE;
  refreshes = parameter(POCKETWINDOW_REFRESH_PARAMETER) == 1.0;
  configurePairs();
}

/** Moves the clock forward, and ends generations accordingly. Only valid for a detector whose clock ends them. */
export function pocketwindowAdvance(milliseconds: f64): void {
  advance(<u64>milliseconds);
}

/** The number of elements for which the generation cannot end, whatever they are. */
export function pocketwindowSteady(): f64 {
  const adds = register(POCKETWINDOW_ADDS_REGISTER);
  const most = generationMilliseconds > 0 ? register(POCKETWINDOW_LOOK_REGISTER) : maxAdds;
  return adds < most ? <f64>(most - adds) : 0;
}

/** The largest time seen, in milliseconds; 0 before the first. */
export function pocketwindowClock(): f64 {
  return <f64>register(CLOCK);
}

/** Sets the clock back. What is in the window stays, and ages from then on. */
export function pocketwindowSetClock(milliseconds: f64): void {
  setRegister(CLOCK, <u64>milliseconds);
}

export function pocketwindowObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeTouched<WindowRule, PocketTouch>(fingerprints, verdicts, count);
}

/** Observes each element at its time, which the host has stored at TIMES_OFFSET. */
export function pocketwindowObserveTimed(fingerprints: u32, verdicts: u32, count: u32): u32 {
  beginTimes();
  const taken = pocketwindowObserve(fingerprints, verdicts, count);
  endTimes();
  return taken;
}

export function pocketwindowTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testBatch<WindowRule>(fingerprints, verdicts, count);
}

/** Fraction of the slots of the first pockets whose entries are in the window. */
function loadOf(pockets: u32): f64 {
  let held: u64 = 0;
  for (let i: u32 = 0; i < pockets; i++) {
    const pocket = firstPocket + i * POCKET_BYTES;
    const entries = pocketEntries(pocket);
    held += entries - oldestOf(pocket, entries);
  }
  return <f64>held / <f64>(<u64>pockets * slotCount);
}

/** Fraction of the slots whose entries are in the window. */
export function pocketwindowLoad(): f64 {
  return loadOf(pocketCount);
}

/**
 * The same of a sample, as a part of what is in use when elements begin to find no room, at a time in milliseconds. The clock is not moved. Of the generations that would end by then, as many
 * entries are counted out as there are of each on average.
 */
export function pocketwindowFullnessAt(milliseconds: f64): f64 {
  const load =
    loadOf(<u32>sampled(pocketCount, POCKET_BYTES << 3)) / (1 - POCKETWINDOW_SPARE / sqrt<f64>(<f64>slotCount));
  const time = <u64>milliseconds;
  if (generationMilliseconds == 0 || time <= register(CLOCK)) return load;
  const turns = time / generationMilliseconds - register(CLOCK) / generationMilliseconds;
  return turns < OLDEST_AGE ? (load * <f64>(OLDEST_AGE - turns)) / <f64>OLDEST_AGE : 0;
}

/** Elements that were not stored, because both their pockets were full of entries in the window. */
export function pocketwindowUnstored(): f64 {
  return <f64>register(POCKETWINDOW_UNSTORED_REGISTER);
}

/** The number of levels that were dropped from the window early to make room. */
export function pocketwindowShortened(): f64 {
  return <f64>register(POCKETWINDOW_SHORTENED_REGISTER);
}

/** Checks a loaded snapshot. With a clock, elements are in levels, and the first add makes them. */
export function pocketwindowCheck(): u32 {
  if (generationMilliseconds == 0 && register(POCKETWINDOW_ADDS_REGISTER) > maxAdds) return 0;
  const isUsed = register(OBSERVED_REGISTER) > 0 || register(POCKETWINDOW_LOOK_REGISTER) > 0;
  if (generationMilliseconds > 0 && ((isUsed && !hasLevels()) || !areLags())) return 0;
  return u32(arePockets());
}
