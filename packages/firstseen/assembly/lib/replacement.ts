// Which entry of a full buffer makes room: the least recently used, or the one that Clock takes for it (deng-2006, sections
// 2.2 and 5.2, after Broder, Najork and Wiener 2003).

import { capacity, isMarked, mark, unmark } from './entries';
import { FAMILY_SLOT, setState, state } from './memory';
import {
  admitMilestone,
  configureMilestones,
  knowUpcoming,
  milestonesArePossible,
  passMilestone,
  upcomingEntry,
} from './milestones';
import { enterRing, newestEntry, RING_BYTES, renewEntry, ringIsPossible, turnRing } from './ring';

export abstract class Replacement {
  /** Bytes that it keeps of an entry behind the entry's link. */
  abstract bytes(): u32;
  /** Told how many milestones there is room for behind the entries. */
  abstract configure(milestones: u32): void;
  /** An entry was found. */
  abstract use(entry: u32): void;
  /** An entry is in use from now on. */
  abstract admit(entry: u32): void;
  /** The entry to be replaced; the one that replaces it counts as admitted. */
  abstract replace(): u32;
  /** How many entries that will be replaced next it can tell, at most `count`, which is at most MOST_NEEDED. */
  abstract know(count: u32): u32;
  /** The entry that will be replaced after `ahead` others, less than `know` said. */
  abstract upcoming(ahead: u32): u32;
  /** Whether a loaded state can be, as far as the above rely on it. */
  abstract isPossible(): bool;
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
  isPossible(): bool {
    return ringIsPossible() && milestonesArePossible();
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
  configure(_milestones: u32): void {}
  use(entry: u32): void {
    mark(entry);
  }
  admit(entry: u32): void {}
  replace(): u32 {
    let entry = this.upcoming(0);
    setState(HAND, entry);
    while (isMarked(entry)) {
      unmark(entry);
      entry = this.upcoming(0);
      setState(HAND, entry);
    }
    return entry;
  }
  know(count: u32): u32 {
    return count;
  }
  upcoming(ahead: u32): u32 {
    const entry = <u32>state(HAND) + 1 + ahead;
    return entry <= capacity ? entry : 1 + ((entry - 1) % capacity);
  }
  isPossible(): bool {
    return state(HAND) <= <u64>capacity;
  }
}
