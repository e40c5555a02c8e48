// Predicts the entries that will be replaced next. Once the order of use differs from the order in memory, following
// the ring costs one cache miss after another, and each takes as long as all other work on an element. So every
// STRIDE-th entry that enters is recorded in a list as a milestone. The ring is followed from several milestones at
// once, so that the misses overlap. The result only determines which cache lines the next block touches. No answer depends on
// it.
//
// An entry that is found again moves within the ring and stops being a milestone: the mark in its link is cleared. Its
// number stays in the list.

import { behindEntries, isEntry, isMarked, mark, NO_ENTRY, unmark } from './entries';
import {
  FAMILY_REGISTER,
  FAMILY_TABLES_BYTES,
  FAMILY_TABLES_OFFSET,
  OBSERVED_REGISTER,
  register,
  setRegister,
  WORKSPACE_OFFSET,
} from './memory';
import { newerEntry, newestEntry } from './ring';

/** Entries from one milestone to the next, including the first of the two. */
export const MILESTONE_STRIDE: u32 = 64;
/** Bytes that a milestone takes after the entries: the number of an entry. */
export const MILESTONE_BYTES: u32 = 4;
const STRIDE: u64 = MILESTONE_STRIDE;

/** Register: the number of entries that have entered. */
const ADMITTED: u32 = FAMILY_REGISTER + 2;
/** Register: the number of the first milestone that may still be in the ring. */
const PASSED: u32 = FAMILY_REGISTER + 3;

/** Maximum number of parts of the ring that are followed at once. With twice as many, no more misses overlap. */
const PARTS: u32 = 24;
/**
 * Maximum number of milestones that are examined for the start of a part. Where nearly all entries are used again,
 * examining all former milestones would take longer than it saves. Fewer than this are listed before the queue must be
 * refilled.
 */
const MOST_LOOKED_AT: u64 = 8 * PARTS;
/** Capacity of the queue of upcoming entries. It holds fewer before it is refilled. */
export const MAX_NEEDED: u32 = 128;
const QUEUE_OFFSET: u32 = FAMILY_TABLES_OFFSET;
/**
 * The address at which the entries of each part are collected until all parts are followed, and the maximum number of
 * entries of a part.
 */
const PARTS_OFFSET: u32 = QUEUE_OFFSET + MAX_NEEDED * 4;
const PART_ENTRIES: u32 = (FAMILY_TABLES_BYTES / 4 - MAX_NEEDED) / PARTS;

/**
 * Record of a part: the entry to follow next (NO_ENTRY at its end), the number of entries found, the number of its
 * milestone.
 */
const PART_BYTES: u32 = 16;

/** Capacity of the list of milestones. */
let room: u64 = 0;
let queued: u32 = 0;
let taken: u32 = 0;
/** The number of the first milestone after the queue; meaningless while the queue is empty. */
let following: u64 = 0;

/**
 * Lays out the list after the entries. While an entry is in a ring of C entries, at most C others enter, so a list for C / STRIDE +
 * 2 milestones never loses one that is still in the ring. The list may have no capacity at all.
 */
export function configureMilestones(milestones: u32): void {
  room = milestones;
  queued = 0;
  taken = 0;
}

function slotOf(number: u64): u32 {
  return behindEntries() + <u32>(number % room) * MILESTONE_BYTES;
}

function listedEntry(number: u64): u32 {
  return load<u32>(slotOf(number));
}

/** Number of milestones listed so far. */
function listed(): u64 {
  return (register(ADMITTED) + STRIDE - 1) / STRIDE;
}

/** Call this when an entry has entered and is the newest. */
export function admitMilestone(entry: u32): void {
  if (room == 0) return;
  const admitted = register(ADMITTED);
  if (admitted % STRIDE == 0) list(entry, admitted / STRIDE);
  setRegister(ADMITTED, admitted + 1);
}

/**
 * Overwrites the oldest slot of the list. The entry in it has been used again or replaced since, and may not have been
 * a milestone any more.
 */
function list(entry: u32, number: u64): void {
  store<u32>(slotOf(number), entry);
  mark(entry);
  if (number - register(PASSED) >= room) setRegister(PASSED, number - room + 1);
}

/** Call this when the oldest entry leaves its position in the ring. */
export function passMilestone(entry: u32): void {
  while (taken < queued && queuedEntry(taken++) != entry) {}
  if (isMarked(entry)) {
    unmark(entry);
    passListed(entry);
  } else if (register(PASSED) < listed() && !isMilestone(register(PASSED))) {
    // The milestone was used again before its turn. These are passed faster than new ones are listed, so the first
    // milestone is never far behind.
    setRegister(PASSED, register(PASSED) + 1);
  }
}

/** Passes an entry and all milestones listed before it. */
function passListed(entry: u32): void {
  const end = listed();
  let number = register(PASSED);
  while (number < end && listedEntry(number++) != entry) {}
  setRegister(PASSED, number);
}

function queuedEntry(index: u32): u32 {
  return load<u32>(QUEUE_OFFSET + (index << 2));
}

/** The entry that is replaced after `ahead` others if none of them is used before then. */
export function upcomingEntry(ahead: u32): u32 {
  return queuedEntry(taken + ahead);
}

/** Makes sure that `count` upcoming entries are known, at most MAX_NEEDED; returns how many of them are. */
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
  if (rest == 0) following = register(PASSED);
  const parts = beginParts(newerEntry(rest == 0 ? newestEntry() : queuedEntry(rest - 1)));
  followParts(parts);
  queueParts(parts);
}

function beginPart(part: u32, entry: u32, number: u64): void {
  store<u32>(partAt(part), entry);
  store<u32>(partAt(part), 0, 4);
  store<u64>(partAt(part), number, 8);
}

/** Tells if the entry listed under a number is in the ring and has not been used since it entered. */
function isMilestone(number: u64): bool {
  const entry = listedEntry(number);
  return isEntry(entry) && isMarked(entry);
}

/**
 * The first part begins where the queue ends, each other part at a milestone that is still valid. Returns the number of
 * parts.
 */
function beginParts(first: u32): u32 {
  const end = room == 0 ? following : min(listed(), following + MOST_LOOKED_AT);
  let parts: u32 = 0;
  if (!isMarked(first)) beginPart(parts++, first, following - 1);
  for (let number = following; number < end && parts < PARTS; number++) {
    if (isMilestone(number)) beginPart(parts++, listedEntry(number), number);
  }
  return parts;
}

/** Advances every part in turn by one entry, until each reaches the next milestone. */
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

/** Appends the parts to the queue, up to the first one that was not followed to its end. */
function queueParts(parts: u32): void {
  for (let part: u32 = 0; part < parts; part++) {
    const found = load<u32>(partAt(part), 4);
    memory.copy(QUEUE_OFFSET + (queued << 2), PARTS_OFFSET + part * PART_ENTRIES * 4, found << 2);
    queued += found;
    following = load<u64>(partAt(part), 8) + 1;
    if (load<u32>(partAt(part)) != NO_ENTRY) return;
  }
}

/** Tells if a loaded snapshot is valid. Nothing else about milestones is relied on. */
export function milestonesAreValid(): bool {
  if (register(ADMITTED) > register(OBSERVED_REGISTER)) return false;
  return register(PASSED) <= listed() && listed() - register(PASSED) <= room;
}
