// Bytes of a region, sixteen at a time.

export const QUOTE: u32 = 0x22;

/** The number of occurrences of a byte in [position, end). */
export function countByte(position: u32, end: u32, byte: u32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  let count: u32 = 0;
  let at = position;
  for (; end - at >= 16; at += 16) count += popcnt(i8x16.bitmask(i8x16.eq(v128.load(at), wanted)));
  for (; at < end; at++) count += u32(load<u8>(at) == byte);
  return count;
}
