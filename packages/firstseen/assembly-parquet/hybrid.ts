// Writes levels and indices as runs of repeated and of bit-packed numbers.

import { Buffer, reserve } from './memory';

/** A run of one number is written as such from this length on, which is that of a group of bit-packed numbers. */
const GROUP: u32 = 8;

function putVarint(target: Buffer, number: u32): void {
  let left = number;
  while (left >= 0x80) {
    store<u8>(target.at + target.used++, <u8>(left | 0x80));
    left >>= 7;
  }
  store<u8>(target.at + target.used++, <u8>left);
}

function numberAt<T>(from: usize, index: u32): u32 {
  return <u32>load<T>(from + <usize>index * sizeof<T>());
}

/** Writes numbers [start, end) bit-packed; the last group is filled with zeros. */
function putPacked<T>(from: usize, start: u32, end: u32, width: u32, target: Buffer): void {
  if (start == end) return;
  const groups = (end - start + GROUP - 1) / GROUP;
  putVarint(target, (groups << 1) | 1);
  const to = target.at + target.used;
  const bytes = groups * width;
  memory.fill(to, 0, bytes + 8);
  let bit: u64 = 0;
  for (let i = start; i < end; i++) {
    const at = to + <usize>(bit >> 3);
    store<u64>(at, load<u64>(at) | ((<u64>numberAt<T>(from, i)) << (bit & 7)));
    bit += width;
  }
  target.used += bytes;
}

/** Adds `count` numbers of type T, of `width` bits. */
export function encode<T>(from: usize, count: u32, width: u32, target: Buffer): void {
  reserve(target, target.used + <usize>((<u64>count * width) >> 3) + (<usize>count >> 1) + 64);
  let start: u32 = 0;
  for (let i: u32 = 0; i < count; ) {
    const number = numberAt<T>(from, i);
    let end = i + 1;
    while (end < count && numberAt<T>(from, end) == number) end++;
    if (end - i < GROUP) {
      i = min<u32>(i + GROUP, count);
      continue;
    }
    putPacked<T>(from, start, i, width, target);
    putVarint(target, (end - i) << 1);
    store<u32>(target.at + target.used, number);
    target.used += (width + 7) >> 3;
    start = i = end;
  }
  putPacked<T>(from, start, count, width, target);
}
