// The entries of a run that spills, in memory and on disk (docs/decisions/029-spill.md): 16 bytes for each key.
//
// An entry is two words of 64 bits. The first is one hash of the key. The second has 24 bits of another hash above the
// number of the key, from 1, in 40 bits, so no entry is zero. The partition is the top bits of the other hash.

export const SPILL_ENTRY_BYTES: u32 = 16;
/** Bytes before the rank of an entry that has one. */
export const RANKED_ENTRY_BYTES: u32 = 24;
/** Bits of the number of a key. */
export const SPILL_NUMBER_BITS: u32 = 40;

export const NUMBER_MASK: u64 = (1 << 40) - 1;

export function isSameKey(slot: u32, first: u64, second: u64): bool {
  return load<u64>(slot) == first && (load<u64>(slot, 8) ^ second) >> SPILL_NUMBER_BITS == 0;
}

export function storeEntry(at: u32, first: u64, second: u64): void {
  store<u64>(at, first);
  store<u64>(at, second, 8);
}
