// What one thread finds of a block in its arrays, and hands to all others: for each record how many of its entries hold each
// set, and of the entries that several records of the block share, which records those are.

import { MOTIFS_BLOCK } from './settings';

/** Counts of a record: orphans and sets 1 to 7 a byte each, then sets 8 to 15. */
const COUNTS_BYTES: u32 = 16;
const EVENTS_OFFSET: u32 = MOTIFS_BLOCK * (COUNTS_BYTES + 4);
/** Cell, the bits its entry had before the block, the next event of the same record. */
const EVENT_BYTES: u32 = 8;

/** A cell is an entry that at least two records of a block share: one array has at most so many. */
export const CELLS_OF_ARRAY: u32 = MOTIFS_BLOCK / 2;

/** Bytes of a part with `hashes` arrays. */
export function motifsPartBytes(hashes: u32): u32 {
  return EVENTS_OFFSET + hashes * MOTIFS_BLOCK * EVENT_BYTES;
}

export function countsOf(part: u32, record: u32): u32 {
  return part + record * COUNTS_BYTES;
}

/** Where the first event of a record is named: 1 + its number, or 0. */
function headOf(part: u32, record: u32): u32 {
  return part + MOTIFS_BLOCK * COUNTS_BYTES + (record << 2);
}

export function clearPart(part: u32): void {
  memory.fill(part, 0, EVENTS_OFFSET);
}

/** Notes that an entry of the record is that of the cell. Events are numbered from 1 on. */
export function addEvent(part: u32, number: u32, record: u32, cell: u32, entry: u32): void {
  const event = eventAt(part, number);
  const head = headOf(part, record);
  store<u16>(event, <u16>cell);
  store<u16>(event, <u16>entry, 2);
  store<u32>(event, load<u32>(head), 4);
  store<u32>(head, number);
}

/** Number of the first event of a record; 0 for none. */
export function firstEvent(part: u32, record: u32): u32 {
  return load<u32>(headOf(part, record));
}

/** Where an event lies: `eventCell`, `eventEntry` and `eventNext` read it. */
export function eventAt(part: u32, number: u32): u32 {
  return part + EVENTS_OFFSET + (number - 1) * EVENT_BYTES;
}

export function eventCell(event: u32): u32 {
  return load<u16>(event);
}

export function eventEntry(event: u32): u32 {
  return load<u16>(event, 2);
}

export function eventNext(event: u32): u32 {
  return load<u32>(event, 4);
}
