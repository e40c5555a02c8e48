// What one thread finds of a block in its arrays, and hands to all others: for each record how many of its entries hold each
// set, and an event for each of its entries that another record of the block shares.

import { MOTIFS_BLOCK } from './settings';

/** Counts of a record: orphans and sets 1 to 7 a byte each, then sets 8 to 15. */
const COUNTS_BYTES: u32 = 16;
/** Of a record: the bits that it may set for later ones, and its first event. */
const HEAD_BYTES: u32 = 4;
const HEADS_OFFSET: u32 = MOTIFS_BLOCK * COUNTS_BYTES;
/** How many events there are, in four bytes of its own eight. */
const EVENTS_COUNT_OFFSET: u32 = HEADS_OFFSET + MOTIFS_BLOCK * HEAD_BYTES;
/** Events are numbered from 1 on; 0 stands for none. */
const EVENTS_OFFSET: u32 = EVENTS_COUNT_OFFSET + 8;
/** Two bytes each: the bits of the entry, the record, its next event, the event of the next record with this entry. */
const EVENT_BYTES: u32 = 8;

/** Bytes of a part with `hashes` arrays, whole lines. */
export function motifsPartBytes(hashes: u32): u32 {
  return (EVENTS_OFFSET + hashes * MOTIFS_BLOCK * EVENT_BYTES + 63) & ~63;
}

export function clearPart(part: u32): void {
  memory.fill(part, 0, EVENTS_OFFSET);
}

/** Copies what is in use of a part: one stretch, which comes faster from another processor's cache than event by event. */
export function copyPart(to: u32, from: u32): void {
  memory.copy(to, from, EVENTS_OFFSET + load<u32>(from, EVENTS_COUNT_OFFSET) * EVENT_BYTES);
}

export function countsOf(part: u32, record: u32): u32 {
  return part + record * COUNTS_BYTES;
}

function headOf(part: u32, record: u32): u32 {
  return part + HEADS_OFFSET + record * HEAD_BYTES;
}

function eventAt(part: u32, number: u32): u32 {
  return part + EVENTS_OFFSET + (number - 1) * EVENT_BYTES;
}

/** Notes that the record has an entry which another record of the block has too; returns the number of the event. */
export function addEvent(part: u32, record: u32, entry: u32): u32 {
  const number = load<u32>(part, EVENTS_COUNT_OFFSET) + 1;
  store<u32>(part, number, EVENTS_COUNT_OFFSET);
  const event = eventAt(part, number);
  const head = headOf(part, record);
  store<u16>(event, <u16>entry);
  store<u16>(event, <u16>record, 2);
  store<u16>(event, load<u16>(head, 2), 4);
  store<u16>(event, 0, 6);
  store<u16>(head, <u16>number, 2);
  return number;
}

/** Notes that the entry of event `number`, which has not the bits `lacking`, is that of the later event `later` too. */
export function linkEvents(part: u32, number: u32, later: u32, lacking: u32): void {
  const event = eventAt(part, number);
  const head = headOf(part, eventRecord(part, number));
  store<u16>(event, <u16>later, 6);
  store<u16>(head, load<u16>(head) | <u16>lacking);
}

/** Of the bits, those that some entry of the record had not before the block, though a later record has the entry too. */
export function lackingBits(part: u32, record: u32): u32 {
  return load<u16>(headOf(part, record));
}

/** The first event of a record; `nextEvent` and `laterEvent` lead on from it, to 0 where there is none. */
export function firstEvent(part: u32, record: u32): u32 {
  return load<u16>(headOf(part, record), 2);
}

export function eventEntry(part: u32, number: u32): u32 {
  return load<u16>(eventAt(part, number));
}

export function setEventEntry(part: u32, number: u32, entry: u32): void {
  store<u16>(eventAt(part, number), <u16>entry);
}

export function eventRecord(part: u32, number: u32): u32 {
  return load<u16>(eventAt(part, number), 2);
}

/** Of the same record. */
export function nextEvent(part: u32, number: u32): u32 {
  return load<u16>(eventAt(part, number), 4);
}

/** Of the next record that has the entry. */
export function laterEvent(part: u32, number: u32): u32 {
  return load<u16>(eventAt(part, number), 6);
}
