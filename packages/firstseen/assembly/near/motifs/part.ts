// What one thread finds of a block in its arrays, and hands to all others: for each record how many of its entries hold each
// set, and a link to the next record of the block for each of its entries that a later one shares.

import { MOTIFS_BLOCK } from './settings';

/** Counts of a record: orphans and sets 1 to 7 a byte each, then sets 8 to 15. */
const COUNTS_BYTES: u32 = 16;
/** Of a record: the bits that it may set for later ones, and its first link. */
const HEAD_BYTES: u32 = 4;
const HEADS_OFFSET: u32 = MOTIFS_BLOCK * COUNTS_BYTES;
/** How many links there are, in four bytes of its own eight. */
const LINKS_COUNT_OFFSET: u32 = HEADS_OFFSET + MOTIFS_BLOCK * HEAD_BYTES;
/** Links are numbered from 1 on; number 0 stands for none, and may be written to as well. */
const LINKS_OFFSET: u32 = LINKS_COUNT_OFFSET + 8;
/** Two bytes each: the bits of the entry, the later record, the next link of the earlier one, the entry's link from the later one on. */
const LINK_BYTES: u32 = 8;

/** Bytes of a part with `hashes` arrays, whole lines. */
export function motifsPartBytes(hashes: u32): u32 {
  return (LINKS_OFFSET + (1 + hashes * MOTIFS_BLOCK) * LINK_BYTES + 63) & ~63;
}

export function clearPart(part: u32): void {
  memory.fill(part, 0, LINKS_OFFSET);
}

/** Copies what is in use of a part: one stretch, which comes faster from another processor's cache than link by link. */
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
 * Notes that two records of the block have an entry, which lacks the bits `lacking`, and none between them; `before` is the link
 * of the entry that ends at the earlier one, or 0. Returns the number of the link.
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

/** The bits that some entry of the record had not before the block, though a later record has the entry too. */
export function lackingBits(part: u32, record: u32): u32 {
  return load<u16>(headOf(part, record));
}

/** The first link of a record; `nextLink` and `laterLink` lead on from it, to 0 where there is none. */
export function firstLink(part: u32, record: u32): u32 {
  return load<u16>(headOf(part, record), 2);
}

export function linkEntry(part: u32, number: u32): u32 {
  return load<u16>(linkAt(part, number));
}

export function setLinkEntry(part: u32, number: u32, entry: u32): void {
  store<u16>(linkAt(part, number), <u16>entry);
}

/** The record that a link leads to. */
export function linkedRecord(part: u32, number: u32): u32 {
  return load<u16>(linkAt(part, number), 2);
}

/** The next link that leads from the same record. */
export function nextLink(part: u32, number: u32): u32 {
  return load<u16>(linkAt(part, number), 4);
}

/** The link of the same entry that leads on from the linked record. */
export function laterLink(part: u32, number: u32): u32 {
  return load<u16>(linkAt(part, number), 6);
}
