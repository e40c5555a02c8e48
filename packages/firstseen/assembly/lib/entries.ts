// A buffer of whole fingerprints with a hash index: separate chaining (Knuth, volume 3, section 6.4) with as many
// chains as there are entries, in the detector's fixed memory. The cells hold the heads of the chains, then the entries
// in sequence. Entries never move.
//
//   head   u32   the first entry of the chain, 0 for none
//   entry  key   the upper 64 or 32 bits of the element's hash
//          u32   the next entry of the chain; the top bit belongs to the replacement policy
//          ...   what the replacement policy stores for the entry
//
// Entries are numbered from 1, so that zeroed memory is an empty buffer.

import { cellsOffset, FAMILY_PARAMETER, FAMILY_REGISTER, parameter, register, setRegister } from './memory';

/** Slots of the parameters of a buffer. */
export const BUFFER_REPLACEMENT_PARAMETER: u32 = FAMILY_PARAMETER;
export const BUFFER_KEY_BYTES_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const BUFFER_ENTRIES_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const BUFFER_MILESTONES_PARAMETER: u32 = FAMILY_PARAMETER + 3;

/** Replacements. */
export const BUFFER_LRU: u32 = 0;
export const BUFFER_CLOCK: u32 = 1;

export const NO_ENTRY: u32 = 0;
export const LINK_BYTES: u32 = 4;
/**
 * The bit of a link that belongs to the replacement policy. It is free: an entry has at least twelve bytes, so there
 * are fewer than 2^29.
 */
const MARK: u32 = 0x80000000;

/** Register: the number of entries in use. They are the entries 1 to that number. */
const HELD: u32 = FAMILY_REGISTER;

export let capacity: u32 = 0;
let heads: u32 = 0;
/** The address that entry 0 would have. */
let entries: u32 = 0;
let entryBytes: u32 = 0;
let keyBytes: u32 = 0;
/** The empty link at which the last unsuccessful search ended. */
let endLink: u32 = 0;

/** Lays out the cells for entries with `replacementBytes` bytes after the link for the replacement policy. */
export function configureEntries(replacementBytes: u32): void {
  keyBytes = <u32>parameter(BUFFER_KEY_BYTES_PARAMETER);
  capacity = <u32>parameter(BUFFER_ENTRIES_PARAMETER);
  entryBytes = keyBytes + LINK_BYTES + replacementBytes;
  heads = cellsOffset();
  entries = heads + capacity * LINK_BYTES - entryBytes;
}

export function heldEntries(): u32 {
  return <u32>register(HELD);
}

function entryAt(entry: u32): u32 {
  return entries + entry * entryBytes;
}

/** The address of the first byte after the entries. */
export function behindEntries(): u32 {
  return entryAt(capacity + 1);
}

/** The address of an entry's link; the bytes of the replacement policy follow it. */
export function linkOf(entry: u32): u32 {
  return entryAt(entry) + keyBytes;
}

function linked(link: u32): u32 {
  return load<u32>(link) & ~MARK;
}

function setLinked(link: u32, entry: u32): void {
  store<u32>(link, (load<u32>(link) & MARK) | entry);
}

export function isMarked(entry: u32): bool {
  return (load<u32>(linkOf(entry)) & MARK) != 0;
}

export function mark(entry: u32): void {
  store<u32>(linkOf(entry), load<u32>(linkOf(entry)) | MARK);
}

export function unmark(entry: u32): void {
  store<u32>(linkOf(entry), load<u32>(linkOf(entry)) & ~MARK);
}

function keyOf(hash: u64): u64 {
  return keyBytes == 8 ? hash : hash >> 32;
}

function keyAt(entry: u32): u64 {
  return keyBytes == 8 ? load<u64>(entryAt(entry)) : <u64>load<u32>(entryAt(entry));
}

/** The address of the chain head for the upper 32 bits of a hash, which every key contains. */
function headOf(upper: u64): u32 {
  return heads + <u32>((upper * <u64>capacity) >> 32) * LINK_BYTES;
}

export function headOfHash(hash: u64): u32 {
  return headOf(hash >> 32);
}

export function headOfEntry(entry: u32): u32 {
  const key = keyAt(entry);
  return headOf(keyBytes == 8 ? key >> 32 : key);
}

/**
 * The first address that a search from `head` reads: the first entry of the chain, or `head` itself if the chain is
 * empty.
 */
export function firstRead(head: u32): u32 {
  const entry = linked(head);
  return entry == NO_ENTRY ? head : entryAt(entry);
}

/** The link of the entry that `link` points to; `link` itself if it points to none. */
export function nextLink(link: u32): u32 {
  const entry = linked(link);
  return select(link, linkOf(entry), entry == NO_ENTRY);
}

/** Loads the key before a link; it can be in a different cache line from the link. */
export function touchKey(link: u32): u32 {
  return load<u32>(link - keyBytes);
}

/** The entry of an element in the chain of `head`, or NO_ENTRY. */
export function findEntry(head: u32, hash: u64): u32 {
  const key = keyOf(hash);
  let link = head;
  for (let entry = linked(link); entry != NO_ENTRY; entry = linked(link)) {
    if (keyAt(entry) == key) return entry;
    link = linkOf(entry);
  }
  endLink = link;
  return NO_ENTRY;
}

/** Takes an entry that is not in use. There must be one. */
export function takeEntry(): u32 {
  const entry = heldEntries() + 1;
  setRegister(HELD, entry);
  return entry;
}

/** Removes an entry from its chain. */
export function unlinkEntry(entry: u32): void {
  let link = headOfEntry(entry);
  while (linked(link) != entry) link = linkOf(linked(link));
  setLinked(link, linked(linkOf(entry)));
  if (endLink == linkOf(entry)) endLink = link;
}

/**
 * Assigns an entry that is in no chain to an element, and appends it to the chain where the search for the element
 * ended. Older entries therefore come before newer ones in a chain, and the search for a victim ends early.
 */
export function linkEntry(entry: u32, hash: u64): void {
  if (keyBytes == 8) store<u64>(entryAt(entry), hash);
  else store<u32>(entryAt(entry), <u32>(hash >> 32));
  setLinked(linkOf(entry), NO_ENTRY);
  setLinked(endLink, entry);
}

/** Fraction of the entries in use. */
export function entriesLoad(): f64 {
  return <f64>heldEntries() / <f64>capacity;
}

export function isEntry(entry: u64): bool {
  return entry != NO_ENTRY && entry <= register(HELD);
}

/**
 * Tells if each entry in use is in the chain of its own key exactly once, and no chain holds any other entry. A cyclic
 * chain would count more entries than are in use.
 */
export function chainsAreValid(): bool {
  if (register(HELD) > <u64>capacity) return false;
  let found: u32 = 0;
  for (let head = heads; head < heads + capacity * LINK_BYTES; head += LINK_BYTES) {
    if (load<u32>(head) & MARK) return false;
    for (let entry = linked(head); entry != NO_ENTRY; entry = linked(linkOf(entry))) {
      if (!isEntry(entry) || headOfEntry(entry) != head || ++found > heldEntries()) return false;
    }
  }
  return found == heldEntries();
}
