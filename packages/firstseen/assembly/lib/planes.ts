// A cache line as a bucket of n slots of s bits, 8 to 32, split into planes so that nothing has to be unpacked. Byte j of all
// slots forms byte plane j, n bytes each. The remaining s & 7 bits follow as bit planes, with slot i in bit i. One
// comparison of 16 bytes tests 16 slots of a plane, and slots move by a shift of every plane.
//
// A bit plane has ceil(n / 8) whole bytes. If the cache line has no room for that, it has n bits, and the next plane begins in
// the middle of a byte.

import { CACHE_LINE_BYTES } from './cachelines';
import { FAMILY_TABLES_OFFSET } from './memory';
import { Width } from './widths';

function bytePlanes<W extends Width>(): u32 {
  return changetype<W>(0).bytes();
}

function bitPlanes<W extends Width>(): u32 {
  return changetype<W>(0).bits();
}

function bitPlaneBytes<W extends Width>(): u32 {
  return (changetype<W>(0).slots() + 7) >> 3;
}

function bytePlanesBytes<W extends Width>(): u32 {
  return bytePlanes<W>() * changetype<W>(0).slots();
}

/** Tells if each bit plane begins with a byte. */
function hasWholePlanes<W extends Width>(): bool {
  return bytePlanesBytes<W>() + bitPlanes<W>() * bitPlaneBytes<W>() <= CACHE_LINE_BYTES;
}

/** The bit of a cache line where a bit plane begins. */
function bitPlaneStart<W extends Width>(plane: u32): u32 {
  const bits = hasWholePlanes<W>() ? bitPlaneBytes<W>() << 3 : changetype<W>(0).slots();
  return (bytePlanesBytes<W>() << 3) + plane * bits;
}

/** The byte of a cache line where a bit plane begins. */
function bitPlaneOffset<W extends Width>(plane: u32): u32 {
  return bitPlaneStart<W>(plane) >> 3;
}

/** Tells if the last byte of a cache line belongs to no slot, so that it may be written at any time. */
export function isLastByteSpare<W extends Width>(): bool {
  return bitPlaneStart<W>(bitPlanes<W>()) <= (CACHE_LINE_BYTES - 1) << 3;
}

/** For each slot, a mask of a cache line: the whole bytes of this slot and all before it. */
const SLOT_MASKS: u32 = FAMILY_TABLES_OFFSET;

/**
 * The slots and bytes that the masks were made for, so that they need not be made again for each of many detectors with
 * the same parameters.
 */
let maskedSlots: u32 = 0;
let maskedBytes: u32 = 0;

export function configurePlanes<W extends Width>(): void {
  const slots = changetype<W>(0).slots();
  if (i32(slots == maskedSlots) & i32(bytePlanesBytes<W>() == maskedBytes)) return;
  maskedSlots = slots;
  maskedBytes = bytePlanesBytes<W>();
  for (let byte: u32 = 0; byte < slots * CACHE_LINE_BYTES; byte++) {
    const last = byte / CACHE_LINE_BYTES;
    const inCacheLine = byte % CACHE_LINE_BYTES;
    const isMasked = inCacheLine < bytePlanesBytes<W>() && inCacheLine % slots <= last;
    store<u8>(SLOT_MASKS + byte, isMasked ? 0xff : 0);
  }
}

/** Compares the bytes of 16 slots in a plane with that of the value. */
function equalBytes<W extends Width>(cacheLine: u32, value: u32, plane: u32, firstSlot: u32): v128 {
  const bytes = v128.load(cacheLine + plane * changetype<W>(0).slots() + firstSlot);
  return i8x16.eq(bytes, i8x16.splat(<i8>(value >> (plane << 3))));
}

/**
 * One bit for each slot of group `i`, at the slot's index: whether its whole bytes equal those of the value. Groups
 * have 16 slots, and the last group ends with the last slot. Where it overlaps the one before, both give the same bits.
 */
function equalSlots<W extends Width>(cacheLine: u32, value: u32, i: u32): u64 {
  const slots = changetype<W>(0).slots();
  if (i * 16 >= slots) return 0;
  const firstSlot = min<u32>(i * 16, slots - 16);
  let equal = equalBytes<W>(cacheLine, value, 0, firstSlot);
  if (bytePlanes<W>() > 1) equal = v128.and(equal, equalBytes<W>(cacheLine, value, 1, firstSlot));
  if (bytePlanes<W>() > 2) equal = v128.and(equal, equalBytes<W>(cacheLine, value, 2, firstSlot));
  if (bytePlanes<W>() > 3) equal = v128.and(equal, equalBytes<W>(cacheLine, value, 3, firstSlot));
  return (<u64>(<u32>i8x16.bitmask(equal))) << (<u64>firstSlot);
}

/** The bits of a bit plane, slot 0 lowest, with unrelated bits above them; 0 past the last plane. */
function loadBitPlane<W extends Width>(cacheLine: u32, plane: u32): u64 {
  if (plane >= bitPlanes<W>()) return 0;
  // The last planes are read from further back, because the load must not pass the end of the cache line.
  const from = min<u32>(bitPlaneOffset<W>(plane), CACHE_LINE_BYTES - 8);
  return load<u64>(cacheLine + from) >> <u64>(bitPlaneStart<W>(plane) - (from << 3));
}

/**
 * Stores what `loadBitPlane` loaded, with its bits changed. Planes must be stored in order, as a store may overwrite
 * bytes of the next plane.
 */
function storeBitPlane<W extends Width>(cacheLine: u32, plane: u32, bits: u64): void {
  if (plane >= bitPlanes<W>()) return;
  if (!hasWholePlanes<W>()) {
    storeSplitPlane(cacheLine, bitPlaneStart<W>(plane), bits);
    return;
  }
  const at = cacheLine + bitPlaneOffset<W>(plane);
  if (bitPlaneOffset<W>(plane) + 8 <= CACHE_LINE_BYTES) {
    store<u64>(at, bits);
    return;
  }
  const bytes = bitPlaneBytes<W>();
  if (bytes <= 4 && bitPlaneOffset<W>(plane) + 4 <= CACHE_LINE_BYTES) {
    store<u32>(at, bits);
    return;
  }
  if (bytes & 4) store<u32>(at, bits);
  if (bytes & 2) store<u16>(at + (bytes & 4), bits >> ((<u64>(bytes & 4)) << 3));
  if (bytes & 1) store<u8>(at + (bytes & 6), bits >> ((<u64>(bytes & 6)) << 3));
}

/**
 * Stores a bit plane that begins at bit `start` of the cache line, and keeps the bits before it. There are at most 16 of them
 * in the word that is stored: a plane that is read from further back must begin less than three bytes after it.
 */
function storeSplitPlane(cacheLine: u32, start: u32, bits: u64): void {
  const from = min<u32>(start >> 3, CACHE_LINE_BYTES - 8);
  const shift = <u64>(start - (from << 3));
  // The plane before was just stored. A load of these bytes alone need not wait until its word has left the store buffer.
  const before = <u64>load<u16>(cacheLine + from) & (((<u64>1) << shift) - 1);
  store<u64>(cacheLine + from, (bits << shift) | before);
}

/** All ones if the value has a 1 in the bit of a bit plane, else 0. */
function bitOfValue<W extends Width>(value: u32, plane: u32): u64 {
  return <u64>(((<i64>value) << (<i64>(63 - (bytePlanes<W>() << 3) - plane))) >> 63);
}

function unequalBits<W extends Width>(cacheLine: u32, value: u32, plane: u32): u64 {
  if (plane >= bitPlanes<W>()) return 0;
  return loadBitPlane<W>(cacheLine, plane) ^ bitOfValue<W>(value, plane);
}

/** One bit for each slot, slot 0 lowest: whether it holds the value. */
export function slotsThatHold<W extends Width>(cacheLine: u32, value: u32): u64 {
  const equal =
    equalSlots<W>(cacheLine, value, 0) |
    equalSlots<W>(cacheLine, value, 1) |
    equalSlots<W>(cacheLine, value, 2) |
    equalSlots<W>(cacheLine, value, 3);
  const unequal =
    unequalBits<W>(cacheLine, value, 0) |
    unequalBits<W>(cacheLine, value, 1) |
    unequalBits<W>(cacheLine, value, 2) |
    unequalBits<W>(cacheLine, value, 3) |
    unequalBits<W>(cacheLine, value, 4) |
    unequalBits<W>(cacheLine, value, 5) |
    unequalBits<W>(cacheLine, value, 6);
  return equal & ~unequal;
}

/** Tells if a slot holds a value, which is not 0. */
export function isSlotUsed<W extends Width>(cacheLine: u32, slot: u32): bool {
  let value: u64 = 0;
  for (let plane: u32 = 0; plane < bytePlanes<W>(); plane++) {
    value |= load<u8>(cacheLine + plane * changetype<W>(0).slots() + slot);
  }
  for (let plane: u32 = 0; plane < bitPlanes<W>(); plane++) {
    value |= (loadBitPlane<W>(cacheLine, plane) >> <u64>slot) & 1;
  }
  return value != 0;
}

/** 16 bytes of a cache line in which each byte of the mask is replaced by the byte before it. */
function movedBytes(before: v128, bytes: v128, mask: v128): v128 {
  const up = i8x16.shuffle(before, bytes, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  return v128.bitselect(up, bytes, mask);
}

/** Stores a bit plane in which the bits of `moved` have moved up by one and the lowest is that of the value. */
function pushBit<W extends Width>(cacheLine: u32, plane: u32, bits: u64, moved: u64, value: u32): void {
  const pushed = (bits << 1) - bitOfValue<W>(value, plane);
  storeBitPlane<W>(cacheLine, plane, bits ^ ((bits ^ pushed) & moved));
}

/** Moves the slots below `last` up by one, over slot `last`, and stores the value in slot 0. */
export function pushSlot<W extends Width>(cacheLine: u32, last: u32, value: u32): void {
  const masks = SLOT_MASKS + last * CACHE_LINE_BYTES;
  const a = v128.load(cacheLine);
  const b = v128.load(cacheLine, 16);
  const c = v128.load(cacheLine, 32);
  const d = v128.load(cacheLine, 48);
  const bits0 = loadBitPlane<W>(cacheLine, 0);
  const bits1 = loadBitPlane<W>(cacheLine, 1);
  const bits2 = loadBitPlane<W>(cacheLine, 2);
  const bits3 = loadBitPlane<W>(cacheLine, 3);
  const bits4 = loadBitPlane<W>(cacheLine, 4);
  const bits5 = loadBitPlane<W>(cacheLine, 5);
  const bits6 = loadBitPlane<W>(cacheLine, 6);
  // Slot 0 of the first plane takes the byte "before" the cache line, which is the value's.
  v128.store(cacheLine, movedBytes(i8x16.splat(<i8>value), a, v128.load(masks)));
  v128.store(cacheLine, movedBytes(a, b, v128.load(masks, 16)), 16);
  v128.store(cacheLine, movedBytes(b, c, v128.load(masks, 32)), 32);
  if (bytePlanesBytes<W>() > 48) v128.store(cacheLine, movedBytes(c, d, v128.load(masks, 48)), 48);
  putUpperBytes<W>(cacheLine, 0, value);
  const moved = (((<u64>1) << (<u64>last)) << 1) - 1;
  pushBit<W>(cacheLine, 0, bits0, moved, value);
  pushBit<W>(cacheLine, 1, bits1, moved, value);
  pushBit<W>(cacheLine, 2, bits2, moved, value);
  pushBit<W>(cacheLine, 3, bits3, moved, value);
  pushBit<W>(cacheLine, 4, bits4, moved, value);
  pushBit<W>(cacheLine, 5, bits5, moved, value);
  pushBit<W>(cacheLine, 6, bits6, moved, value);
}

/**
 * Moves the slots from `first` on up by one, over the last slot, and stores the value in slot `first`, which is not slot
 * 0.
 */
export function insertSlot<W extends Width>(cacheLine: u32, first: u32, value: u32): void {
  const last = changetype<W>(0).slots() - 1;
  const moved = SLOT_MASKS + last * CACHE_LINE_BYTES;
  const kept = SLOT_MASKS + (first - 1) * CACHE_LINE_BYTES;
  // Each 16 bytes take a byte of the 16 before them, so these are moved later.
  for (let offset: i32 = CACHE_LINE_BYTES - 16; offset >= 0; offset -= 16) {
    const before = v128.load(cacheLine + max(offset - 16, 0));
    const mask = v128.andnot(v128.load(moved + offset), v128.load(kept + offset));
    v128.store(cacheLine + offset, movedBytes(before, v128.load(cacheLine + offset), mask));
  }
  store<u8>(cacheLine + first, value);
  putUpperBytes<W>(cacheLine, first, value);
  const firstBit = (<u64>1) << (<u64>first);
  const movedBits = ((<u64>2) << (<u64>last)) - firstBit;
  for (let plane: u32 = 0; plane < bitPlanes<W>(); plane++) {
    const bits = loadBitPlane<W>(cacheLine, plane);
    const inserted = ((bits << 1) & ~firstBit) | (bitOfValue<W>(value, plane) & firstBit);
    storeBitPlane<W>(cacheLine, plane, bits ^ ((bits ^ inserted) & movedBits));
  }
}

/** Writes all but the lowest byte of the value to a slot. */
function putUpperBytes<W extends Width>(cacheLine: u32, slot: u32, value: u32): void {
  const slots = changetype<W>(0).slots();
  if (bytePlanes<W>() > 1) store<u8>(cacheLine + slots + slot, value >> 8);
  if (bytePlanes<W>() > 2) store<u8>(cacheLine + 2 * slots + slot, value >> 16);
  if (bytePlanes<W>() > 3) store<u8>(cacheLine + 3 * slots + slot, value >> 24);
}

/** Writes the value to a slot. */
export function putSlot<W extends Width>(cacheLine: u32, slot: u32, value: u32): void {
  store<u8>(cacheLine + slot, value);
  putUpperBytes<W>(cacheLine, slot, value);
  const bit = (<u64>1) << (<u64>slot);
  for (let plane: u32 = 0; plane < bitPlanes<W>(); plane++) {
    const bits = loadBitPlane<W>(cacheLine, plane);
    storeBitPlane<W>(cacheLine, plane, bits ^ ((bits ^ bitOfValue<W>(value, plane)) & bit));
  }
}
