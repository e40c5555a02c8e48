// Pockets with generations, our own: an element is an entry in one of two pockets (lib/pockets.ts) of one group. A hit is stamped with
// the current generation. A miss enters the first pocket if it has room, else the second, else it replaces one of the oldest entries
// of the two. A generation ends after a number of stamps. At its end all entries age, and the number for the next one is adjusted.

import { LOCATION_BYTES, locationWord, observeTouched, testBatch } from '../lib/batch';
import { FAMILY_REGISTER, parameter, register, setRegister } from '../lib/memory';
import { pocketEntries } from '../lib/pocketheader';
import {
  addListed,
  arePockets,
  capacity,
  configurePairs,
  findListed,
  firstPocket,
  handicap,
  hasListed,
  PairRule,
  POCKET_FAMILY_PARAMETER,
  PocketTouch,
  pocketCount,
  replaceByListed,
  slotCount,
} from '../lib/pocketpairs';
import { ageEntries, firstOldest, oldestEntries, POCKET_BYTES, POCKET_MAX_SLOTS, stampEntry } from '../lib/pockets';
import { seedRandom } from '../lib/random';
import { sampled } from '../lib/sample';

export {
  POCKET_GROUP_BYTES,
  POCKET_QUOTIENTS_PARAMETER,
  POCKET_REMAINDER_BITS_PARAMETER,
  POCKET_SECOND_QUOTIENTS_PARAMETER,
  POCKET_SLOTS_PARAMETER,
} from '../lib/pocketpairs';
export { POCKET_AGE_BITS, POCKET_BYTES, POCKET_MAX_SLOTS } from '../lib/pockets';

/** Parameter slots. */
export const POCKET_GENERATION_SHARE_PARAMETER: u32 = POCKET_FAMILY_PARAMETER;
export const POCKET_ENTRY_AGE_PARAMETER: u32 = POCKET_FAMILY_PARAMETER + 1;

/** Registers: generations that have ended, stamps in the current one, and the stamps that end it (0: the first length). */
const ENDED: u32 = FAMILY_REGISTER;
export const POCKET_STAMPS_REGISTER: u32 = FAMILY_REGISTER + 1;
export const POCKET_LENGTH_REGISTER: u32 = FAMILY_REGISTER + 2;

// The length of a generation is right if the oldest age is nearly used up when the next begins. If more is left, the generations
// are too short, and older entries cannot be distinguished from those of the oldest age. If none is left, they are too long, and
// too many entries have the same age. The end of a generation corrects the length by a part of the difference. A faster correction
// overshoots, because its effect shows only after all ages.
const TARGET_DIVISOR: i64 = 50;
const CORRECTION_DIVISOR: i64 = 25;
/**
 * If no entry of the oldest age is left, it is unknown by how much the generation is too long, so it is shortened by this part of
 * itself.
 */
const SHORTENING_DIVISOR: u64 = 16;
/** The lengths allowed are these parts of the capacity. */
const SHORTEST_DIVISOR: u64 = 16;
const LONGEST_DIVISOR: u64 = 2;

let entryAge: u32 = 0;
let firstLength: u64 = 0;

function generationLength(): u64 {
  const length = register(POCKET_LENGTH_REGISTER);
  return length ? length : firstLength;
}

/** Ends a generation. */
function turn(): void {
  let entries: u64 = 0;
  let left: u64 = 0;
  const end = firstPocket + pocketCount * POCKET_BYTES;
  for (let pocket = firstPocket; pocket < end; pocket += POCKET_BYTES) {
    entries += pocketEntries(pocket);
    left += ageEntries(pocket);
  }
  setRegister(ENDED, register(ENDED) + 1);
  setRegister(POCKET_STAMPS_REGISTER, 0);
  // While there is room, nothing is replaced, and the entries left of the oldest age say nothing about the length.
  if (10 * entries < 9 * capacity()) return;
  if (left == 0) {
    setLength(generationLength() - generationLength() / SHORTENING_DIVISOR);
    return;
  }
  const correction = (<i64>left - <i64>capacity() / TARGET_DIVISOR) / CORRECTION_DIVISOR;
  setLength(<u64>max<i64>(0, <i64>generationLength() + correction));
}

function setLength(length: u64): void {
  const least = max<u64>(1, capacity() / SHORTEST_DIVISOR);
  setRegister(POCKET_LENGTH_REGISTER, min(max(length, least), max<u64>(least, capacity() / LONGEST_DIVISOR)));
}

function countStamps(stamps: u32): void {
  const counted = register(POCKET_STAMPS_REGISTER) + stamps;
  setRegister(POCKET_STAMPS_REGISTER, counted);
  if (counted >= generationLength()) turn();
}

class PocketRule extends PairRule {
  test(at: u32): u32 {
    return u32(hasListed(at) || hasListed(at + LOCATION_BYTES));
  }

  observe(at: u32, index: u64): u32 {
    if (stampFound(at) || stampFound(at + LOCATION_BYTES)) return 1;
    enter(at);
    countStamps(1);
    return 0;
  }
}

/** Stamps the entry of an element in one of its pockets; returns whether there is one. */
function stampFound(at: u32): bool {
  const slot = findListed(at);
  if (slot == POCKET_MAX_SLOTS) return false;
  countStamps(stampEntry(locationWord(at), slot));
  return true;
}

function enter(at: u32): void {
  const second = at + LOCATION_BYTES;
  if (addTo(at) || addTo(second)) return;
  const oldestSecond = oldestEntries(locationWord(second));
  const outOfSecond = firstOldest();
  const oldestFirst = oldestEntries(locationWord(at));
  if (oldestSecond > oldestFirst + handicap) replaceByListed(second, outOfSecond, entryAge);
  else replaceByListed(at, firstOldest(), entryAge);
}

function addTo(at: u32): bool {
  const entries = pocketEntries(locationWord(at));
  if (entries == slotCount) return false;
  addListed(at, entries, entryAge);
  return true;
}

export function pocketConfigure(): void {
  seedRandom();
  entryAge = <u32>parameter(POCKET_ENTRY_AGE_PARAMETER);
  configurePairs();
  firstLength = max<u64>(1, <u64>(parameter(POCKET_GENERATION_SHARE_PARAMETER) * <f64>capacity()));
}

export function pocketObserve(fingerprints: u32, verdicts: u32, count: u32): u32 {
  return observeTouched<PocketRule, PocketTouch>(fingerprints, verdicts, count);
}

export function pocketTest(fingerprints: u32, verdicts: u32, count: u32): void {
  testBatch<PocketRule>(fingerprints, verdicts, count);
}

/** The number of elements for which the generation cannot end, whatever they are. */
export function pocketSteady(): f64 {
  const length = generationLength();
  const stamps = register(POCKET_STAMPS_REGISTER) + 1;
  return stamps < length ? <f64>(length - stamps) : 0;
}

/** Fraction of the slots of the first pockets in use. */
function loadOf(pockets: u32): f64 {
  let entries: u64 = 0;
  for (let i: u32 = 0; i < pockets; i++) entries += pocketEntries(firstPocket + i * POCKET_BYTES);
  return <f64>entries / <f64>(<u64>pockets * slotCount);
}

/** Fraction of the slots in use. */
export function pocketLoad(): f64 {
  return loadOf(pocketCount);
}

/** The same of a sample. */
export function pocketFullness(): f64 {
  return loadOf(<u32>sampled(pocketCount, POCKET_BYTES << 3));
}

/** Tells if a loaded snapshot is valid. */
export function pocketCheck(): u32 {
  const length = register(POCKET_LENGTH_REGISTER);
  if (length > max<u64>(1, capacity()) || register(POCKET_STAMPS_REGISTER) > capacity()) return 0;
  return u32(arePockets());
}
