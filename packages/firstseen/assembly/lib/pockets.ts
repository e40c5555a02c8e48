// A pocket: a block of 128 bytes that holds up to k entries as a small quotient filter, like the pocket dictionaries of
// the prefix filter (Even, Even and Morrison 2022, arXiv 2203.17139). An entry is a quotient of 0 to Q - 1 and a remainder of
// r bits. The entries are ordered by their quotients, and a header of Q + k bits says how many entries have each quotient
// (pocketheader.ts).
//
// After the header come bit planes of k bits, without gaps, as one string of bits: those of the upper bits of the remainders and
// those of the ages. The whole bytes of the remainders end the block, in byte planes. An entry that enters or leaves moves the
// entries between the two positions by one.

import { maskBetween } from './bits';
import { FAMILY_TABLES_OFFSET } from './memory';
import {
  configureHeader,
  hasQuotient,
  moveHeader,
  pocketEntries,
  SELECT_BYTES,
  selectEnd,
  selectEntry,
} from './pocketheader';

export const POCKET_BYTES: u32 = 128;
/** Bits of an age: an entry is of age 0 when it is stamped, and ages by one with each generation, up to 7. */
export const POCKET_AGE_BITS: u32 = 3;
export const OLDEST_AGE: u32 = (1 << POCKET_AGE_BITS) - 1;
/** Most entries of a pocket: they fit in two words of 64 bits. */
export const POCKET_MAX_SLOTS: u32 = 96;

const CHUNK_BYTES: u32 = 16;

/** k. No entry has this number, because entries are numbered from 0. */
let slotCount: u32 = 0;
let quotientCount: u32 = 0;
/** Whole bytes of a remainder, and the bits above them. */
let byteCount: u32 = 0;
let bitCount: u32 = 0;
/** The first bit and the first byte of the planes. */
let planeBits: u32 = 0;
let planeBytes: u32 = 0;
let planeWords: u32 = 0;

/** For each number of slots from 0 to k: the bits of the bit planes that belong to that many slots from slot 0 on. */
const SLOT_MASKS: u32 = FAMILY_TABLES_OFFSET + SELECT_BYTES;

function slotMask(slots: u32, word: u32): u32 {
  return SLOT_MASKS + ((slots * planeWords + word) << 3);
}

function configureSlotMasks(): void {
  const planes = bitCount + POCKET_AGE_BITS;
  memory.fill(SLOT_MASKS, 0, planeWords << 3);
  for (let slots: u32 = 1; slots <= slotCount; slots++) {
    memory.copy(slotMask(slots, 0), slotMask(slots - 1, 0), planeWords << 3);
    for (let plane: u32 = 0; plane < planes; plane++) {
      const bit = plane * slotCount + slots - 1;
      const at = slotMask(slots, bit >> 6);
      store<u64>(at, load<u64>(at) | ((<u64>1) << (<u64>(bit & 63))));
    }
  }
}

/**
 * Lays out pockets of `slots` entries with these numbers of quotients and of bits of a remainder. The host has checked that all
 * fits. The same layout is not made again for each of many detectors with the same parameters.
 */
export function configurePockets(slots: u32, quotients: u32, remainderBits: u32): void {
  const isSame = i32(slots == slotCount) & i32(quotients == quotientCount);
  if (isSame & i32(remainderBits == (byteCount << 3) + bitCount)) return;
  slotCount = slots;
  quotientCount = quotients;
  byteCount = remainderBits >> 3;
  bitCount = remainderBits & 7;
  const headerBytes = (quotients + slots + 7) >> 3;
  planeBits = headerBytes << 3;
  planeBytes = POCKET_BYTES - byteCount * slots;
  planeWords = ((bitCount + POCKET_AGE_BITS) * slots + 63) >> 6;
  configureHeader(headerBytes, slots);
  configureSlotMasks();
}

// After the bit planes come at least 16 bytes of a byte plane, so words that begin in the planes never pass the end of the pocket.

/** The bits of a bit plane: of the slots from 0, or from 64. Bits above those of the slots are unrelated. */
function planeAt(pocket: u32, plane: u32, firstSlot: u32): u64 {
  const bit = planeBits + plane * slotCount + firstSlot;
  const at = pocket + (bit >> 3);
  const shift = <u64>(bit & 7);
  return (load<u64>(at) >> shift) | (((<u64>load<u8>(at, 8)) << (63 - shift)) << 1);
}

/** Flips bits of a bit plane: those of the slots from 0, or from 64. */
function flipPlane(pocket: u32, plane: u32, firstSlot: u32, bits: u64): void {
  const bit = planeBits + plane * slotCount + firstSlot;
  const at = pocket + (bit >> 3);
  const shift = <u64>(bit & 7);
  store<u64>(at, load<u64>(at) ^ (bits << shift));
  store<u8>(at, load<u8>(at, 8) ^ <u8>((bits >> (63 - shift)) >> 1), 8);
}

function planeBit(pocket: u32, plane: u32, slot: u32): u32 {
  const bit = planeBits + plane * slotCount + slot;
  return (<u32>load<u8>(pocket + (bit >> 3)) >> (bit & 7)) & 1;
}

function setPlaneBit(pocket: u32, plane: u32, slot: u32, value: u32): void {
  const bit = planeBits + plane * slotCount + slot;
  const at = pocket + (bit >> 3);
  store<u8>(at, (<u32>load<u8>(at) & ~((<u32>1) << (bit & 7))) | (value << (bit & 7)));
}

/** Tells if the bytes of a remainder from the second on, and its upper bits, are those of an entry. */
function hasRest(pocket: u32, slot: u32, remainder: u32): bool {
  for (let byte: u32 = 1; byte < byteCount; byte++) {
    if (load<u8>(pocket + planeBytes + byte * slotCount + slot) != <u8>(remainder >> (byte << 3))) return false;
  }
  const upper = remainder >> (byteCount << 3);
  for (let plane: u32 = 0; plane < bitCount; plane++) {
    if (planeBit(pocket, plane, slot) != ((upper >> plane) & 1)) return false;
  }
  return true;
}

/** The first of the slots whose bits are set, counted from `firstSlot`, that has a quotient and a remainder. */
function entryAmong(pocket: u32, slots: u64, firstSlot: u32, quotient: u32, remainder: u32): u32 {
  for (let left = slots; left; left &= left - 1) {
    const slot = firstSlot + <u32>ctz(left);
    if (hasQuotient(pocket, slot, quotient) && hasRest(pocket, slot, remainder)) return slot;
  }
  return POCKET_MAX_SLOTS;
}

/** The first entry with a quotient and a remainder; POCKET_MAX_SLOTS if there is none. */
export function findEntry(pocket: u32, quotient: u32, remainder: u32): u32 {
  const wanted = i8x16.splat(<i8>remainder);
  const bytes = pocket + planeBytes;
  // One bit for each slot with the lowest byte of the remainder.
  let lower: u64 = 0;
  let upper: u64 = 0;
  for (let first: u32 = 0; first < slotCount; first += CHUNK_BYTES) {
    // The last chunk ends with the last slot, because a load must not pass the end of the pocket.
    const from = min<u32>(first, slotCount - CHUNK_BYTES);
    const equal = <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(bytes + from), wanted)));
    lower |= from < 64 ? equal << (<u64>from) : 0;
    upper |= from > 48 ? (equal << 16) >> <u64>(80 - from) : 0;
  }
  const slot = entryAmong(pocket, lower, 0, quotient, remainder);
  return slot < POCKET_MAX_SLOTS ? slot : entryAmong(pocket, upper, 64, quotient, remainder);
}

/** Sets the age of an entry to 0; returns whether it was older. */
export function stampEntry(pocket: u32, slot: u32): u32 {
  let old: u32 = 0;
  for (let plane: u32 = 0; plane < POCKET_AGE_BITS; plane++) {
    old |= planeBit(pocket, bitCount + plane, slot);
    setPlaneBit(pocket, bitCount + plane, slot, 0);
  }
  return old;
}

/** One bit for each of the slots from 0, or from 64, that are below `count`. */
function slotsBelow(count: u32, firstSlot: u32): u64 {
  if (count <= firstSlot) return 0;
  return maskBetween(0, min<u32>(count - firstSlot, 64));
}

/** One bit for each of the oldest entries that were found last: those of slots from 0, and from 64. */
let oldestLower: u64 = 0;
let oldestUpper: u64 = 0;

/** The first of the oldest entries of the pocket that was asked last. */
export function firstOldest(): u32 {
  return oldestLower ? <u32>ctz(oldestLower) : 64 + <u32>ctz(oldestUpper);
}

/** The oldest age of a full pocket times 256, plus the number of entries of that age. */
export function oldestEntries(pocket: u32): u32 {
  let lower = slotsBelow(slotCount, 0);
  let upper = slotsBelow(slotCount, 64);
  let age: u32 = 0;
  for (let plane = <i32>POCKET_AGE_BITS - 1; plane >= 0; plane--) {
    const olderLower = lower & planeAt(pocket, bitCount + plane, 0);
    const olderUpper = upper ? upper & planeAt(pocket, bitCount + plane, 64) : 0;
    const isOlder = (olderLower | olderUpper) != 0;
    lower = isOlder ? olderLower : lower;
    upper = isOlder ? olderUpper : upper;
    age |= u32(isOlder) << plane;
  }
  oldestLower = lower;
  oldestUpper = upper;
  return (age << 8) + <u32>(popcnt(lower) + popcnt(upper));
}

/** The number of those of the first `count` entries that have the oldest age there is. */
export function oldestOf(pocket: u32, count: u32): u32 {
  oldestLower = slotsOfOldestAge(pocket, 0, slotsBelow(count, 0));
  oldestUpper = count > 64 ? slotsOfOldestAge(pocket, 64, slotsBelow(count, 64)) : 0;
  return <u32>(popcnt(oldestLower) + popcnt(oldestUpper));
}

function slotsOfOldestAge(pocket: u32, firstSlot: u32, slots: u64): u64 {
  let oldest = slots;
  for (let plane: u32 = 0; plane < POCKET_AGE_BITS; plane++) oldest &= planeAt(pocket, bitCount + plane, firstSlot);
  return oldest;
}

/** The age of an entry. */
export function entryAge(pocket: u32, slot: u32): u32 {
  let age: u32 = 0;
  for (let plane: u32 = 0; plane < POCKET_AGE_BITS; plane++) age |= planeBit(pocket, bitCount + plane, slot) << plane;
  return age;
}

/** Numbers 0 to 15, the positions of bytes in a chunk. */
function positions(): v128 {
  return i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/** All ones in the bytes of a chunk whose offset in the pocket is from `from` up to the one before `to`. */
function bytesBetween(offsets: v128, from: u32, to: u32): v128 {
  return v128.and(i8x16.gt_s(offsets, i8x16.splat(<i8>(from - 1))), i8x16.le_s(offsets, i8x16.splat(<i8>(to - 1))));
}

/** Moves the bytes of a plane between slots `into` and `out` by one, over slot `out`. */
function moveBytes(pocket: u32, plane: u32, into: u32, out: u32): void {
  const end = POCKET_BYTES / CHUNK_BYTES;
  const first = (plane + min(into, out)) / CHUNK_BYTES;
  const last = (plane + max(into, out)) / CHUNK_BYTES;
  let before = v128.load(pocket + first * CHUNK_BYTES);
  let bytes = before;
  for (let chunk = first; chunk <= last; chunk++) {
    const at = pocket + chunk * CHUNK_BYTES;
    // Nothing moves down into the last byte of the pocket, so the bytes after it can have any value.
    const after = v128.load(chunk + 1 < end ? at + CHUNK_BYTES : at);
    const offsets = i8x16.add(positions(), i8x16.splat(<i8>(chunk * CHUNK_BYTES)));
    const up = bytesBetween(offsets, plane + into + 1, plane + out + 1);
    const down = bytesBetween(offsets, plane + out, plane + into);
    const upper = i8x16.shuffle(before, bytes, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
    const lower = i8x16.shuffle(bytes, after, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    v128.store(at, v128.bitselect(upper, v128.bitselect(lower, bytes, down), up));
    before = bytes;
    bytes = after;
  }
}

/** Moves the slots between `into` and `out` by one, over slot `out`, and clears the bits of slot `into`. */
function moveSlots(pocket: u32, into: u32, out: u32): void {
  for (let byte: u32 = 0; byte < byteCount; byte++) moveBytes(pocket, planeBytes + byte * slotCount, into, out);
  const string = pocket + (planeBits >> 3);
  let before: u64 = 0;
  for (let word: u32 = 0; word < planeWords; word++) {
    const at = string + (word << 3);
    const bits = load<u64>(at);
    const belowInto = load<u64>(slotMask(into, word));
    const toInto = load<u64>(slotMask(into + 1, word));
    const up = load<u64>(slotMask(out + 1, word)) & ~toInto;
    const down = belowInto & ~load<u64>(slotMask(out, word));
    const upper = (bits << 1) | (before >> 63);
    const lower = (bits >> 1) | (load<u64>(at + 8) << 63);
    const cleared = bits & ~(toInto & ~belowInto);
    store<u64>(at, (cleared & ~(up | down)) | (upper & up) | (lower & down));
    before = bits;
  }
}

/** Writes a slot whose bits in the bit planes are 0. */
function writeSlot(pocket: u32, slot: u32, remainder: u32, age: u32): void {
  for (let byte: u32 = 0; byte < byteCount; byte++) {
    store<u8>(pocket + planeBytes + byte * slotCount + slot, remainder >> (byte << 3));
  }
  const upper = (remainder >> (byteCount << 3)) | (age << bitCount);
  if (upper == 0) return;
  for (let plane: u32 = 0; plane < bitCount + POCKET_AGE_BITS; plane++) {
    setPlaneBit(pocket, plane, slot, (upper >> plane) & 1);
  }
}

/** Adds an entry after those with its quotient to a pocket that has `entries` entries and is not full. */
export function addEntry(pocket: u32, entries: u32, quotient: u32, remainder: u32, age: u32): void {
  const bit = selectEnd(pocket, quotient);
  moveHeader(pocket, bit, planeBits - 1);
  moveSlots(pocket, bit - quotient, entries);
  writeSlot(pocket, bit - quotient, remainder, age);
}

/** Replaces an entry of a full pocket. */
export function replaceEntry(pocket: u32, out: u32, quotient: u32, remainder: u32, age: u32): void {
  const outBit = selectEntry(pocket, out);
  const end = selectEnd(pocket, quotient);
  // An entry before the new one leaves, so the new one moves down.
  const bit = end - u32(outBit < end);
  moveHeader(pocket, bit, outBit);
  moveSlots(pocket, bit - quotient, out);
  writeSlot(pocket, bit - quotient, remainder, age);
}

/** Ages all entries of a pocket by one; returns how many had the oldest age already. */
export function ageEntries(pocket: u32): u32 {
  const entries = pocketEntries(pocket);
  return (
    ageSlots(pocket, 0, slotsBelow(entries, 0)) + (entries > 64 ? ageSlots(pocket, 64, slotsBelow(entries, 64)) : 0)
  );
}

function ageSlots(pocket: u32, firstSlot: u32, slots: u64): u32 {
  const oldest = slotsOfOldestAge(pocket, firstSlot, slots);
  let carry = slots & ~oldest;
  for (let plane: u32 = 0; plane < POCKET_AGE_BITS; plane++) {
    const bits = planeAt(pocket, bitCount + plane, firstSlot);
    flipPlane(pocket, bitCount + plane, firstSlot, carry);
    carry &= bits;
  }
  return <u32>popcnt(oldest);
}

/** The slots whose entries have an age, of `slots`. */
function slotsOfAge(pocket: u32, age: u32, firstSlot: u32, slots: u64): u64 {
  let ofAge = slots;
  for (let plane: u32 = 0; plane < POCKET_AGE_BITS; plane++) {
    const bits = planeAt(pocket, bitCount + plane, firstSlot);
    ofAge &= (age >> plane) & 1 ? bits : ~bits;
  }
  return ofAge;
}

/** Gives the entries of a pocket other ages: those of age a get number a of `ages`, which has four bits for each. The oldest stay. */
export function mapAges(pocket: u32, ages: u32): void {
  const entries = pocketEntries(pocket);
  mapSlots(pocket, 0, slotsBelow(entries, 0), ages);
  if (entries > 64) mapSlots(pocket, 64, slotsBelow(entries, 64), ages);
}

function mapSlots(pocket: u32, firstSlot: u32, slots: u64, ages: u32): void {
  // The flips of the three planes. They are made before any plane is changed, because ages are read from all of them.
  let flips0: u64 = 0;
  let flips1: u64 = 0;
  let flips2: u64 = 0;
  for (let age: u32 = 0; age < OLDEST_AGE; age++) {
    const changed = age ^ ((ages >> (age << 2)) & OLDEST_AGE);
    if (changed == 0) continue;
    const ofAge = slotsOfAge(pocket, age, firstSlot, slots);
    if (changed & 1) flips0 |= ofAge;
    if (changed & 2) flips1 |= ofAge;
    if (changed & 4) flips2 |= ofAge;
  }
  flipPlane(pocket, bitCount, firstSlot, flips0);
  flipPlane(pocket, bitCount + 1, firstSlot, flips1);
  flipPlane(pocket, bitCount + 2, firstSlot, flips2);
}
