// Sixteen bytes at once: which of them belong to words or tokens, and their letters in lowercase.

export const BLANK: u32 = 0x20;
export const LANES: u32 = 16;

/** 255 in each lane that lies in [first, first + count). */
function lanesFrom(bytes: v128, first: u32, count: u32): v128 {
  return i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(<i8>first)), i8x16.splat(<i8>count));
}

/** Converts ASCII letters to lowercase. */
export function lowercase(bytes: v128): v128 {
  return v128.or(bytes, v128.and(lanesFrom(bytes, 0x41, 26), i8x16.splat(0x20)));
}

/** Bytes of words: ASCII letters and digits, and all bytes beyond ASCII. */
export function wordLanes(bytes: v128): v128 {
  const letters = lanesFrom(v128.or(bytes, i8x16.splat(0x20)), 0x61, 26);
  const beyond = i8x16.lt_s(bytes, i8x16.splat(0));
  return v128.or(v128.or(letters, beyond), lanesFrom(bytes, 0x30, 10));
}

function blankLanes(bytes: v128): v128 {
  return v128.or(i8x16.eq(bytes, i8x16.splat(<i8>BLANK)), lanesFrom(bytes, 0x09, 5));
}

/**
 * Bytes of tokens: all except blanks, commas and square brackets, so that a JSON array of numbers is a list of tokens.
 */
export function tokenLanes(bytes: v128): v128 {
  const marks = v128.or(i8x16.eq(bytes, i8x16.splat(0x5b)), i8x16.eq(bytes, i8x16.splat(0x5d)));
  return v128.not(v128.or(v128.or(marks, i8x16.eq(bytes, i8x16.splat(0x2c))), blankLanes(bytes)));
}

export function isBlankByte(byte: u32): bool {
  return byte == BLANK || byte - 0x09 < 5;
}

/** An ASCII capital letter in lowercase, and any other byte unchanged. */
export function lowercaseByte(byte: u32): u32 {
  return byte - 0x41 < 26 ? byte | 0x20 : byte;
}
