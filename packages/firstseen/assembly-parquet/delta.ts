// The encodings of Parquet that store differences, written as plain values.

import { Buffer, reasons, refuse, reserve } from './memory';
import { varint, varintEnd } from './runs';

/** The most of a block, so that a damaged length is not taken for one. */
const MAX_BLOCK: u64 = 1 << 24;

function zigzag(number: u64): i64 {
  return <i64>(number >> 1) ^ -(<i64>(number & 1));
}

function unpacked(at: usize, bit: u64, width: u64): u64 {
  if (width == 0) return 0;
  const from = at + <usize>(bit >> 3);
  const shift = bit & 7;
  let number = load<u64>(from) >> shift;
  if (shift + width > 64) number |= (<u64>load<u8>(from + 8)) << (64 - shift);
  return width == 64 ? number : number & (((<u64>1) << width) - 1);
}

/** The number of values that `deltas` wrote last. */
export let deltaCount: u32 = 0;

/** Writes numbers of DELTA_BINARY_PACKED as those of 4 or 8 bytes, `most` at most, and returns the position after them. */
export function deltas(from: usize, end: usize, most: u32, target: Buffer, width: u32): usize {
  const blockSize = varint(from, end);
  const parts = varint(varintEnd, end);
  const count = varint(varintEnd, end);
  let value = zigzag(varint(varintEnd, end));
  let at = varintEnd;
  if (count > most || blockSize > MAX_BLOCK || parts == 0 || blockSize % parts != 0) refuse(reasons.DELTAS);
  const partSize = blockSize / parts;
  if (count > 1 && (partSize == 0 || (partSize & 7) != 0)) refuse(reasons.DELTAS);
  reserve(target, target.used + <usize>count * width);
  let to = target.at + target.used;
  target.used += <usize>count * width;
  deltaCount = <u32>count;
  for (let done: u64 = 0; done < count; ) {
    if (done == 0) {
      put(to, value, width);
      to += width;
      done = 1;
      continue;
    }
    const least = zigzag(varint(at, end));
    const widths = varintEnd;
    at = widths + <usize>parts;
    if (at > end) refuse(reasons.DELTAS);
    for (let part: u64 = 0; part < parts && done < count; part++) {
      const bits = <u64>load<u8>(widths + <usize>part);
      const length = min<u64>(partSize, count - done);
      if (bits > 64 || at + <usize>((length * bits + 7) >> 3) > end) refuse(reasons.DELTAS);
      for (let i: u64 = 0; i < length; i++) {
        value += least + <i64>unpacked(at, i * bits, bits);
        put(to, value, width);
        to += width;
      }
      at += <usize>min<u64>((partSize * bits) >> 3, end - at);
      done += length;
    }
  }
  return at;
}

function put(at: usize, value: i64, width: u32): void {
  if (width == 4) store<i32>(at, <i32>value);
  else store<i64>(at, value);
}

/** Writes byte arrays of DELTA_LENGTH_BYTE_ARRAY, each with its length before it. */
export function lengthsAndBytes(from: usize, end: usize, count: u32, scratch: Buffer, target: Buffer): void {
  scratch.used = 0;
  let at = deltas(from, end, count, scratch, 4);
  if (deltaCount != count) refuse(reasons.DELTAS);
  reserve(target, target.used + <usize>count * 4 + (end - at));
  for (let i: u32 = 0; i < count; i++) {
    const length = load<u32>(scratch.at + ((<usize>i) << 2));
    if (<usize>length > end - at) refuse(reasons.DELTAS);
    const to = target.at + target.used;
    store<u32>(to, length);
    memory.copy(to + 4, at, length);
    target.used += 4 + length;
    at += length;
  }
}

/** Writes byte arrays of DELTA_BYTE_ARRAY; of fixed length without their lengths. */
export function prefixesAndBytes(
  from: usize,
  end: usize,
  count: u32,
  width: u32,
  scratch: Buffer,
  target: Buffer,
): void {
  scratch.used = 0;
  let at = deltas(from, end, count, scratch, 4);
  if (deltaCount != count) refuse(reasons.DELTAS);
  at = deltas(at, end, count, scratch, 4);
  if (deltaCount != count) refuse(reasons.DELTAS);
  const head: u32 = width == 0 ? 4 : 0;
  let previous: usize = 0;
  let previousLength: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const prefix = load<u32>(scratch.at + ((<usize>i) << 2));
    const suffix = load<u32>(scratch.at + ((<usize>count + i) << 2));
    if (prefix > previousLength || <usize>suffix > end - at) refuse(reasons.DELTAS);
    const length = prefix + suffix;
    if (width != 0 && length != width) refuse(reasons.DELTAS);
    reserve(target, target.used + head + length);
    const to = target.at + target.used;
    if (head != 0) store<u32>(to, length);
    memory.copy(to + head, target.at + previous, prefix);
    memory.copy(to + head + prefix, at, suffix);
    at += suffix;
    previous = target.used + head;
    previousLength = length;
    target.used += head + length;
  }
}
