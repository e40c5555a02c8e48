// The result of one thread for a block and its arrays, which all other threads read: for each record, how many of its
// entries contain each set; and for each of its entries that a later record of the block shares, a link to the next
// such record.

import { MOTIFS_BLOCK } from './settings';

/** Counts of a record: orphans and sets 1 to 7, one byte each, then sets 8 to 15. */
const COUNTS_BYTES: u32 = 16;
/** Head of a record: the bits that it may set for later records, and its first link. */
const HEAD_BYTES: u32 = 4;
const HEADS_OFFSET: u32 = MOTIFS_BLOCK * COUNTS_BYTES;
/** The number of links: four bytes in a field of eight. */
const LINKS_COUNT_OFFSET: u32 = HEADS_OFFSET + MOTIFS_BLOCK * HEAD_BYTES;
/** Links are numbered from 1. Number 0 means none; its memory may be written to. */
const LINKS_OFFSET: u32 = LINKS_COUNT_OFFSET + 8;
/**
 * Two bytes each: the bits of the entry, the later record, the earlier record's next link, the next link of the same
 * entry.
 */
const LINK_BYTES: u32 = 8;

/** Bytes of a part with `hashes` arrays, in whole cache lines. */
export function motifsPartBytes(hashes: u32): u32 {
  return (LINKS_OFFSET + (1 + hashes * MOTIFS_BLOCK) * LINK_BYTES + 63) & ~63;
}

export function clearPart(part: u32): void {
  memory.fill(part, 0, LINKS_OFFSET);
}

/**
 * Copies the used bytes of a part at once, which is faster than reading link by link from another processor's cache.
 */
export function copyPart(to: u32, from: u32): void {
  memory.copy(to, from, LINKS_OFFSET + (1 + load<u32>(from, LINKS_COUNT_OFFSET)) * LINK_BYTES);
}

export function countsOf(part: u32, record: u32): u32 {
  return part + record * COUNTS_BYTES;
}

function headOf(part: u32, record: u32): u32 {
  return part + HEADS_OFFSET + record * HEAD_BYTES;
}

function linkAt(part: u32, number: u32): u32 {
  return part + LINKS_OFFSET + number * LINK_BYTES;
}

/**
 * Records that two records of the block share an entry, which lacks the bits `lacking`, and that none between them
 * does. `before` is the link of the same entry that ends at the earlier record, or 0. Returns the number of the new
 * link.
 */
export function addLink(part: u32, earlier: u32, later: u32, before: u32, entry: u32, lacking: u32): u32 {
  const number = load<u32>(part, LINKS_COUNT_OFFSET) + 1;
  store<u32>(part, number, LINKS_COUNT_OFFSET);
  const link = linkAt(part, number);
  const head = headOf(part, earlier);
  store<u16>(link, <u16>entry);
  store<u16>(link, <u16>later, 2);
  store<u16>(link, load<u16>(head, 2), 4);
  store<u16>(link, 0, 6);
  store<u16>(head, <u16>(load<u16>(head) | lacking));
  store<u16>(head, <u16>number, 2);
  store<u16>(linkAt(part, before), <u16>number, 6);
  return number;
}

/** The bits that some entry of the record lacked before the block, among the entries shared with a later record. */
export function lackingBits(part: u32, record: u32): u32 {
  return load<u16>(headOf(part, record));
}

/** The first link of a record. `nextLink` and `laterLink` return the links that follow, or 0. */
export function firstLink(part: u32, record: u32): u32 {
  return load<u16>(headOf(part, record), 2);
}

export function linkEntry(part: u32, number: u32): u32 {
  return load<u16>(linkAt(part, number));
}

export function setLinkEntry(part: u32, number: u32, entry: u32): void {
  store<u16>(linkAt(part, number), <u16>entry);
}

/** The record that a link points to. */
export function linkedRecord(part: u32, number: u32): u32 {
  return load<u16>(linkAt(part, number), 2);
}

/** The next link from the same record. */
export function nextLink(part: u32, number: u32): u32 {
  return load<u16>(linkAt(part, number), 4);
}

/** The link of the same entry that continues from the linked record. */
export function laterLink(part: u32, number: u32): u32 {
  return load<u16>(linkAt(part, number), 6);
}
