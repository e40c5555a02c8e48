// Pre-processing (narang-2011, section 5.1): a 128-bit digest of each record, and with it the exact repeats in a batch.

import { seed } from '../../lib/memory';
import { GOLDEN } from '../../lib/random';
import { xxh64 } from '../../lib/xxh64';
import { recordBytes } from './settings';

export const MOTIFS_DIGEST_BYTES: u32 = 16;

export function motifsDigest(records: u32, count: u32, digests: u32): void {
  const key = seed();
  for (let i: u32 = 0; i < count; i++) {
    const record = records + i * recordBytes;
    const digest = digests + i * MOTIFS_DIGEST_BYTES;
    store<u64>(digest, xxh64(record, recordBytes, key));
    store<u64>(digest, xxh64(record, recordBytes, key + GOLDEN), 8);
  }
}

/**
 * Finds, for each record [from, to) of a batch whose digest belongs to part `part` of `parts`, the first record of the
 * batch with the same digest, which can be the record itself; four bytes per record. `table` keeps the entries of
 * earlier calls for the batch: 1 + record in each of `slots` slots, 0 in an empty one. `slots` is a power of two and
 * larger than the number of records.
 */
export function motifsRepeats(
  digests: u32,
  from: u32,
  to: u32,
  firsts: u32,
  table: u32,
  slots: u32,
  part: u32,
  parts: u32,
): void {
  for (let i = from; i < to; i++) {
    const low = load<u64>(digests + i * MOTIFS_DIGEST_BYTES);
    if (<u32>(low >> 32) % parts != part) continue;
    const high = load<u64>(digests + i * MOTIFS_DIGEST_BYTES, 8);
    let slot = <u32>low & (slots - 1);
    for (;;) {
      const found = load<u32>(table + (slot << 2));
      if (found == 0) {
        store<u32>(table + (slot << 2), i + 1);
        store<u32>(firsts + (i << 2), i);
        break;
      }
      const other = digests + (found - 1) * MOTIFS_DIGEST_BYTES;
      if (load<u64>(other) == low && load<u64>(other, 8) == high) {
        store<u32>(firsts + (i << 2), found - 1);
        break;
      }
      slot = (slot + 1) & (slots - 1);
    }
  }
}
