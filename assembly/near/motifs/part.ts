// What one thread finds of a block in its arrays, and hands to all others: for each record how many of its entries hold each
// set, and an event for each of its entries that an earlier record of the block shares.

import { MOTIFS_BLOCK } from './settings';

/** Counts of a record: orphans and sets 1 to 7 a byte each, then sets 8 to 15. */
const COUNTS_BYTES: u32 = 16;
const HEADS_OFFSET: u32 = MOTIFS_BLOCK * COUNTS_BYTES;
/** How many events there are, in four bytes of its own eight. */
const EVENTS_COUNT_OFFSET: u32 = HEADS_OFFSET + MOTIFS_BLOCK * 2;
/** Events are numbered from 1 on; number 0, with no bits, stands for none. */
const EVENTS_OFFSET: u32 = EVENTS_COUNT_OFFSET + 8;
/** Two bytes each: the entry's bits, the record that had the entry last, its event if any, the next event of the same record. */
const EVENT_BYTES: u32 = 8;

/** Bytes of a part with `hashes` arrays, whole lines. */
export function motifsPartBytes(hashes: u32): u32 {
  return (EVENTS_OFFSET + (1 + hashes * MOTIFS_BLOCK) * EVENT_BYTES + 63) & ~63;
}

export function clearPart(part: u32): void {
  memory.fill(part, 0, EVENTS_OFFSET + EVENT_BYTES);
}

/** Copies what is in use of a part: one stretch, which comes faster from another processor's cache than event by event. */
export function copyPart(to: u32, from: u32): void {
  memory.copy(to, from, EVENTS_OFFSET + (1 + load<u32>(from, EVENTS_COUNT_OFFSET)) * EVENT_BYTES);
}

export function countsOf(part: u32, record: u32): u32 {
  return part + record * COUNTS_BYTES;
}

/** Notes that an entry of the record was last that of `lastRecord`, in its event `lastEvent` if that is not 0; returns the number. */
export function addEvent(part: u32, record: u32, entry: u32, lastRecord: u32, lastEvent: u32): u32 {
  const number = load<u32>(part, EVENTS_COUNT_OFFSET) + 1;
  store<u32>(part, number, EVENTS_COUNT_OFFSET);
  const event = eventAt(part, number);
  const head = part + HEADS_OFFSET + (record << 1);
  store<u16>(event, <u16>entry);
  store<u16>(event, <u16>lastRecord, 2);
  store<u16>(event, <u16>lastEvent, 4);
  store<u16>(event, load<u16>(head), 6);
  store<u16>(head, <u16>number);
  return number;
}

/** Number of the first event of a record; 0 for none. */
export function firstEvent(part: u32, record: u32): u32 {
  return load<u16>(part + HEADS_OFFSET + (record << 1));
}

/** Where an event lies, which the functions below read and write. */
export function eventAt(part: u32, number: u32): u32 {
  return part + EVENTS_OFFSET + number * EVENT_BYTES;
}

export function eventEntry(event: u32): u32 {
  return load<u16>(event);
}

export function setEventEntry(event: u32, entry: u32): void {
  store<u16>(event, <u16>entry);
}

export function eventLastRecord(event: u32): u32 {
  return load<u16>(event, 2);
}

export function eventLastEvent(event: u32): u32 {
  return load<u16>(event, 4);
}

export function eventNext(event: u32): u32 {
  return load<u16>(event, 6);
}
