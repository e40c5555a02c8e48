// Groups of successive bytes or pockets, of 2^bits each. The last group also has the rest.

/** The number of the last group. */
export function lastGroupOf(total: u32, bits: u32): u32 {
  return max<u32>(1, total >> bits) - 1;
}

/** The number of the group that has number `index`. */
export function groupOf(index: u32, bits: u32, lastGroup: u32): u32 {
  return min(index >> bits, lastGroup);
}
