// Bytes of a region, sixteen at a time.

export const QUOTE: u32 = 0x22;

/** The first of up to 16 bytes at `at` whose bit is set in `mask`, but at most `end`. */
export function firstMarked(at: u32, end: u32, mask: u32): u32 {
  return min(at + <u32>ctz(mask), end);
}

/** The address of the first such byte in [position, end), or `end`. Up to 15 bytes after `end` may be read. */
export function findByte(position: u32, end: u32, byte: u32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  for (let at = position; at < end; at += 16) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (mask) return firstMarked(at, end, mask);
  }
  return end;
}

/** The number of occurrences of a byte in [position, end). */
export function countByte(position: u32, end: u32, byte: u32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  let count: u32 = 0;
  let at = position;
  for (; end - at >= 16; at += 16) count += popcnt(i8x16.bitmask(i8x16.eq(v128.load(at), wanted)));
  for (; at < end; at++) count += u32(load<u8>(at) == byte);
  return count;
}
