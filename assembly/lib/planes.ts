// A line as a bucket of n slots of s bits, 8 to 32, taken apart so that nothing has to be unpacked: byte j of all slots lies
// together as byte plane j, n bytes each, and behind them each of the s & 7 bits that are left as a bit plane of ceil(n / 8)
// bytes, with slot i in bit i. One comparison of 16 bytes answers for 16 slots, and slots move by a shift of every plane.

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

function bitPlaneOffset<W extends Width>(plane: u32): u32 {
  return bytePlanes<W>() * changetype<W>(0).slots() + plane * bitPlaneBytes<W>();
}

// Tables by the byte of a line: which byte of a slot it holds, and of which slot; what is no byte of a slot has NO_PLANE, which
// picks nothing, and NO_SLOT, which is past all slots.

const PLANE_TABLE: u32 = FAMILY_TABLES_OFFSET;
const SLOT_TABLE: u32 = PLANE_TABLE + LINE_BYTES;
const NO_PLANE: u8 = 0x80;
const NO_SLOT: u8 = 0x7f;

export function configurePlanes<W extends Width>(): void {
  const slots = changetype<W>(0).slots();
  for (let byte: u32 = 0; byte < LINE_BYTES; byte++) {
    const isWhole = byte < bitPlaneOffset<W>(0);
    store<u8>(PLANE_TABLE + byte, isWhole ? <u8>(byte / slots) : NO_PLANE);
    store<u8>(SLOT_TABLE + byte, isWhole ? <u8>(byte % slots) : NO_SLOT);
  }
}

/** The bytes of a value that stand in 16 bytes of a line from the byte `at` on, if all its slots hold it. */
function bytesOfValue<W extends Width>(value: u32, at: u32): v128 {
  const lastPlane = bytePlanes<W>() - 1;
  if (at >= lastPlane * changetype<W>(0).slots()) return i8x16.splat(<i8>(value >> (lastPlane << 3)));
  if (at + 16 <= changetype<W>(0).slots()) return i8x16.splat(<i8>value);
  return i8x16.swizzle(i32x4.splat(value), v128.load(PLANE_TABLE + at));
}

/** One bit for each of 16 bytes of a line from the byte `at` on: whether it is that of the value. */
function equalBytes<W extends Width>(line: u32, value: u32, at: u32): u64 {
  if (at >= bitPlaneOffset<W>(0)) return 0;
  return <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(line + at), bytesOfValue<W>(value, at))));
}

/** The bits of a bit plane, slot 0 lowest, and above them what happens to follow; 0 past the last plane. */
function loadBitPlane<W extends Width>(line: u32, plane: u32): u64 {
  if (plane >= bitPlanes<W>()) return 0;
  const offset = bitPlaneOffset<W>(plane);
  // The last planes are read from before, as a word may not reach past the line.
  const from = min<u32>(offset, LINE_BYTES - 8);
  return load<u64>(line + from) >> <u64>((offset - from) << 3);
}

/** Stores what `loadBitPlane` loaded, with its bits changed; planes have to be stored in order, as one may take what follows along. */
function storeBitPlane<W extends Width>(line: u32, plane: u32, bits: u64): void {
  if (plane >= bitPlanes<W>()) return;
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

/** All ones if the value has a 1 in the bit of a bit plane, else 0. */
function bitOfValue<W extends Width>(value: u32, plane: u32): u64 {
  return <u64>(((<i64>value) << (<i64>(63 - (bytePlanes<W>() << 3) - plane))) >> 63);
}

function unequalBits<W extends Width>(line: u32, value: u32, plane: u32): u64 {
  if (plane >= bitPlanes<W>()) return 0;
  return loadBitPlane<W>(line, plane) ^ bitOfValue<W>(value, plane);
}

/** One bit for each slot, from the lowest on: whether it holds the value. */
export function slotsThatHold<W extends Width>(line: u32, value: u32): u64 {
  const slots = changetype<W>(0).slots();
  const equal =
    equalBytes<W>(line, value, 0) |
    (equalBytes<W>(line, value, 16) << 16) |
    (equalBytes<W>(line, value, 32) << 32) |
    (equalBytes<W>(line, value, 48) << 48);
  let found = equal & (~(<u64>0) >> <u64>(64 - slots));
  if (bytePlanes<W>() > 1) found &= equal >> <u64>slots;
  if (bytePlanes<W>() > 2) found &= equal >> (2 * <u64>slots);
  if (bytePlanes<W>() > 3) found &= equal >> (3 * <u64>slots);
  const unequal =
    unequalBits<W>(line, value, 0) |
    unequalBits<W>(line, value, 1) |
    unequalBits<W>(line, value, 2) |
    unequalBits<W>(line, value, 3) |
    unequalBits<W>(line, value, 4) |
    unequalBits<W>(line, value, 5) |
    unequalBits<W>(line, value, 6);
  return found & ~unequal;
}

/** 16 bytes of a line, of which those of slots below `end` give way to the byte before. */
function movedBytes(before: v128, bytes: v128, end: v128, at: u32): v128 {
  const up = i8x16.shuffle(before, bytes, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  return v128.bitselect(up, bytes, i8x16.gt_s(end, v128.load(SLOT_TABLE + at)));
}

/** A bit plane whose bits below `end` move up by one, and whose lowest becomes that of the value. */
function pushBit<W extends Width>(line: u32, plane: u32, bits: u64, moved: u64, value: u32): void {
  const pushed = (bits << 1) - bitOfValue<W>(value, plane);
  storeBitPlane<W>(line, plane, bits ^ ((bits ^ pushed) & moved));
}

/** Moves the slots below `last` up by one, over slot `last`, and puts the value in slot 0. */
export function pushSlot<W extends Width>(line: u32, last: u32, value: u32): void {
  const end = i8x16.splat(<i8>(last + 1));
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
  // Slot 0 of the first plane takes the byte before the line, so to speak, which is the value's.
  v128.store(line, movedBytes(i8x16.splat(<i8>value), a, end, 0));
  v128.store(line, movedBytes(a, b, end, 16), 16);
  v128.store(line, movedBytes(b, c, end, 32), 32);
  if (bitPlaneOffset<W>(0) > 48) v128.store(line, movedBytes(c, d, end, 48), 48);
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
