// Single bits and counts of set bits. Bit b of a region is bit (b & 63) of its 64-bit word (b >> 6).

export function bitAt(word: u32, bit: u32): u32 {
  return <u32>(load<u64>(word) >> <u64>bit) & 1;
}

/** Sets the bit if `change` is 1; does nothing if it is 0. */
export function setBitIf(word: u32, bit: u32, change: u32): void {
  store<u64>(word, load<u64>(word) | ((<u64>change) << (<u64>bit)));
}

/** Clears the bit if `change` is 1; does nothing if it is 0. */
export function clearBitIf(word: u32, bit: u32, change: u32): void {
  store<u64>(word, load<u64>(word) & ~((<u64>change) << (<u64>bit)));
}

export function countOnes(offset: u32, words: u32): u64 {
  let ones: u64 = 0;
  for (let i: u32 = 0; i < words; i++) ones += popcnt(load<u64>(offset + (i << 3)));
  return ones;
}

/** A mask of the bits [from, to) of one word; 0 <= from < to <= 64. */
export function maskBetween(from: u32, to: u32): u64 {
  return (~(<u64>0) >> <u64>(64 - (to - from))) << (<u64>from);
}

/** Clears the first set bit at or after `from` in the bits [from, to) of a region; false if none is set. */
export function clearFirstSet(offset: u32, from: u64, to: u64): bool {
  for (let bit = from; bit < to; ) {
    const wordEnd = min((bit | 63) + 1, to);
    const at = offset + ((<u32>(bit >> 6)) << 3);
    const word = load<u64>(at);
    const found = word & maskBetween(<u32>bit & 63, (<u32>(wordEnd - 1) & 63) + 1);
    if (found) {
      store<u64>(at, word & ~(found & -found));
      return true;
    }
    bit = wordEnd;
  }
  return false;
}
