// Runs of repeated and of bit-packed numbers, in which Parquet stores levels and indices of dictionaries.

import { reasons, refuse } from './memory';

/** The position after the number that `varint` read last. */
export let varintEnd: usize = 0;

/** An unsigned number of seven bits a byte. */
export function varint(at: usize, end: usize): u64 {
  let number: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 7) {
    if (at >= end) refuse(reasons.RUNS);
    const byte = load<u8>(at++);
    number |= (<u64>(byte & 0x7f)) << shift;
    if (byte < 0x80) break;
  }
  varintEnd = at;
  return number;
}

function put<T>(target: usize, index: u32, value: u32): void {
  store<T>(target + <usize>index * sizeof<T>(), <T>value);
}

/** Writes `count` numbers of `width` bits as numbers of type T. */
function decode<T>(from: usize, end: usize, width: u32, count: u32, target: usize): void {
  const mask: u64 = ((<u64>1) << width) - 1;
  const runBytes = (width + 7) >> 3;
  let at = from;
  for (let done: u32 = 0; done < count; ) {
    const head = varint(at, end);
    at = varintEnd;
    const left = count - done;
    if ((head & 1) == 0) {
      if (at + runBytes > end || head == 0) refuse(reasons.RUNS);
      const value = <u32>(load<u64>(at) & (((<u64>1) << (runBytes << 3)) - 1));
      at += runBytes;
      const length = <u32>min<u64>(head >> 1, left);
      for (let i: u32 = 0; i < length; i++) put<T>(target, done + i, value);
      done += length;
      continue;
    }
    // The last run may be cut after its last number.
    const bytes = min<u64>((head >> 1) * width, end - at);
    const length = <u32>min<u64>((head >> 1) << 3, left);
    if (length == 0 || bytes << 3 < <u64>length * width) refuse(reasons.RUNS);
    let bit: u64 = 0;
    for (let i: u32 = 0; i < length; i++) {
      put<T>(target, done + i, <u32>((load<u64>(at + <usize>(bit >> 3)) >> (bit & 7)) & mask));
      bit += width;
    }
    at += <usize>bytes;
    done += length;
  }
}

/** Writes `count` numbers as bytes. */
export function decodeBytes(from: usize, end: usize, width: u32, count: u32, target: usize): void {
  decode<u8>(from, end, width, count, target);
}

/** Writes `count` numbers as numbers of 32 bits. */
export function decodeWords(from: usize, end: usize, width: u32, count: u32, target: usize): void {
  decode<u32>(from, end, width, count, target);
}

/** The bits of numbers up to `most`. */
export function widthOf(most: u32): u32 {
  return 32 - clz<u32>(most);
}
