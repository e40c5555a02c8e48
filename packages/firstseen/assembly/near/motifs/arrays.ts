// The k arrays (narang-2011, section 4), each with 2^l' entries. An entry is a Bloom bit and r bits of set membership.
// The Bloom bit means that some record reached this entry, a set's bit that one of the set's records did. With the
// rules of the paper every record joins a set, and the Bloom bit is the union of the others. With the rule `confirmed`
// an entry can have the Bloom bit alone.

import { addLink, clearPart, countsOf } from './part';
import { arrayOffset, blockBits, entryBitsLog, SHARED_SLOTS, sets, sharedTable, spreadTable } from './settings';

/** An entry that only records without a set have reached. */
const ORPHAN: u32 = 1;
const LINK_SHIFT: u32 = 16;
/** 2^32 divided by the golden ratio: the upper bits of the product depend on all bits of the address. */
const SCATTER: u32 = 0x9e3779b1;

/** Spreads eight bits over eight bytes, so that one addition counts for all sets. Byte 0 counts orphans. */
export function fillSpreadTable(): void {
  for (let bits: u32 = 0; bits < 256; bits++) {
    let counts: u64 = bits == ORPHAN ? 1 : 0;
    for (let bit: u32 = 1; bit < 8; bit++) counts |= (<u64>((bits >> bit) & 1)) << (bit << 3);
    store<u64>(spreadTable + (bits << 3), counts);
  }
}

/** Returns the numbers that an entry adds to the counts of orphans and of sets 1 to 7. */
export function lowCounts(entry: u32): u64 {
  const counts = load<u64>(spreadTable + ((entry & 255) << 3));
  return counts - <u64>(entry > 255 && (entry & 255) == ORPHAN);
}

/**
 * Returns the numbers that an entry adds to the counts of sets 8 to 15: bit 8 of the entry counts in byte 0, which does
 * not count orphans here.
 */
export function highCounts(entry: u32): u64 {
  const high = entry >> 8;
  return load<u64>(spreadTable + ((high & 254) << 3)) | <u64>(high & 1);
}

/** The address of the byte that contains an entry, or of the 16-bit word for an entry of 16 bits. */
function entryAddress<Word>(array: u32, address: u32): u32 {
  if (sizeof<Word>() == 2) return array + (address << 1);
  return array + (address >> (3 - entryBitsLog));
}

/** The first bit of an entry in its byte. */
function shift<Word>(address: u32): u32 {
  if (sizeof<Word>() == 2) return 0;
  return (address << entryBitsLog) & 7;
}

/** Loads every entry once and does nothing else, so that as many cache misses overlap as the processor allows. */
function touch<Word>(array: u32, addresses: u32, count: u32): void {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < count; i++) sum += load<Word>(entryAddress<Word>(array, load<u32>(addresses + (i << 2))));
  // The sum is stored because the compiler removes unused loads.
  store<u32>(sharedTable, sum);
}

/** The slot of an address in the table of shared entries, found or free: linear probing by the address. */
function sharedSlot(addresses: u32, address: u32): u32 {
  let slot = (address * SCATTER) >> 16;
  for (;;) {
    slot &= SHARED_SLOTS - 1;
    const found = load<u32>(sharedTable + (slot << 2)) & 0xffff;
    if (found == 0 || load<u32>(addresses + ((found - 1) << 2)) == address) break;
    slot++;
  }
  return sharedTable + (slot << 2);
}

/** Links the record to the last one of the block with the same address. */
function noteShared(part: u32, addresses: u32, record: u32, entry: u32, lacking: u32): void {
  const slot = sharedSlot(addresses, load<u32>(addresses + (record << 2)));
  const known = load<u32>(slot);
  const last = (known & 0xffff) - 1;
  const link = known == 0 ? 0 : addLink(part, last, record, known >> LINK_SHIFT, entry, lacking);
  store<u32>(slot, (record + 1) | (link << LINK_SHIFT));
}

function countArray<Word>(array: u32, part: u32, addresses: u32, count: u32): void {
  touch<Word>(array, addresses, count);
  memory.fill(sharedTable, 0, SHARED_SLOTS << 2);
  const full: u32 = (2 << sets) - 1;
  for (let i: u32 = 0; i < count; i++) {
    const address = load<u32>(addresses + (i << 2));
    const entry = (<u32>load<Word>(entryAddress<Word>(array, address)) >> shift<Word>(address)) & full;
    const counts = countsOf(part, i);
    store<u64>(counts, load<u64>(counts) + lowCounts(entry));
    if (sizeof<Word>() == 2) store<u64>(counts, load<u64>(counts, 8) + highCounts(entry), 8);
    // A full entry is the same for every record of the block.
    if (entry != full) noteShared(part, addresses, i, entry, full & ~entry);
  }
}

/**
 * Counts, for `count` records of a block, the sets in the arrays [from, to). `addresses` are those of hash 0; those of
 * the next hash follow `rowBytes` later. The counts and links go to `part`.
 */
export function motifsCount(from: u32, to: u32, addresses: u32, rowBytes: u32, count: u32, part: u32): void {
  clearPart(part);
  for (let hash = from; hash < to; hash++) {
    const row = addresses + hash * rowBytes;
    if (entryBitsLog == 4) countArray<u16>(arrayOffset(hash), part, row, count);
    else countArray<u8>(arrayOffset(hash), part, row, count);
  }
}

function applyArray<Word>(array: u32, addresses: u32, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const address = load<u32>(addresses + (i << 2));
    const at = entryAddress<Word>(array, address);
    const bits = (<u32>load<u16>(blockBits + (i << 1))) << shift<Word>(address);
    const word = <u32>load<Word>(at);
    // An unchanged cache line does not have to be written back.
    if ((word | bits) != word) store<Word>(at, <Word>(word | bits));
  }
}

/** Sets in the arrays [from, to) the bits that `motifsDecide` chose for the records of the block. */
export function motifsApply(from: u32, to: u32, addresses: u32, rowBytes: u32, count: u32): void {
  for (let hash = from; hash < to; hash++) {
    const row = addresses + hash * rowBytes;
    if (entryBitsLog == 4) applyArray<u16>(arrayOffset(hash), row, count);
    else applyArray<u8>(arrayOffset(hash), row, count);
  }
}
