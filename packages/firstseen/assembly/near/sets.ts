// Winner sets (narang-2011, section 4) over the table of bands: an entry of an array with a bit for each set becomes an element for
// each pair of band and set. So sets need no memory of their own, and any table serves them. Elements and verdicts come in groups, one
// for each band in it: those of no set first, then set after set.

import { GOLDEN, mix64 } from '../lib/random';

/** Stores behind the elements of `bands` bands, of no set, those of the same bands in each of `sets` sets. */
export function setElements(elements: u32, bands: u32, sets: u32): void {
  let target = elements + (bands << 3);
  for (let set: u32 = 1; set <= sets; set++) {
    for (let band: u32 = 0; band < bands; band++, target += 8) {
      store<u64>(target, mix64(load<u64>(elements + (band << 3)) + <u64>set * GOLDEN));
    }
  }
}

/** The group, of `groups` groups of verdicts, in which most bands were seen; the first of several. */
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
