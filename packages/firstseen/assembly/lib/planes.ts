// A line as a bucket of n slots of s bits, 8 to 32, split into planes so that nothing has to be unpacked. Byte j of all
// slots forms byte plane j, n bytes each. The remaining s & 7 bits follow as bit planes, with slot i in bit i. One
// comparison of 16 bytes tests 16 slots of a plane, and slots move by a shift of every plane.
//
// A bit plane has ceil(n / 8) whole bytes. If the line has no room for that, it has n bits, and the next plane begins in
// the middle of a byte.

import { LINE_BYTES } from './lines';
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

/** Whether each bit plane begins with a byte. */
function hasWholePlanes<W extends Width>(): bool {
  return bytePlanesBytes<W>() + bitPlanes<W>() * bitPlaneBytes<W>() <= LINE_BYTES;
}

/** The bit of a line where a bit plane begins. */
function bitPlaneStart<W extends Width>(plane: u32): u32 {
  const bits = hasWholePlanes<W>() ? bitPlaneBytes<W>() << 3 : changetype<W>(0).slots();
  return (bytePlanesBytes<W>() << 3) + plane * bits;
}

/** The byte of a line where a bit plane begins. */
function bitPlaneOffset<W extends Width>(plane: u32): u32 {
  return bitPlaneStart<W>(plane) >> 3;
}

/** Whether the last byte of a line belongs to no slot, so that it may be written at any time. */
export function isLastByteSpare<W extends Width>(): bool {
  return bitPlaneStart<W>(bitPlanes<W>()) <= (LINE_BYTES - 1) << 3;
}

/** For each slot, a mask of a line: the whole bytes of this slot and all before it. */
const SLOT_MASKS: u32 = FAMILY_TABLES_OFFSET;

/** What the masks are made for, so that they need not be made again for each of many detectors with the same parameters. */
let maskedSlots: u32 = 0;
let maskedBytes: u32 = 0;

export function configurePlanes<W extends Width>(): void {
  const slots = changetype<W>(0).slots();
  if (i32(slots == maskedSlots) & i32(bytePlanesBytes<W>() == maskedBytes)) return;
  maskedSlots = slots;
  maskedBytes = bytePlanesBytes<W>();
  for (let byte: u32 = 0; byte < slots * LINE_BYTES; byte++) {
    const last = byte / LINE_BYTES;
    const inLine = byte % LINE_BYTES;
    const isMasked = inLine < bytePlanesBytes<W>() && inLine % slots <= last;
    store<u8>(SLOT_MASKS + byte, isMasked ? 0xff : 0);
  }
}

/** Compares the bytes of 16 slots in a plane with that of the value. */
function equalBytes<W extends Width>(line: u32, value: u32, plane: u32, firstSlot: u32): v128 {
  const bytes = v128.load(line + plane * changetype<W>(0).slots() + firstSlot);
  return i8x16.eq(bytes, i8x16.splat(<i8>(value >> (plane << 3))));
}

/**
 * One bit for each slot of group `i`, at the slot's index: whether its whole bytes equal those of the value. Groups
 * have 16 slots, and the last group ends with the last slot. Where it overlaps the one before, both give the same bits.
 */
function equalSlots<W extends Width>(line: u32, value: u32, i: u32): u64 {
  const slots = changetype<W>(0).slots();
  if (i * 16 >= slots) return 0;
  const firstSlot = min<u32>(i * 16, slots - 16);
  let equal = equalBytes<W>(line, value, 0, firstSlot);
  if (bytePlanes<W>() > 1) equal = v128.and(equal, equalBytes<W>(line, value, 1, firstSlot));
  if (bytePlanes<W>() > 2) equal = v128.and(equal, equalBytes<W>(line, value, 2, firstSlot));
  if (bytePlanes<W>() > 3) equal = v128.and(equal, equalBytes<W>(line, value, 3, firstSlot));
  return (<u64>(<u32>i8x16.bitmask(equal))) << (<u64>firstSlot);
}

/** The bits of a bit plane, slot 0 lowest, with unrelated bits above them; 0 past the last plane. */
function loadBitPlane<W extends Width>(line: u32, plane: u32): u64 {
  if (plane >= bitPlanes<W>()) return 0;
  // The last planes are read from further back, because the load must not pass the end of the line.
  const from = min<u32>(bitPlaneOffset<W>(plane), LINE_BYTES - 8);
  return load<u64>(line + from) >> <u64>(bitPlaneStart<W>(plane) - (from << 3));
}

/**
 * Stores what `loadBitPlane` loaded, with its bits changed. Planes must be stored in order, as a store may overwrite
 * bytes of the next plane.
 */
function storeBitPlane<W extends Width>(line: u32, plane: u32, bits: u64): void {
  if (plane >= bitPlanes<W>()) return;
  if (!hasWholePlanes<W>()) {
    storeSplitPlane(line, bitPlaneStart<W>(plane), bits);
    return;
  }
  const at = line + bitPlaneOffset<W>(plane);
  if (bitPlaneOffset<W>(plane) + 8 <= LINE_BYTES) {
    store<u64>(at, bits);
    return;
  }
  const bytes = bitPlaneBytes<W>();
  if (bytes <= 4 && bitPlaneOffset<W>(plane) + 4 <= LINE_BYTES) {
    store<u32>(at, bits);
    return;
  }
  if (bytes & 4) store<u32>(at, bits);
  if (bytes & 2) store<u16>(at + (bytes & 4), bits >> ((<u64>(bytes & 4)) << 3));
  if (bytes & 1) store<u8>(at + (bytes & 6), bits >> ((<u64>(bytes & 6)) << 3));
}

/**
 * Stores a bit plane that begins at bit `start` of the line, and keeps the bits before it. There are at most 16 of them
 * in the word that is stored: a plane that is read from further back must begin less than three bytes after it.
 */
function storeSplitPlane(line: u32, start: u32, bits: u64): void {
  const from = min<u32>(start >> 3, LINE_BYTES - 8);
  const shift = <u64>(start - (from << 3));
  // The plane before was just stored. A load of these bytes alone need not wait until its word has left the store buffer.
  const before = <u64>load<u16>(line + from) & (((<u64>1) << shift) - 1);
  store<u64>(line + from, (bits << shift) | before);
}

/** All ones if the value has a 1 in the bit of a bit plane, else 0. */
function bitOfValue<W extends Width>(value: u32, plane: u32): u64 {
  return <u64>(((<i64>value) << (<i64>(63 - (bytePlanes<W>() << 3) - plane))) >> 63);
}

function unequalBits<W extends Width>(line: u32, value: u32, plane: u32): u64 {
  if (plane >= bitPlanes<W>()) return 0;
  return loadBitPlane<W>(line, plane) ^ bitOfValue<W>(value, plane);
}

/** One bit for each slot, slot 0 lowest: whether it holds the value. */
export function slotsThatHold<W extends Width>(line: u32, value: u32): u64 {
  const equal =
    equalSlots<W>(line, value, 0) |
    equalSlots<W>(line, value, 1) |
    equalSlots<W>(line, value, 2) |
    equalSlots<W>(line, value, 3);
  const unequal =
    unequalBits<W>(line, value, 0) |
    unequalBits<W>(line, value, 1) |
    unequalBits<W>(line, value, 2) |
    unequalBits<W>(line, value, 3) |
    unequalBits<W>(line, value, 4) |
    unequalBits<W>(line, value, 5) |
    unequalBits<W>(line, value, 6);
  return equal & ~unequal;
}

/** Whether a slot holds a value, which is not 0. */
export function isSlotUsed<W extends Width>(line: u32, slot: u32): bool {
  let value: u64 = 0;
  for (let plane: u32 = 0; plane < bytePlanes<W>(); plane++) {
    value |= load<u8>(line + plane * changetype<W>(0).slots() + slot);
  }
  for (let plane: u32 = 0; plane < bitPlanes<W>(); plane++) {
    value |= (loadBitPlane<W>(line, plane) >> <u64>slot) & 1;
  }
  return value != 0;
}

/** 16 bytes of a line in which each byte of the mask is replaced by the byte before it. */
function movedBytes(before: v128, bytes: v128, mask: v128): v128 {
  const up = i8x16.shuffle(before, bytes, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  return v128.bitselect(up, bytes, mask);
}

/** Stores a bit plane in which the bits of `moved` have moved up by one and the lowest is that of the value. */
function pushBit<W extends Width>(line: u32, plane: u32, bits: u64, moved: u64, value: u32): void {
  const pushed = (bits << 1) - bitOfValue<W>(value, plane);
  storeBitPlane<W>(line, plane, bits ^ ((bits ^ pushed) & moved));
}

/** Moves the slots below `last` up by one, over slot `last`, and stores the value in slot 0. */
export function pushSlot<W extends Width>(line: u32, last: u32, value: u32): void {
  const masks = SLOT_MASKS + last * LINE_BYTES;
  const a = v128.load(line);
  const b = v128.load(line, 16);
  const c = v128.load(line, 32);
  const d = v128.load(line, 48);
  const bits0 = loadBitPlane<W>(line, 0);
  const bits1 = loadBitPlane<W>(line, 1);
  const bits2 = loadBitPlane<W>(line, 2);
  const bits3 = loadBitPlane<W>(line, 3);
  const bits4 = loadBitPlane<W>(line, 4);
  const bits5 = loadBitPlane<W>(line, 5);
  const bits6 = loadBitPlane<W>(line, 6);
  // Slot 0 of the first plane takes the byte "before" the line, which is the value's.
  v128.store(line, movedBytes(i8x16.splat(<i8>value), a, v128.load(masks)));
  v128.store(line, movedBytes(a, b, v128.load(masks, 16)), 16);
  v128.store(line, movedBytes(b, c, v128.load(masks, 32)), 32);
  if (bytePlanesBytes<W>() > 48) v128.store(line, movedBytes(c, d, v128.load(masks, 48)), 48);
  putUpperBytes<W>(line, 0, value);
  const moved = (((<u64>1) << (<u64>last)) << 1) - 1;
  pushBit<W>(line, 0, bits0, moved, value);
  pushBit<W>(line, 1, bits1, moved, value);
  pushBit<W>(line, 2, bits2, moved, value);
  pushBit<W>(line, 3, bits3, moved, value);
  pushBit<W>(line, 4, bits4, moved, value);
  pushBit<W>(line, 5, bits5, moved, value);
  pushBit<W>(line, 6, bits6, moved, value);
}

/**
 * Moves the slots from `first` on up by one, over the last slot, and stores the value in slot `first`, which is not slot
 * 0.
 */
export function insertSlot<W extends Width>(line: u32, first: u32, value: u32): void {
  const last = changetype<W>(0).slots() - 1;
  const moved = SLOT_MASKS + last * LINE_BYTES;
  const kept = SLOT_MASKS + (first - 1) * LINE_BYTES;
  // Each 16 bytes take a byte of the 16 before them, so these are moved later.
  for (let offset: i32 = LINE_BYTES - 16; offset >= 0; offset -= 16) {
    const before = v128.load(line + max(offset - 16, 0));
    const mask = v128.andnot(v128.load(moved + offset), v128.load(kept + offset));
    v128.store(line + offset, movedBytes(before, v128.load(line + offset), mask));
  }
  store<u8>(line + first, value);
  putUpperBytes<W>(line, first, value);
  const firstBit = (<u64>1) << (<u64>first);
  const movedBits = ((<u64>2) << (<u64>last)) - firstBit;
  for (let plane: u32 = 0; plane < bitPlanes<W>(); plane++) {
    const bits = loadBitPlane<W>(line, plane);
    const inserted = ((bits << 1) & ~firstBit) | (bitOfValue<W>(value, plane) & firstBit);
    storeBitPlane<W>(line, plane, bits ^ ((bits ^ inserted) & movedBits));
  }
}

/** Writes all but the lowest byte of the value to a slot. */
function putUpperBytes<W extends Width>(line: u32, slot: u32, value: u32): void {
  const slots = changetype<W>(0).slots();
  if (bytePlanes<W>() > 1) store<u8>(line + slots + slot, value >> 8);
  if (bytePlanes<W>() > 2) store<u8>(line + 2 * slots + slot, value >> 16);
  if (bytePlanes<W>() > 3) store<u8>(line + 3 * slots + slot, value >> 24);
}

/** Writes the value to a slot. */
export function putSlot<W extends Width>(line: u32, slot: u32, value: u32): void {
  store<u8>(line + slot, value);
  putUpperBytes<W>(line, slot, value);
  const bit = (<u64>1) << (<u64>slot);
  for (let plane: u32 = 0; plane < bitPlanes<W>(); plane++) {
    const bits = loadBitPlane<W>(line, plane);
    storeBitPlane<W>(line, plane, bits ^ ((bits ^ bitOfValue<W>(value, plane)) & bit));
  }
}
