// Snappy compression, as in the format description of Snappy: literals, and copies of what came before.

import { Buffer, renew } from './memory';

const TABLE_BITS: u32 = 14;
/** The last position in a block at which each hash occurred. */
const table: usize = heap.alloc(2 << TABLE_BITS);
/** The bytes of a block. A position in a block has 16 bits. */
const BLOCK: u32 = 65536;

let to: usize = 0;

function putLiteral(from: usize, length: u32): void {
  const size = length - 1;
  if (size < 60) store<u8>(to++, <u8>(size << 2));
  else if (size < 256) {
    store<u8>(to, 60 << 2);
    store<u8>(to + 1, <u8>size);
    to += 2;
  } else {
    store<u8>(to, 61 << 2);
    store<u16>(to + 1, <u16>size);
    to += 3;
  }
  memory.copy(to, from, length);
  to += length;
}

function putCopyPart(offset: u32, length: u32): void {
  store<u8>(to, <u8>(2 | ((length - 1) << 2)));
  store<u16>(to + 1, <u16>offset);
  to += 3;
}

function putCopy(offset: u32, length: u32): void {
  let left = length;
  while (left > 64) {
    // What is left has four bytes at least.
    const part: u32 = left < 68 ? 60 : 64;
    putCopyPart(offset, part);
    left -= part;
  }
  if (left < 12 && offset < 2048) {
    store<u8>(to, <u8>(1 | ((left - 4) << 2) | ((offset >> 8) << 5)));
    store<u8>(to + 1, <u8>offset);
    to += 2;
  } else putCopyPart(offset, left);
}

function hashOf(word: u32): usize {
  return (<usize>((word * 0x1e35a7bd) >> (32 - TABLE_BITS))) << 1;
}

/** The number of bytes that are the same at two positions, of which the second is before `end`. */
function sameBytes(one: usize, other: usize, end: usize): u32 {
  const start = other;
  while (other + 8 <= end) {
    const difference = load<u64>(one) ^ load<u64>(other);
    if (difference != 0) return <u32>(other - start + <usize>(ctz(difference) >> 3));
    one += 8;
    other += 8;
  }
  while (other < end && load<u8>(one) == load<u8>(other)) {
    one++;
    other++;
  }
  return <u32>(other - start);
}

function compressBlock(block: usize, end: usize): void {
  memory.fill(table, 0, 2 << TABLE_BITS);
  let literal = block;
  // Matches are not looked for at the very end, so that words can be read.
  const last = end - block < 15 ? block : end - 15;
  let at = block + 1;
  let misses: u32 = 32;
  while (at < last) {
    const word = load<u32>(at);
    const slot = table + hashOf(word);
    const before = block + load<u16>(slot);
    store<u16>(slot, <u16>(at - block));
    if (load<u32>(before) != word || before >= at) {
      at += misses >> 5;
      misses++;
      continue;
    }
    if (at > literal) putLiteral(literal, <u32>(at - literal));
    const length = 4 + sameBytes(before + 4, at + 4, end);
    putCopy(<u32>(at - before), length);
    at += length;
    literal = at;
    misses = 32;
    if (at < last) store<u16>(table + hashOf(load<u32>(at - 1)), <u16>(at - 1 - block));
  }
  if (end > literal) putLiteral(literal, <u32>(end - literal));
}

/** Compresses a region. */
export function snappyCompress(from: usize, length: u32, target: Buffer): void {
  // The most that it can take, by the description of the format.
  renew(target, 32 + <usize>length + <usize>length / 6);
  to = target.at;
  let left = length;
  while (left >= 0x80) {
    store<u8>(to++, <u8>(left | 0x80));
    left >>= 7;
  }
  store<u8>(to++, <u8>left);
  for (let done: u32 = 0; done < length; ) {
    const size = min<u32>(BLOCK, length - done);
    compressBlock(from + done, from + done + size);
    done += size;
  }
  target.used = to - target.at;
}
