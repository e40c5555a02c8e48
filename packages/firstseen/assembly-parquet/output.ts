// The text that is written for rows.

import { Buffer, newBuffer, reserve } from './memory';

/** The text. Writers make room in it first, and write at `end`. */
export const text: Buffer = newBuffer();
export let end: usize = 0;
/** The end of the room, without the slack. */
let limit: usize = 0;

/** Begins a text. */
export function beginText(): void {
  reserve(text, 4096);
  text.used = 0;
  end = text.at;
  limit = text.at + text.room;
}

/** Makes room for `bytes` after the end. */
export function makeRoom(bytes: usize): void {
  if (end + bytes > limit) grow(bytes);
}

function grow(bytes: usize): void {
  text.used = end - text.at;
  reserve(text, text.used + bytes);
  end = text.at + text.used;
  limit = text.at + text.room;
}

export function setEnd(at: usize): void {
  end = at;
}

export function putByte(byte: u32): void {
  store<u8>(end, <u8>byte);
  end++;
}

/** Writes bytes that need no escapes. */
export function putBytes(at: usize, length: u32): void {
  makeRoom(length);
  memory.copy(end, at, length);
  end += length;
}

const HEX: StaticArray<u8> = [48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102];

export function putHex(number: u32, digits: u32): void {
  for (let shift = (digits << 2) - 4; ; shift -= 4) {
    putByte(unchecked(HEX[(number >> shift) & 15]));
    if (shift == 0) return;
  }
}

/** Writes `null`. */
export function putNull(): void {
  makeRoom(4);
  store<u32>(end, 0x6c6c756e);
  end += 4;
}

/** Writes a number with at least `digits` digits. */
export function putDigits(number: u64, digits: u32): void {
  let length: u32 = 1;
  for (let rest = number; rest >= 10; rest /= 10) length++;
  length = max(length, digits);
  makeRoom(length);
  let at = end + length;
  end = at;
  let rest = number;
  for (let i: u32 = 0; i < length; i++) {
    const next = rest / 10;
    store<u8>(--at, <u8>(48 + (rest - next * 10)));
    rest = next;
  }
}

/** Writes an integer. */
export function putInteger(number: i64): void {
  makeRoom(1);
  if (number < 0) putByte(0x2d);
  putDigits(number < 0 ? 0 - <u64>number : <u64>number, 1);
}
