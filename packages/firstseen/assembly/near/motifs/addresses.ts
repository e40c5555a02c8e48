// The front end: k addresses of l' bits from each record (narang-2011, section 5.2.1). Reading k l' single bits takes
// several operations each. So 64 records are processed together, with two transpositions. The first turns bytes of 16
// neighbouring positions into rows of 64 bytes, in which one comparison of 16 bytes reads a bit of 16 records. The
// second turns the planes of a hash, a 64-bit word for each of its positions, into addresses.

import { addressHash, reduce } from '../../lib/random';
import {
  addressBits,
  column,
  hashes,
  MOTIFS_GROUP,
  PLANES_BYTES,
  planes,
  recordBytes,
  SLOT_BYTES,
  slotTable,
  square,
} from './settings';

/** Stores a slot: the column of 16 bytes, the byte in it, the bit as a mask, the offset of its plane. */
function storeSlot(slot: u32, position: u32, hash: u32, bit: u32): void {
  const byte = position >> 3;
  store<u16>(slot, <u16>(byte >> 4));
  store<u8>(slot, <u8>(byte & 15), 2);
  store<u8>(slot, <u8>((<u32>1) << (position & 7)), 3);
  // Bit j of an address is in row j mod 16 of its square, so a column of the square holds 16 bits of one address.
  store<u32>(slot, hash * PLANES_BYTES + ((bit & 15) << 4) + ((bit >> 4) << 3), 4);
}

/** The position of bit `bit` of hash number `hash`: drawn independently, so that (1 - z)^l' is exact (section 4.1). */
function drawnPosition(hash: u32, bit: u32): u32 {
  return reduce(addressHash(<u64>bit, hash), recordBytes << 3);
}

/** Draws the positions and lists them by column. Must be called after the generator is seeded. */
export function drawPositions(): void {
  const count = hashes * addressBits;
  // The memory of the planes holds the positions until the first record is read.
  for (let n: u32 = 0; n < count; n++) {
    store<u32>(planes + (n << 2), drawnPosition(n / addressBits, n % addressBits));
  }
  let slot = slotTable;
  const columns = (recordBytes + 15) >> 4;
  for (let at: u32 = 0; at < columns; at++) {
    for (let n: u32 = 0; n < count; n++) {
      const position = load<u32>(planes + (n << 2));
      if (position >> 7 != at) continue;
      storeSlot(slot, position, n / addressBits, n % addressBits);
      slot += SLOT_BYTES;
    }
  }
}

/** Interleaves bytes 0 to 7 of two rows (`lowBytes`) or bytes 8 to 15 (`highBytes`). */
function lowBytes(upper: v128, lower: v128): v128 {
  return v128.shuffle<u8>(upper, lower, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

function highBytes(upper: v128, lower: v128): v128 {
  return v128.shuffle<u8>(upper, lower, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/**
 * Interleaves rows i, i + 4, i + 8 and i + 12 byte by byte into rows 4i to 4i + 3. Two of these steps transpose a
 * square of 16 x 16 bytes. The rows at `from` are `stride` bytes apart.
 */
function interleave(from: u32, stride: u32, to: u32): void {
  for (let row: u32 = 0; row < 4; row++) {
    const first = v128.load(from);
    const second = v128.load(from + 4 * stride);
    const third = v128.load(from + 8 * stride);
    const fourth = v128.load(from + 12 * stride);
    const evenLow = lowBytes(first, third);
    const oddLow = lowBytes(second, fourth);
    const evenHigh = highBytes(first, third);
    const oddHigh = highBytes(second, fourth);
    v128.store(to, lowBytes(evenLow, oddLow));
    v128.store(to, highBytes(evenLow, oddLow), 16);
    v128.store(to, lowBytes(evenHigh, oddHigh), 32);
    v128.store(to, highBytes(evenHigh, oddHigh), 48);
    from += stride;
    to += 64;
  }
}

/** Transposes a square: 16 rows of 16 bytes, `stride` bytes apart, to rows without gaps. */
function transpose(from: u32, stride: u32, to: u32): void {
  interleave(from, stride, square);
  interleave(square, 16, to);
}

/** Transposes a column in quarters of 16 records: byte b of record i of the quarter becomes byte i of row b. */
function loadColumn(records: u32, at: u32): void {
  for (let quarter: u32 = 0; quarter < 4; quarter++) {
    transpose(records + quarter * 16 * recordBytes + (at << 4), recordBytes, column + (quarter << 8));
  }
}

/** One bit for each of 16 bytes: whether the byte has the bits of the mask set. */
function maskedBits(bytes: u32, mask: v128): u32 {
  return <u32>i8x16.bitmask(i8x16.eq(v128.and(v128.load(bytes), mask), mask));
}

/** One bit of each of 64 records, record 0 lowest. */
function plane(byte: u32, mask: v128): u64 {
  const row = column + (byte << 4);
  const low = maskedBits(row, mask) | (maskedBits(row + 256, mask) << 16);
  const high = maskedBits(row + 512, mask) | (maskedBits(row + 768, mask) << 16);
  return <u64>low | ((<u64>high) << 32);
}

function readPlanes(records: u32): void {
  const end = slotTable + hashes * addressBits * SLOT_BYTES;
  let loaded: i32 = -1;
  for (let slot = slotTable; slot < end; slot += SLOT_BYTES) {
    const at = <i32>load<u16>(slot);
    if (at != loaded) loadColumn(records, at);
    loaded = at;
    store<u64>(planes + load<u32>(slot, 4), plane(load<u8>(slot, 2), i8x16.splat(<i8>load<u8>(slot, 3))));
  }
}

/** The 64 addresses of one hash, from its planes. */
function readAddresses(hash: u32, addresses: u32): void {
  const rows = planes + hash * PLANES_BYTES;
  // Rows without a position contain data of an earlier group.
  const used = ((<u32>1) << addressBits) - 1;
  transpose(rows, 16, rows);
  for (let row: u32 = 0; row < MOTIFS_GROUP >> 3; row++) {
    let low = v128.load(rows + (row << 4));
    let high = v128.load(rows + (row << 4), 128);
    // `bitmask` reads the highest bit of every byte; doubling moves the next one up.
    for (let bit: i32 = 7; bit >= 0; bit--) {
      const address = <u32>i8x16.bitmask(low) | ((<u32>i8x16.bitmask(high)) << 16);
      store<u32>(addresses + (((row << 3) + bit) << 2), address & used);
      low = i8x16.add(low, low);
      high = i8x16.add(high, high);
    }
  }
}

/**
 * Computes the addresses of `count` records: those of hash q begin at `addresses + q * rowBytes`, four bytes per
 * record. Reads and writes whole groups of 64, so both regions must extend that far, and the records 16 bytes further.
 */
export function motifsHash(records: u32, count: u32, addresses: u32, rowBytes: u32): void {
  for (let first: u32 = 0; first < count; first += MOTIFS_GROUP) {
    readPlanes(records + first * recordBytes);
    for (let hash: u32 = 0; hash < hashes; hash++) {
      readAddresses(hash, addresses + hash * rowBytes + (first << 2));
    }
  }
}
