// The levels of pockets whose window is a duration. A level has the entries of one age. Each end of a generation by the clock begins a
// new level, and so may the order of arrival, where many elements come within a generation: then several levels are of one generation.
// The lag of a level is the number of generations that have ended since. A level leaves the window when its lag is that of the oldest
// age, and stays until then as long as the memory has room. Two levels of one generation become one where a new level needs an age.

import { FAMILY_REGISTER, register, setRegister } from './memory';
import { OLDEST_AGE } from './pockets';

/** Registers: the lags of the ages, four bits each, and the entries of each age up to the one before the oldest. */
const LAGS: u32 = FAMILY_REGISTER + 5;
export const POCKETWINDOW_COUNTS_REGISTER: u32 = FAMILY_REGISTER + 6;

/** Four bits for each age: that age itself, the one after it, and the oldest. */
export const SAME_AGES: u32 = 0x76543210;
export const NEXT_AGES: u32 = 0x77654321;
export const OLDEST_AGES: u32 = 0x77777777;

function numberIn(ages: u32, age: u32): u32 {
  return (ages >> (age << 2)) & 15;
}

function withNumber(ages: u32, age: u32, value: u32): u32 {
  return (ages & ~((<u32>15) << (age << 2))) | (value << (age << 2));
}

function lagOf(age: u32): u32 {
  return numberIn(<u32>register(LAGS), age);
}

function setLag(age: u32, lag: u32): void {
  setRegister(LAGS, withNumber(<u32>register(LAGS), age, lag));
}

/** The entries of an age. */
export function entriesAged(age: u32): u64 {
  return register(POCKETWINDOW_COUNTS_REGISTER + age);
}

export function setEntriesAged(age: u32, entries: u64): void {
  setRegister(POCKETWINDOW_COUNTS_REGISTER + age, entries);
}

/** The entries in the window. */
export function heldEntries(): u64 {
  let entries: u64 = 0;
  for (let age: u32 = 0; age < OLDEST_AGE; age++) entries += entriesAged(age);
  return entries;
}

/** Tells whether levels were made. A new detector has none. */
export function hasLevels(): bool {
  return register(LAGS) != 0;
}

/** Tells if the register of the lags of a loaded snapshot is possible: the oldest age has its own number, and no lag is larger. */
export function areLags(): bool {
  const lags = register(LAGS);
  if (lags == 0) return true;
  if (lags >> 32 != 0 || lagOf(OLDEST_AGE) != OLDEST_AGE) return false;
  for (let age: u32 = 0; age < OLDEST_AGE; age++) if (lagOf(age) > OLDEST_AGE) return false;
  return true;
}

/** Begins with empty levels, each of a generation of its own. */
export function beginLevels(): void {
  setRegister(LAGS, SAME_AGES);
  for (let age: u32 = 0; age < OLDEST_AGE; age++) setEntriesAged(age, 0);
}

/** Ages that were changed twice. */
export function thenAges(first: u32, second: u32): u32 {
  let ages: u32 = 0;
  for (let age: u32 = 0; age <= OLDEST_AGE; age++) {
    ages = withNumber(ages, age, numberIn(second, numberIn(first, age)));
  }
  return ages;
}

/**
 * Begins a new youngest level. Those up to `joined` age, and it becomes one with the level after it. Those from `leaving` on leave the window.
 * Returns the new ages.
 */
function openLevel(joined: u32, leaving: u32): u32 {
  const after = joined + 1;
  if (after < OLDEST_AGE) {
    // An empty level has no lag to keep.
    if (entriesAged(joined) > 0) setLag(after, lagOf(joined));
    setEntriesAged(after, entriesAged(after) + entriesAged(joined));
  }
  for (let age = joined; age > 0; age--) {
    setLag(age, lagOf(age - 1));
    setEntriesAged(age, entriesAged(age - 1));
  }
  setLag(0, 0);
  setEntriesAged(0, 0);
  let ages: u32 = SAME_AGES;
  for (let age: u32 = 0; age < OLDEST_AGE; age++) {
    if (age >= leaving) ages = withNumber(ages, age, OLDEST_AGE);
    else if (age <= joined) ages = withNumber(ages, age, age + 1);
  }
  return ages;
}

/** Lets the levels from an age on leave the window, and begins a new one. Returns the new ages. */
function leaveFrom(leaving: u32): u32 {
  for (let age = leaving; age < OLDEST_AGE; age++) {
    setEntriesAged(age, 0);
    setLag(age, OLDEST_AGE);
  }
  return openLevel(leaving, leaving);
}

/**
 * The level that can become one with the one after it: both are of one generation, or one is empty. Among several, it is that of the pair with
 * the fewest entries, and then the oldest. OLDEST_AGE if there is none.
 */
function levelToJoin(): u32 {
  let level = OLDEST_AGE;
  let fewest = u64.MAX_VALUE;
  for (let age: u32 = 0; age + 1 < OLDEST_AGE; age++) {
    const one = entriesAged(age);
    const other = entriesAged(age + 1);
    const canJoin = one == 0 || other == 0 || lagOf(age) == lagOf(age + 1);
    if (!canJoin || one + other > fewest) continue;
    fewest = one + other;
    level = age;
  }
  return level;
}

/** Begins a new level within the generation, if that takes nothing out of the window. Returns the new ages. */
export function splitGeneration(): u32 {
  const level = levelToJoin();
  return level == OLDEST_AGE ? SAME_AGES : openLevel(level, OLDEST_AGE);
}

/** Lets the oldest level that has entries leave the window, and begins a new one. Returns the new ages. */
export function shedOldest(): u32 {
  let oldest = OLDEST_AGE - 1;
  while (oldest > 0 && entriesAged(oldest) == 0) oldest--;
  return leaveFrom(oldest);
}

/** Ends a generation by the clock. Returns the new ages. */
export function endGeneration(): u32 {
  let leaving = OLDEST_AGE;
  for (let age: u32 = OLDEST_AGE; age > 0; age--) {
    const lag = min(lagOf(age - 1) + 1, OLDEST_AGE);
    setLag(age - 1, lag);
    if (lag == OLDEST_AGE) leaving = age - 1;
  }
  if (leaving < OLDEST_AGE) return leaveFrom(leaving);
  // Seven levels of the last six generations: two of them are of the same one.
  return openLevel(levelToJoin(), OLDEST_AGE);
}
