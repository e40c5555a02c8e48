// How much of the cells is looked at to tell something of all of them. Hashes spread the elements evenly, so the beginning of the cells is
// a fair sample. It has thousands of slots, and reading it takes microseconds.

/** Bytes of the sample. */
export const SAMPLE_BYTES: u32 = 1 << 14;

/** The number of units of a sample, out of all units of a size in bits. */
export function sampled(units: u64, unitBits: u64): u64 {
  return min(units, max<u64>(1, ((<u64>SAMPLE_BYTES) << 3) / unitBits));
}
