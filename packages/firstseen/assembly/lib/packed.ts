// Packed slots of up to 32 bits without gaps. Bit b of a region is bit (b & 63) of its 64-bit word (b >> 6).

/** Reads the slot of `bits` bits that starts at bit `bit` of the words from `word` on. */
export function packedSlot(word: u32, bit: u32, bits: u32): u32 {
  const at = word + ((bit >> 6) << 3);
  const shift = bit & 63;
  let value = load<u64>(at) >> <u64>shift;
  if (shift + bits > 64) value |= load<u64>(at, 8) << (<u64>(64 - shift));
  return <u32>(value & (~(<u64>0) >> <u64>(64 - bits)));
}

/** Writes a slot as `packedSlot` reads it. The value must fit in `bits` bits. */
export function setPackedSlot(word: u32, bit: u32, bits: u32, value: u32): void {
  const at = word + ((bit >> 6) << 3);
  const shift = bit & 63;
  const ones = ~(<u64>0) >> <u64>(64 - bits);
  store<u64>(at, (load<u64>(at) & ~(ones << (<u64>shift))) | ((<u64>value) << (<u64>shift)));
  if (shift + bits <= 64) return;
  const rest = <u64>(64 - shift);
  store<u64>(at, (load<u64>(at, 8) & ~(ones >> rest)) | (<u64>value >> rest), 8);
}
