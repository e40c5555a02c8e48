// Pockets with generations, our own: an element is an entry in one of two pockets (lib/pockets.ts) of one group. A hit is stamped with
// the current generation. A miss enters the first pocket if it has room, else the second, else it replaces one of the oldest entries
// of the two. A generation ends after a number of stamps. At its end all entries age, and the number for the next one is adjusted.
//
// A quotient is from one range in an element's first pocket and from another in its second, so an entry cannot be
// taken for one that is in its other pocket. The second range is smaller, as fewer entries are in their second pocket.

import {
  LOCATION_BYTES,
  listLocation,
  locationDetail,
  locationWord,
  observeTouched,
  Rule,
  Touch,
  testBatch,
} from '../lib/batch';
import { groupOf, lastGroupOf } from '../lib/groups';
import { configureLines, homeLine, LINE_BYTES, lineAnchor } from '../lib/lines';
import { cellsBytes, cellsOffset, FAMILY_PARAMETER, FAMILY_SLOT, parameter, setState, state } from '../lib/memory';
import {
  addEntry,
  ageEntries,
  configurePockets,
  findEntry,
  isPocket,
  oldestEntries,
  oldestLower,
  oldestUpper,
  POCKET_BYTES,
  POCKET_MOST_SLOTS,
  pocketEntries,
  replaceEntry,
  stampEntry,
} from '../lib/pockets';
import { GOLDEN, mix64, reduceLow, seedRandom } from '../lib/random';

export { POCKET_AGE_BITS, POCKET_BYTES, POCKET_MOST_SLOTS } from '../lib/pockets';

/** Parameter slots. */
export const POCKET_SLOTS_PARAMETER: u32 = FAMILY_PARAMETER;
export const POCKET_QUOTIENTS_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const POCKET_SECOND_QUOTIENTS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const POCKET_REMAINDER_BITS_PARAMETER: u32 = FAMILY_PARAMETER + 3;
export const POCKET_GENERATION_SHARE_PARAMETER: u32 = FAMILY_PARAMETER + 4;
export const POCKET_ENTRY_AGE_PARAMETER: u32 = FAMILY_PARAMETER + 5;

/** Pockets of a group: a page of memory (lib/groups.ts). */
const GROUP_BITS: u32 = 5;
const GROUP_POCKETS: u32 = 1 << GROUP_BITS;
export const POCKET_GROUP_BYTES: u32 = GROUP_POCKETS * POCKET_BYTES;

/** State slots: generations that have ended, stamps in the current one, and the stamps that end it (0: the first length). */
const ENDED: u32 = FAMILY_SLOT;
export const POCKET_STAMPS_SLOT: u32 = FAMILY_SLOT + 1;
export const POCKET_LENGTH_SLOT: u32 = FAMILY_SLOT + 2;

/** The second pocket is chosen if it has more of the oldest entries than the first, by this part of all slots. */
const HANDICAP_SHIFT: u32 = 4;

// The length of a generation is right if the oldest age is nearly used up when the next begins. If more is left, the generations
// are too short, and what is older than the oldest age cannot be told from it. If none is left, they are too long, and too many
// entries have the same age. Each end corrects by a part of the difference. A faster correction overshoots, as its effect shows
// only after all ages.
const TARGET_DIVISOR: i64 = 50;
const CORRECTION_DIVISOR: i64 = 25;
/** The lengths allowed are these parts of the capacity. */
const SHORTEST_DIVISOR: u64 = 16;
const LONGEST_DIVISOR: u64 = 2;

/** k. */
let slotCount: u32 = 0;
let quotientCount: u32 = 0;
let remainderBits: u32 = 0;
/** Values of an element in its first pocket, and in its second. */
let firstValues: u64 = 0;
let secondValues: u64 = 0;
let entryAge: u32 = 0;
let firstLength: u64 = 0;

let cells: u32 = 0;
let pocketCount: u32 = 0;
let lastGroup: u32 = 0;

function capacity(): u64 {
  return <u64>pocketCount * slotCount;
}

function generationLength(): u64 {
  const length = state(POCKET_LENGTH_SLOT);
  return length ? length : firstLength;
}

/** Ends a generation. */
function turn(): void {
  let entries: u64 = 0;
  let left: u64 = 0;
  const end = cells + pocketCount * POCKET_BYTES;
  for (let pocket = cells; pocket < end; pocket += POCKET_BYTES) {
    entries += pocketEntries(pocket);
    left += ageEntries(pocket);
  }
  setState(ENDED, state(ENDED) + 1);
  setState(POCKET_STAMPS_SLOT, 0);
  // While there is room, nothing is replaced, and what is left of the oldest age tells nothing.
  if (10 * entries < 9 * capacity()) return;
  const correction = (<i64>left - <i64>capacity() / TARGET_DIVISOR) / CORRECTION_DIVISOR;
  const length = <u64>max<i64>(0, <i64>generationLength() + correction);
  const least = max<u64>(1, capacity() / SHORTEST_DIVISOR);
  setState(POCKET_LENGTH_SLOT, min(max(length, least), max<u64>(least, capacity() / LONGEST_DIVISOR)));
}

function countStamps(stamps: u32): void {
  const counted = state(POCKET_STAMPS_SLOT) + stamps;
  setState(POCKET_STAMPS_SLOT, counted);
  if (counted >= generationLength()) turn();
}

/** The second pocket of an element: another one of the group of its first, if there is another. */
function secondPocket(first: u32, hash: u64): u32 {
  const index = (first - cells) / POCKET_BYTES;
  const group = groupOf(index, GROUP_BITS, lastGroup);
  const start = group * GROUP_POCKETS;
  const size = group == lastGroup ? pocketCount - start : GROUP_POCKETS;
  if (size == 1) return first;
  const other = index - start + 1 + reduceLow(hash, size - 1);
  return cells + (start + (other < size ? other : other - size)) * POCKET_BYTES;
}

/** An element's two pockets, each with the quotient and remainder that it has there as its detail. */
class PocketRule extends Rule {
  listBytes(): u32 {
    return 2 * LOCATION_BYTES;
  }

  touchBytes(): u32 {
    return 2 * LOCATION_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const anchor = lineAnchor(fingerprint);
    const hash = mix64(anchor + GOLDEN);
    const first = cells + ((homeLine(anchor) - cells) & ~(POCKET_BYTES - 1));
    const end = listLocation(at, first, <u32>(((hash >> 32) * firstValues) >> 32));
    listLocation(end, secondPocket(first, hash), <u32>(firstValues + (((hash >> 32) * secondValues) >> 32)));
  }

  test(at: u32): u32 {
    return u32(find(at) < POCKET_MOST_SLOTS || find(at + LOCATION_BYTES) < POCKET_MOST_SLOTS);
  }

  observe(at: u32, index: u64): u32 {
    if (stampFound(at) || stampFound(at + LOCATION_BYTES)) return 1;
    enter(at);
    countStamps(1);
    return 0;
  }
}

function quotientAt(at: u32): u32 {
  return locationDetail(at) >> remainderBits;
}

function remainderAt(at: u32): u32 {
  return locationDetail(at) & ((1 << remainderBits) - 1);
}

function find(at: u32): u32 {
  return findEntry(locationWord(at), quotientAt(at), remainderAt(at));
}

/** Stamps the entry of an element in one of its pockets; returns whether there is one. */
function stampFound(at: u32): bool {
  const slot = find(at);
  if (slot == POCKET_MOST_SLOTS) return false;
  countStamps(stampEntry(locationWord(at), slot));
  return true;
}

function enter(at: u32): void {
  const second = at + LOCATION_BYTES;
  if (addTo(at) || addTo(second)) return;
  const oldestSecond = oldestEntries(locationWord(second));
  const outOfSecond = firstOldest();
  const oldestFirst = oldestEntries(locationWord(at));
  if (oldestSecond > oldestFirst + (slotCount >> HANDICAP_SHIFT)) replaceIn(second, outOfSecond);
  else replaceIn(at, firstOldest());
}

function replaceIn(at: u32, out: u32): void {
  replaceEntry(locationWord(at), out, quotientAt(at), remainderAt(at), entryAge);
}

/** The first of the oldest entries of the pocket that was asked last. */
function firstOldest(): u32 {
  return oldestLower ? <u32>ctz(oldestLower) : 64 + <u32>ctz(oldestUpper);
}

function addTo(at: u32): bool {
  const pocket = locationWord(at);
  const entries = pocketEntries(pocket);
  if (entries == slotCount) return false;
  addEntry(pocket, entries, quotientAt(at), remainderAt(at), entryAge);
  return true;
}

/** A pocket has two lines. */
class PocketTouch extends Touch {
  line(word: u32): u64 {
    return load<u64>(word) + load<u64>(word, LINE_BYTES);
  }
}

export function pocketConfigure(): void {
  seedRandom();
  slotCount = <u32>parameter(POCKET_SLOTS_PARAMETER);
  quotientCount = <u32>parameter(POCKET_QUOTIENTS_PARAMETER);
  remainderBits = <u32>parameter(POCKET_REMAINDER_BITS_PARAMETER);
  const secondQuotients = <u32>parameter(POCKET_SECOND_QUOTIENTS_PARAMETER);
  firstValues = (<u64>(quotientCount - secondQuotients)) << (<u64>remainderBits);
  secondValues = (<u64>secondQuotients) << (<u64>remainderBits);
  entryAge = <u32>parameter(POCKET_ENTRY_AGE_PARAMETER);
  cells = cellsOffset();
  pocketCount = cellsBytes() / POCKET_BYTES;
  firstLength = max<u64>(1, <u64>(parameter(POCKET_GENERATION_SHARE_PARAMETER) * <f64>capacity()));
  lastGroup = lastGroupOf(pocketCount, GROUP_BITS);
  configureLines();
  configurePockets(slotCount, quotientCount, remainderBits);
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
  const stamps = state(POCKET_STAMPS_SLOT) + 1;
  return stamps < length ? <f64>(length - stamps) : 0;
}

/** Fraction of the slots in use. */
export function pocketLoad(): f64 {
  let entries: u64 = 0;
  for (let i: u32 = 0; i < pocketCount; i++) entries += pocketEntries(cells + i * POCKET_BYTES);
  return <f64>entries / <f64>capacity();
}

/** Whether a loaded state is valid. */
export function pocketCheck(): u32 {
  const length = state(POCKET_LENGTH_SLOT);
  if (length > max<u64>(1, capacity()) || state(POCKET_STAMPS_SLOT) > capacity()) return 0;
  for (let i: u32 = 0; i < pocketCount; i++) {
    if (!isPocket(cells + i * POCKET_BYTES, quotientCount)) return 0;
  }
  return 1;
}
