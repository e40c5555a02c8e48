// The entries of a buffer as a ring ordered by last use. The oldest follows the newest, so replacing the oldest turns
// the ring by one. The links of the ring follow those of the chains.

import { heldEntries, isEntry, LINK_BYTES, linkOf, NO_ENTRY } from './entries';
import { FAMILY_REGISTER, register, setRegister } from './memory';

export const RING_BYTES: u32 = 8;

/** Register: the most recently used entry. */
const NEWEST: u32 = FAMILY_REGISTER + 1;

/** The most recently used entry; NO_ENTRY if the buffer is empty. */
export function newestEntry(): u32 {
  return <u32>register(NEWEST);
}

/** The entry used next after this one; after the newest, the oldest. */
export function newerEntry(entry: u32): u32 {
  return load<u32>(linkOf(entry), LINK_BYTES);
}

function olderEntry(entry: u32): u32 {
  return load<u32>(linkOf(entry), LINK_BYTES + 4);
}

function join(older: u32, newer: u32): void {
  store<u32>(linkOf(older), newer, LINK_BYTES);
  store<u32>(linkOf(newer), older, LINK_BYTES + 4);
}

/** Inserts an entry that is not in the ring as the newest. */
export function enterRing(entry: u32): void {
  const newest = newestEntry();
  const oldest = newest == NO_ENTRY ? entry : newerEntry(newest);
  join(newest == NO_ENTRY ? entry : newest, entry);
  join(entry, oldest);
  setRegister(NEWEST, entry);
}

/** Makes an entry of the ring the newest. */
export function renewEntry(entry: u32): void {
  const newest = newestEntry();
  if (entry == newest) return;
  const oldest = newerEntry(newest);
  if (entry != oldest) {
    join(olderEntry(entry), newerEntry(entry));
    join(newest, entry);
    join(entry, oldest);
  }
  setRegister(NEWEST, entry);
}

/** Makes the oldest entry the newest, and returns it. */
export function turnRing(): u32 {
  const oldest = newerEntry(newestEntry());
  setRegister(NEWEST, oldest);
  return oldest;
}

/** Tells if a loaded ring is valid: it links all entries in use, and no others, in both directions. */
export function ringIsValid(): bool {
  if (heldEntries() == 0) return register(NEWEST) == NO_ENTRY;
  if (!isEntry(register(NEWEST))) return false;
  const newest = newestEntry();
  let entry = newest;
  let found: u32 = 0;
  do {
    const newer = newerEntry(entry);
    if (!isEntry(newer) || olderEntry(newer) != entry || ++found > heldEntries()) return false;
    entry = newer;
  } while (entry != newest);
  return found == heldEntries();
}
