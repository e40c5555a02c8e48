// Decimals of any size as numbers with all their digits.

import { Buffer, newBuffer, renew } from './memory';
import { end, makeRoom, putByte, putDigits, setEnd } from './output';

/** Parts of 32 bits of a number, the lowest first, and its digits in groups of nine. */
const parts: Buffer = newBuffer();
const groups: Buffer = newBuffer();
const GROUP: u64 = 1_000_000_000;

/** Writes digits, the last `scale` of which are after the point. They are at [from, end) already. */
function putPoint(from: usize, scale: u32): void {
  const count = <u32>(end - from);
  if (scale == 0) return;
  if (count > scale) {
    makeRoom(1);
    const point = end - scale;
    memory.copy(point + 1, point, scale);
    store<u8>(point, 0x2e);
    setEnd(end + 1);
  }
}

/** Writes a number of 64 bits. */
export function putScaled(number: i64, scale: u32): void {
  makeRoom(24 + scale);
  if (number < 0) putByte(0x2d);
  const from = end;
  putDigits(number < 0 ? 0 - <u64>number : <u64>number, scale + 1);
  putPoint(from, scale);
}

/** Writes a number of two's complement whose highest byte is first. */
export function putLongScaled(at: usize, length: u32, scale: u32): void {
  if (length == 0) return putScaled(0, scale);
  const isNegative = load<u8>(at) >= 0x80;
  const count = (length + 3) >> 2;
  renew(parts, (<usize>count) << 2);
  // Two's complement is turned into the size, byte by byte.
  let carry: u32 = isNegative ? 1 : 0;
  for (let i: u32 = 0; i < count << 2; i++) {
    let byte: u32 = i < length ? <u32>load<u8>(at + length - 1 - i) : isNegative ? 0xff : 0;
    if (isNegative) {
      byte = (byte ^ 0xff) + carry;
      carry = byte >> 8;
    }
    store<u8>(parts.at + i, <u8>byte);
  }
  let used = count;
  let groupCount: u32 = 0;
  renew(groups, (<usize>count + 1) * 5 + 8);
  for (;;) {
    while (used > 0 && load<u32>(parts.at + ((<usize>(used - 1)) << 2)) == 0) used--;
    if (used == 0) break;
    let rest: u64 = 0;
    for (let i = used; i > 0; i--) {
      const place = parts.at + ((<usize>(i - 1)) << 2);
      const part = (rest << 32) | load<u32>(place);
      store<u32>(place, <u32>(part / GROUP));
      rest = part % GROUP;
    }
    store<u32>(groups.at + ((<usize>groupCount) << 2), <u32>rest);
    groupCount++;
  }
  makeRoom(<usize>groupCount * 9 + scale + 4);
  if (isNegative) putByte(0x2d);
  const from = end;
  // Zeros before the digits, so that there is one before the point.
  const first: u64 = groupCount > 0 ? load<u32>(groups.at + ((<usize>(groupCount - 1)) << 2)) : 0;
  let digitCount: u32 = groupCount > 0 ? (groupCount - 1) * 9 + 1 : 1;
  for (let left = first; left >= 10; left /= 10) digitCount++;
  for (let i = digitCount; i < scale + 1; i++) putByte(0x30);
  putDigits(first, 1);
  for (let i = groupCount; i > 1; i--) putDigits(load<u32>(groups.at + ((<usize>(i - 2)) << 2)), 9);
  putPoint(from, scale);
}
