// Winner sets (narang-2011, section 4) on the table of bands: an array entry with a bit for each set becomes one
// element for each pair of band and set. So sets need no memory of their own, and any table can hold them. Elements and
// verdicts come in groups with one of each band: first the group without a set, then one group per set.

import { GOLDEN, mix64 } from '../lib/random';

/**
 * Appends to the elements of `bands` bands, which belong to no set, the elements of the same bands in each of `sets`
 * sets.
 */
export function setElements(elements: u32, bands: u32, sets: u32): void {
  let target = elements + (bands << 3);
  for (let set: u32 = 1; set <= sets; set++) {
    for (let band: u32 = 0; band < bands; band++, target += 8) {
      store<u64>(target, mix64(load<u64>(elements + (band << 3)) + <u64>set * GOLDEN));
    }
  }
}

/** The group of verdicts, of `groups`, in which the most bands were seen; the first one if there are several. */
export function winningGroup(verdicts: u32, bands: u32, groups: u32): u32 {
  let winner: u32 = 0;
  let most: u32 = 0;
  for (let group: u32 = 0; group < groups; group++) {
    let seen: u32 = 0;
    for (let band: u32 = 0; band < bands; band++) seen += load<u8>(verdicts + group * bands + band);
    if (seen <= most) continue;
    most = seen;
    winner = group;
  }
  return winner;
}
