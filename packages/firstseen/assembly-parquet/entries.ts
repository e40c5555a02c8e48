// The dictionary of a column that is written: its entries in the order in which they come first.

import { Buffer, newBuffer, renew, reserve } from './memory';

const NONE: u32 = 0xffffffff;

@unmanaged
export class Entries {
  /** The entries as plain values, and the offset of each. */
  values: Buffer;
  offsets: Buffer;
  count: u32;
  /** Slots of a table of hashes, each with the number of an entry. */
  slots: Buffer;
  slotMask: u32;
  /** The numbers of the entries of the dictionary that is read. */
  numbers: Buffer;
}

export function newEntries(): Entries {
  const entries = changetype<Entries>(heap.alloc(offsetof<Entries>()));
  entries.values = newBuffer();
  entries.offsets = newBuffer();
  entries.count = 0;
  entries.slots = newBuffer();
  entries.slotMask = 0;
  entries.numbers = newBuffer();
  return entries;
}

export function clearEntries(entries: Entries): void {
  entries.values.used = 0;
  entries.offsets.used = 0;
  entries.count = 0;
  entries.slotMask = 0;
  entries.numbers.used = 0;
}

function hashOf(at: usize, length: u32): u32 {
  let hash: u32 = 0x811c9dc5 ^ length;
  let done: u32 = 0;
  for (; done + 4 <= length; done += 4) hash = (rotl(hash, 5) ^ load<u32>(at + done)) * 0x9e3779b1;
  for (; done < length; done++) hash = (rotl(hash, 5) ^ load<u8>(at + done)) * 0x9e3779b1;
  return hash ^ (hash >> 15);
}

function entryAt(entries: Entries, entry: u32): usize {
  return entries.values.at + load<u32>(entries.offsets.at + ((<usize>entry) << 2));
}

function resize(entries: Entries, head: u32, width: u32): void {
  const slots = max<u32>(1024, (entries.slotMask + 1) << 1);
  renew(entries.slots, (<usize>slots) << 2);
  memory.fill(entries.slots.at, 0xff, (<usize>slots) << 2);
  entries.slotMask = slots - 1;
  for (let entry: u32 = 0; entry < entries.count; entry++) {
    const at = entryAt(entries, entry);
    const length = head == 0 ? width : load<u32>(at);
    let slot = hashOf(at + head, length) & entries.slotMask;
    while (load<u32>(entries.slots.at + ((<usize>slot) << 2)) != NONE) slot = (slot + 1) & entries.slotMask;
    store<u32>(entries.slots.at + ((<usize>slot) << 2), entry);
  }
}

/** The number of the entry with a value, which is added if there is none. `width` is 0 for byte arrays. */
export function entryOf(entries: Entries, at: usize, length: u32, width: u32): u32 {
  const head: u32 = width == 0 ? 4 : 0;
  if (entries.count << 1 >= entries.slotMask) resize(entries, head, width);
  let slot = hashOf(at, length) & entries.slotMask;
  for (;;) {
    const entry = load<u32>(entries.slots.at + ((<usize>slot) << 2));
    if (entry == NONE) break;
    const place = entryAt(entries, entry);
    const isSame = head == 0 || load<u32>(place) == length;
    if (isSame && memory.compare(place + head, at, length) == 0) return entry;
    slot = (slot + 1) & entries.slotMask;
  }
  const entry = entries.count++;
  store<u32>(entries.slots.at + ((<usize>slot) << 2), entry);
  reserve(entries.offsets, entries.offsets.used + 4);
  store<u32>(entries.offsets.at + entries.offsets.used, <u32>entries.values.used);
  entries.offsets.used += 4;
  reserve(entries.values, entries.values.used + head + length);
  const to = entries.values.at + entries.values.used;
  if (head != 0) store<u32>(to, length);
  memory.copy(to + head, at, length);
  entries.values.used += head + length;
  return entry;
}

/** Forgets which entries those of a dictionary are, before another one of `count` entries. */
export function forgetNumbers(entries: Entries, count: u32): void {
  renew(entries.numbers, (<usize>count) << 2);
  memory.fill(entries.numbers.at, 0xff, (<usize>count) << 2);
  entries.numbers.used = (<usize>count) << 2;
}
