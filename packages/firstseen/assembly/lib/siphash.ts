// SipHash-2-4 as Aumasson and Bernstein define it ("SipHash: a fast short-input PRF", INDOCRYPT 2012, section 2). Without its 128-bit
// key, its values cannot be distinguished from random ones. One call takes the whole key, so a key can never be hashed in pieces.

const INITIAL_0: u64 = 0x736f6d6570736575;
const INITIAL_1: u64 = 0x646f72616e646f6d;
const INITIAL_2: u64 = 0x6c7967656e657261;
const INITIAL_3: u64 = 0x7465646279746573;

/** The constant that the output of 64 bits adds to v2 before its last rounds. */
const FINALIZATION: u64 = 0xff;
/**
 * The constant that the output of 128 bits adds to v1 at the beginning, and to v2 before its last rounds, in the
 * authors' implementation (github.com/veorq/SipHash, siphash.c). It separates the two outputs under one key.
 */
const WIDE: u64 = 0xee;
/** Two compression rounds for the last word, then four of finalization. */
const LAST_ROUNDS: u32 = 6;

/** The bytes after the last whole word, with the length modulo 256 in the top byte. */
function lastWord(wordsEnd: u32, length: u32): u64 {
  let word = (<u64>length) << 56;
  for (let i: u32 = 0; i < (length & 7); i++) word |= (<u64>load<u8>(wordsEnd + i)) << (i << 3);
  return word;
}

/** SipHash-2-4 of `length` bytes at `offset`, keyed with the two words. */
export function siphash(offset: u32, length: u32, key0: u64, key1: u64): u64 {
  return firstWord(offset, length, key0, key1, 0, FINALIZATION);
}

/**
 * The first half of SipHash-2-4 with an output of 128 bits. To anyone without the key, its values are
 * independent of those of `siphash`.
 */
export function siphashWide(offset: u32, length: u32, key0: u64, key1: u64): u64 {
  return firstWord(offset, length, key0, key1, WIDE, WIDE);
}

/** The first word of an output. `beginning` and `finalization` decide its length. */
function firstWord(offset: u32, length: u32, key0: u64, key1: u64, beginning: u64, finalization: u64): u64 {
  let v0 = key0 ^ INITIAL_0;
  let v1 = key1 ^ INITIAL_1 ^ beginning;
  let v2 = key0 ^ INITIAL_2;
  let v3 = key1 ^ INITIAL_3;
  const wordsEnd = offset + (length & ~7);
  for (let at = offset; at < wordsEnd; at += 8) {
    const word = load<u64>(at);
    v3 ^= word;
    // Both rounds are unrolled: a loop would take half as long again.
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
    v0 ^= word;
  }
  const last = lastWord(wordsEnd, length);
  v3 ^= last;
  for (let round: u32 = 0; round < LAST_ROUNDS; round++) {
    if (round == 2) {
      v0 ^= last;
      v2 ^= finalization;
    }
    v0 += v1;
    v1 = rotl<u64>(v1, 13) ^ v0;
    v0 = rotl<u64>(v0, 32);
    v2 += v3;
    v3 = rotl<u64>(v3, 16) ^ v2;
    v0 += v3;
    v3 = rotl<u64>(v3, 21) ^ v0;
    v2 += v1;
    v1 = rotl<u64>(v1, 17) ^ v2;
    v2 = rotl<u64>(v2, 32);
  }
  return v0 ^ v1 ^ v2 ^ v3;
}
