// An element is in one of two pockets (pockets.ts), both in one group of adjacent pockets. Its quotient is from one range in its
// first pocket and from another in its second, so an entry cannot be taken for one that is in its other pocket. The second range is
// smaller, as fewer entries are in their second pocket.

import { LOCATION_BYTES, listLocation, locationDetail, locationWord, Rule, Touch } from './batch';
import { CACHE_LINE_BYTES, cacheLineAnchor, configureCacheLines, homeCacheLine } from './cachelines';
import { groupOf, lastGroupOf } from './groups';
import { cellsBytes, cellsOffset, FAMILY_PARAMETER, parameter } from './memory';
import { isPocket } from './pocketheader';
import { addEntry, configurePockets, findEntry, POCKET_BYTES, POCKET_MAX_SLOTS, replaceEntry } from './pockets';
import { GOLDEN, mix64, reduceLow } from './random';

/** The first parameter slots of a family of pockets. */
export const POCKET_SLOTS_PARAMETER: u32 = FAMILY_PARAMETER;
export const POCKET_QUOTIENTS_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const POCKET_SECOND_QUOTIENTS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const POCKET_REMAINDER_BITS_PARAMETER: u32 = FAMILY_PARAMETER + 3;
/** The first parameter slot that differs between these families. */
export const POCKET_FAMILY_PARAMETER: u32 = FAMILY_PARAMETER + 4;

/** Pockets of a group, and log2 of them: a page of memory. */
const GROUP_BITS: u32 = 5;
const GROUP_POCKETS: u32 = 1 << GROUP_BITS;
export const POCKET_GROUP_BYTES: u32 = GROUP_POCKETS * POCKET_BYTES;

/** The second pocket of an element is chosen if it is better than the first by more than this part of all slots. */
const HANDICAP_SHIFT: u32 = 4;

/** k. */
export let slotCount: u32 = 0;
/** Q. */
let quotientCount: u32 = 0;
let remainderBits: u32 = 0;
/** Values of an element in its first pocket, and in its second. */
let firstValues: u64 = 0;
let secondValues: u64 = 0;

export let firstPocket: u32 = 0;
export let pocketCount: u32 = 0;
export let handicap: u32 = 0;
let lastGroup: u32 = 0;

/** Lays out the cells as pockets, as the parameters say. */
export function configurePairs(): void {
  slotCount = <u32>parameter(POCKET_SLOTS_PARAMETER);
  quotientCount = <u32>parameter(POCKET_QUOTIENTS_PARAMETER);
  remainderBits = <u32>parameter(POCKET_REMAINDER_BITS_PARAMETER);
  handicap = slotCount >> HANDICAP_SHIFT;
  const secondQuotients = <u32>parameter(POCKET_SECOND_QUOTIENTS_PARAMETER);
  firstValues = (<u64>(quotientCount - secondQuotients)) << (<u64>remainderBits);
  secondValues = (<u64>secondQuotients) << (<u64>remainderBits);
  firstPocket = cellsOffset();
  pocketCount = cellsBytes() / POCKET_BYTES;
  lastGroup = lastGroupOf(pocketCount, GROUP_BITS);
  configureCacheLines();
  configurePockets(slotCount, quotientCount, remainderBits);
}

/** Slots of all pockets. */
export function capacity(): u64 {
  return <u64>pocketCount * slotCount;
}

/** Tells if the loaded cells are valid pockets. */
export function arePockets(): bool {
  for (let i: u32 = 0; i < pocketCount; i++) {
    if (!isPocket(firstPocket + i * POCKET_BYTES, quotientCount)) return false;
  }
  return true;
}

/** The second pocket of an element: another one of the group of its first, if there is another. */
function secondPocket(first: u32, hash: u64): u32 {
  const index = (first - firstPocket) / POCKET_BYTES;
  const group = groupOf(index, GROUP_BITS, lastGroup);
  const start = group * GROUP_POCKETS;
  const size = group == lastGroup ? pocketCount - start : GROUP_POCKETS;
  if (size == 1) return first;
  const other = index - start + 1 + reduceLow(hash, size - 1);
  return firstPocket + (start + (other < size ? other : other - size)) * POCKET_BYTES;
}

/** A list is an element's two pockets, each with the quotient and remainder that it has there as its detail. */
export abstract class PairRule extends Rule {
  listBytes(): u32 {
    return 2 * LOCATION_BYTES;
  }

  touchBytes(): u32 {
    return 2 * LOCATION_BYTES;
  }

  list(fingerprint: u64, index: u64, at: u32): void {
    const anchor = cacheLineAnchor(fingerprint);
    const hash = mix64(anchor + GOLDEN);
    const first = firstPocket + ((homeCacheLine(anchor) - firstPocket) & ~(POCKET_BYTES - 1));
    const end = listLocation(at, first, <u32>(((hash >> 32) * firstValues) >> 32));
    listLocation(end, secondPocket(first, hash), <u32>(firstValues + (((hash >> 32) * secondValues) >> 32)));
  }
}

/** A pocket has two cache lines. */
export class PocketTouch extends Touch {
  cacheLine(word: u32): u64 {
    return load<u64>(word) + load<u64>(word, CACHE_LINE_BYTES);
  }
}

function quotientAt(at: u32): u32 {
  return locationDetail(at) >> remainderBits;
}

function remainderAt(at: u32): u32 {
  return locationDetail(at) & ((1 << remainderBits) - 1);
}

/** The slot of a listed element in a pocket; POCKET_MAX_SLOTS if it is not there. */
export function findListed(at: u32): u32 {
  return findEntry(locationWord(at), quotientAt(at), remainderAt(at));
}

/** Adds a listed element to a pocket of `entries` entries that is not full. */
export function addListed(at: u32, entries: u32, age: u32): void {
  addEntry(locationWord(at), entries, quotientAt(at), remainderAt(at), age);
}

/** Replaces an entry of a full pocket by a listed element. */
export function replaceByListed(at: u32, out: u32, age: u32): void {
  replaceEntry(locationWord(at), out, quotientAt(at), remainderAt(at), age);
}

export function hasListed(at: u32): bool {
  return findListed(at) < POCKET_MAX_SLOTS;
}
