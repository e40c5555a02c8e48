// Which entry of a full buffer makes room: the least recently used, or the one that Clock takes for it (deng-2006, sections
// 2.2 and 5.2, after Broder, Najork and Wiener 2003).

import { capacity, heldEntries, isEntry, LINK_BYTES, linkOf, MARK, NO_ENTRY } from './entries';
import { FAMILY_SLOT, setState, state } from './memory';

export abstract class Replacement {
  /** Bytes that it keeps of an entry behind the entry's link. */
  abstract bytes(): u32;
  /** An entry was found. */
  abstract use(entry: u32): void;
  /** An entry is in use from now on. */
  abstract admit(entry: u32): void;
  /** The entry to be replaced; the one that replaces it counts as admitted. */
  abstract replace(): u32;
  /** The entry where the choice of the last one to be replaced ended. */
  abstract last(): u32;
  /** The entry whose turn to be replaced comes after that of another. */
  abstract follow(entry: u32): u32;
  /** Whether a loaded state can be, as far as the above rely on it. */
  abstract isPossible(): bool;
}

/** Slot of the state: the entry used last. */
const NEWEST: u32 = FAMILY_SLOT + 1;

/**
 * Least recently used first. The entries form a ring by their times of last use: behind the newest comes the oldest, so
 * that to replace the oldest is to turn the ring by one.
 */
export class Lru extends Replacement {
  bytes(): u32 {
    return 8;
  }
  newer(entry: u32): u32 {
    return load<u32>(linkOf(entry), LINK_BYTES);
  }
  older(entry: u32): u32 {
    return load<u32>(linkOf(entry), LINK_BYTES + 4);
  }
  join(older: u32, newer: u32): void {
    store<u32>(linkOf(older), newer, LINK_BYTES);
    store<u32>(linkOf(newer), older, LINK_BYTES + 4);
  }
  use(entry: u32): void {
    const newest = <u32>state(NEWEST);
    if (entry == newest) return;
    const oldest = this.newer(newest);
    if (entry != oldest) {
      this.join(this.older(entry), this.newer(entry));
      this.join(newest, entry);
      this.join(entry, oldest);
    }
    setState(NEWEST, entry);
  }
  admit(entry: u32): void {
    const newest = <u32>state(NEWEST);
    const oldest = newest == NO_ENTRY ? entry : this.newer(newest);
    this.join(newest == NO_ENTRY ? entry : newest, entry);
    this.join(entry, oldest);
    setState(NEWEST, entry);
  }
  last(): u32 {
    return <u32>state(NEWEST);
  }
  follow(entry: u32): u32 {
    return this.newer(entry);
  }
  replace(): u32 {
    const oldest = this.newer(<u32>state(NEWEST));
    setState(NEWEST, oldest);
    return oldest;
  }
  isPossible(): bool {
    if (heldEntries() == 0) return state(NEWEST) == NO_ENTRY;
    if (!isEntry(state(NEWEST))) return false;
    const newest = <u32>state(NEWEST);
    let entry = newest;
    let found: u32 = 0;
    do {
      const newer = this.newer(entry);
      if (!isEntry(newer) || this.older(newer) != entry || ++found > heldEntries()) return false;
      entry = newer;
    } while (entry != newest);
    return found == heldEntries();
  }
}

/** Slot of the state: the entry that the hand has passed last, 0 before the first. */
const HAND: u32 = FAMILY_SLOT + 1;

/**
 * Clock: an entry is marked when it is found. A hand goes round over the entries and takes marks away, until it comes upon
 * one without a mark, which is replaced. The one that replaces it has no mark.
 */
export class Clock extends Replacement {
  bytes(): u32 {
    return 0;
  }
  use(entry: u32): void {
    store<u32>(linkOf(entry), load<u32>(linkOf(entry)) | MARK);
  }
  admit(entry: u32): void {}
  last(): u32 {
    return <u32>state(HAND);
  }
  follow(entry: u32): u32 {
    return entry == capacity ? 1 : entry + 1;
  }
  replace(): u32 {
    let entry = this.follow(<u32>state(HAND));
    for (let link = load<u32>(linkOf(entry)); link & MARK; link = load<u32>(linkOf(entry))) {
      store<u32>(linkOf(entry), link & ~MARK);
      entry = this.follow(entry);
    }
    setState(HAND, entry);
    return entry;
  }
  isPossible(): bool {
    return state(HAND) <= <u64>capacity;
  }
}
