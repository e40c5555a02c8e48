// The entries that will be replaced next, known ahead. Once the order of use has left the order in memory, to follow the ring
// is one cache miss after another, each as long as all else that an element takes. So every so many entries that come in,
// one is a milestone, and is listed; from several milestones the ring is followed side by side, and these misses overlap.
// What comes of it only tells the block ahead which lines to touch. No answer depends on it.
//
// An entry found again leaves its place in the ring and is no milestone any more: the mark in its link is taken away, and
// stays away from the list's copy.

import { behindEntries, isEntry, isMarked, mark, NO_ENTRY, unmark } from './entries';
import {
  FAMILY_SLOT,
  FAMILY_TABLES_BYTES,
  FAMILY_TABLES_OFFSET,
  OBSERVED_SLOT,
  setState,
  state,
  WORKSPACE_OFFSET,
} from './memory';
import { newerEntry, newestEntry } from './ring';

/** Entries that come in from one milestone to the next, the first included. */
const STRIDE: u64 = 64;

/** Slot of the state: entries that came in. */
const ADMITTED: u32 = FAMILY_SLOT + 2;
/** Slot of the state: the number of the first milestone that may still be in the ring. */
const PASSED: u32 = FAMILY_SLOT + 3;

/** Parts of the ring that are followed side by side; with twice as many the machine overlaps no more misses. */
const PARTS: u32 = 24;
/**
 * Numbers that are looked at for parts. Where nearly all that comes in is used again, a walk over all that were milestones
 * would take longer than it saves; fewer are listed than this until the queue has to be filled again.
 */
const MOST_LOOKED_AT: u64 = 8 * PARTS;
/** Entries that were found ahead and not needed yet are fewer. */
export const MOST_NEEDED: u32 = 128;
const QUEUE_OFFSET: u32 = FAMILY_TABLES_OFFSET;
/** Where a part stands until all are followed, and its entries at most. */
const PARTS_OFFSET: u32 = QUEUE_OFFSET + MOST_NEEDED * 4;
const PART_ENTRIES: u32 = (FAMILY_TABLES_BYTES / 4 - MOST_NEEDED) / PARTS;

/** Of each part: the entry to follow next, NO_ENTRY at its end; the entries found; its milestone's number. */
const PART_BYTES: u32 = 16;

/** Milestones that the list has room for. */
let room: u64 = 0;
let queued: u32 = 0;
let taken: u32 = 0;
/** The number of the first milestone behind the queue; of no use while that is empty. */
let following: u64 = 0;

/**
 * Lays the list out behind the entries. While an entry is in the ring of C entries, at most C others come in, so that a list
 * for C / STRIDE milestones and two never loses one that is still in the ring. A list of none is possible.
 */
export function configureMilestones(milestones: u32): void {
  room = milestones;
  queued = 0;
  taken = 0;
}

function slotOf(number: u64): u32 {
  return behindEntries() + <u32>(number % room) * 4;
}

function listedEntry(number: u64): u32 {
  return load<u32>(slotOf(number));
}

/** Milestones listed so far. */
function listed(): u64 {
  return (state(ADMITTED) + STRIDE - 1) / STRIDE;
}

/** An entry has come in and is the newest. */
export function admitMilestone(entry: u32): void {
  if (room == 0) return;
  const admitted = state(ADMITTED);
  if (admitted % STRIDE == 0) list(entry, admitted / STRIDE);
  setState(ADMITTED, admitted + 1);
}

/** What its place in the list held before has been used again or replaced since, perhaps as no milestone any more. */
function list(entry: u32, number: u64): void {
  store<u32>(slotOf(number), entry);
  mark(entry);
  if (number - state(PASSED) >= room) setState(PASSED, number - room + 1);
}

/** The oldest entry leaves its place in the ring. */
export function passMilestone(entry: u32): void {
  while (taken < queued && queuedEntry(taken++) != entry) {}
  if (isMarked(entry)) {
    unmark(entry);
    passListed(entry);
  } else if (state(PASSED) < listed() && !isMilestone(state(PASSED))) {
    // Used again before its turn: more are passed so than are listed, so that the first is never far behind.
    setState(PASSED, state(PASSED) + 1);
  }
}

/** Passes what is listed before an entry, and the entry. */
function passListed(entry: u32): void {
  const end = listed();
  let number = state(PASSED);
  while (number < end && listedEntry(number++) != entry) {}
  setState(PASSED, number);
}

function queuedEntry(index: u32): u32 {
  return load<u32>(QUEUE_OFFSET + (index << 2));
}

/** The entry that is replaced after `ahead` others, if none of them is used until then. */
export function upcomingEntry(ahead: u32): u32 {
  return queuedEntry(taken + ahead);
}

/** Sees to it that so many upcoming entries are known, at most MOST_NEEDED; returns how many are. */
export function knowUpcoming(count: u32): u32 {
  if (queued - taken < count) refillQueue();
  return min(count, queued - taken);
}

function partAt(part: u32): u32 {
  return WORKSPACE_OFFSET + part * PART_BYTES;
}

function refillQueue(): void {
  const rest = queued - taken;
  memory.copy(QUEUE_OFFSET, QUEUE_OFFSET + (taken << 2), rest << 2);
  taken = 0;
  queued = rest;
  if (rest == 0) following = state(PASSED);
  const parts = beginParts(newerEntry(rest == 0 ? newestEntry() : queuedEntry(rest - 1)));
  followParts(parts);
  queueParts(parts);
}

function beginPart(part: u32, entry: u32, number: u64): void {
  store<u32>(partAt(part), entry);
  store<u32>(partAt(part), 0, 4);
  store<u64>(partAt(part), number, 8);
}

/** Whether the entry listed under a number is in the ring and was not used since it came in. */
function isMilestone(number: u64): bool {
  const entry = listedEntry(number);
  return isEntry(entry) && isMarked(entry);
}

/** The first part begins where the queue ends, any other at a milestone that still is one; returns how many there are. */
function beginParts(first: u32): u32 {
  const end = room == 0 ? following : min(listed(), following + MOST_LOOKED_AT);
  let parts: u32 = 0;
  if (!isMarked(first)) beginPart(parts++, first, following - 1);
  for (let number = following; number < end && parts < PARTS; number++) {
    if (isMilestone(number)) beginPart(parts++, listedEntry(number), number);
  }
  return parts;
}

/** Takes a step in every part in turn, each until the next milestone. */
function followParts(parts: u32): void {
  for (let found: u32 = 0; found < PART_ENTRIES; found++) {
    let ended: u32 = 0;
    for (let part: u32 = 0; part < parts; part++) {
      const entry = load<u32>(partAt(part));
      if (entry == NO_ENTRY) {
        ended++;
        continue;
      }
      store<u32>(PARTS_OFFSET + (part * PART_ENTRIES + found) * 4, entry);
      store<u32>(partAt(part), found + 1, 4);
      const next = newerEntry(entry);
      store<u32>(partAt(part), isMarked(next) ? NO_ENTRY : next);
    }
    if (ended == parts) return;
  }
}

/** Moves the parts together, up to the first that was not followed to its end. */
function queueParts(parts: u32): void {
  for (let part: u32 = 0; part < parts; part++) {
    const found = load<u32>(partAt(part), 4);
    memory.copy(QUEUE_OFFSET + (queued << 2), PARTS_OFFSET + part * PART_ENTRIES * 4, found << 2);
    queued += found;
    following = load<u64>(partAt(part), 8) + 1;
    if (load<u32>(partAt(part)) != NO_ENTRY) return;
  }
}

/** Whether a loaded state can be: what else it says of milestones is not relied on. */
export function milestonesArePossible(): bool {
  if (state(ADMITTED) > state(OBSERVED_SLOT)) return false;
  return state(PASSED) <= listed() && listed() - state(PASSED) <= room;
}
