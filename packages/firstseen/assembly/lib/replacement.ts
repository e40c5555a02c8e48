// The entry that a full buffer replaces: the least recently used, or Clock's approximation of it (deng-2006, sections
// 2.2 and 5.2, after Broder, Najork and Wiener 2003).

import { capacity, isMarked, mark, unmark } from './entries';
import { FAMILY_REGISTER, register, setRegister } from './memory';
import {
  admitMilestone,
  configureMilestones,
  knowUpcoming,
  milestonesAreValid,
  passMilestone,
  upcomingEntry,
} from './milestones';
import { enterRing, newestEntry, RING_BYTES, renewEntry, ringIsValid, turnRing } from './ring';

export abstract class Replacement {
  /** Bytes that the policy stores after each entry's link. */
  abstract bytes(): u32;
  /** Receives the number of milestones that fit after the entries. */
  abstract configure(milestones: u32): void;
  /** Call this when an entry was found. */
  abstract use(entry: u32): void;
  /** Call this when an entry comes into use. */
  abstract admit(entry: u32): void;
  /** Returns the entry to replace. The entry that replaces it counts as admitted. */
  abstract replace(): u32;
  /** The number of entries to be replaced next that are known, up to `count`, which is at most MAX_NEEDED. */
  abstract know(count: u32): u32;
  /** The entry that will be replaced after `ahead` others; `ahead` is less than what `know` returned. */
  abstract upcoming(ahead: u32): u32;
  /** Tells if a loaded snapshot is valid, as far as the methods above rely on it. */
  abstract isValid(): bool;
}

/** Least recently used first. */
export class Lru extends Replacement {
  bytes(): u32 {
    return RING_BYTES;
  }
  configure(milestones: u32): void {
    configureMilestones(milestones);
  }
  use(entry: u32): void {
    if (entry == newestEntry()) return;
    unmark(entry);
    renewEntry(entry);
  }
  admit(entry: u32): void {
    enterRing(entry);
    admitMilestone(entry);
  }
  replace(): u32 {
    const entry = turnRing();
    passMilestone(entry);
    admitMilestone(entry);
    return entry;
  }
  know(count: u32): u32 {
    return knowUpcoming(count);
  }
  upcoming(ahead: u32): u32 {
    return upcomingEntry(ahead);
  }
  isValid(): bool {
    return ringIsValid() && milestonesAreValid();
  }
}

/** Register: the entry that the hand passed last, 0 before the first. */
const HAND: u32 = FAMILY_REGISTER + 1;

/**
 * Clock: an entry is marked when it is found. A hand cycles over the entries and clears marks until it reaches an entry
 * without a mark, which is replaced. The entry that replaces it has no mark.
 */
export class Clock extends Replacement {
  bytes(): u32 {
    return 0;
  }
  configure(_milestones: u32): void {}
  use(entry: u32): void {
    mark(entry);
  }
  admit(entry: u32): void {}
  replace(): u32 {
    let entry = this.upcoming(0);
    setRegister(HAND, entry);
    while (isMarked(entry)) {
      unmark(entry);
      entry = this.upcoming(0);
      setRegister(HAND, entry);
    }
    return entry;
  }
  know(count: u32): u32 {
    return count;
  }
  upcoming(ahead: u32): u32 {
    const entry = <u32>register(HAND) + 1 + ahead;
    return entry <= capacity ? entry : 1 + ((entry - 1) % capacity);
  }
  isValid(): bool {
    return register(HAND) <= <u64>capacity;
  }
}
