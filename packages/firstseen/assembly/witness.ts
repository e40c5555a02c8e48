// The witness: an exact record of the elements whose hash falls in a slice of the hash space. It runs with the detector and checks
// its verdicts. The slice halves whenever the record is full, so a fixed memory covers an endless stream. An observation made while
// the slice is 1 / 2^level of the space has weight 2^level: the weighted sums estimate the sums over the whole stream without bias
// (Horvitz and Thompson 1952), and nothing has to be corrected when the slice halves.

import { addedAt, cameAt, configureAges, isCovered, startAges, WINDOW_NONE } from './lib/ages';
import { OBSERVED_REGISTER, register, seed, WORKSPACE_OFFSET } from './lib/memory';
import { GOLDEN, mix64, reduce } from './lib/random';
import {
  addObserved,
  addOfGroup,
  configureSums,
  noteHalving,
  WITNESS_FORM_OFFSET,
  WITNESS_HELD_OFFSET,
  WITNESS_LEVEL_OFFSET,
  WITNESS_WATCH_COUNT_OFFSET,
  WITNESS_WATCH_TABLE_OFFSET,
  WITNESS_WATCHED_SUMS_OFFSET,
} from './lib/sums';
import { keepTouched } from './lib/touched';
import { configureWatch, isWatched, startWatch, watchTableBytes, watchUpTo } from './lib/watch';

/**
 * Digits of the fraction of pi that the generator does not use, so the slice is independent of everything else that is
 * random.
 */
const SLICE_STREAM: u64 = 0xa4093822299f31d0;
const WATCH_STREAM: u64 = 0xbe5466cf34e90c6c;

/**
 * Forms of the region: entries without the time of the last add, and a watch list; with a window, entries with it, and sums of late
 * duplicates. Nothing that a window covers is missed, so there is nothing to watch.
 */
export const WITNESS_WATCH_FORM: u64 = 2;
export const WITNESS_WINDOW_FORM: u64 = 3;

/**
 * An entry of the record: a fingerprint, then one more than the index of its last occurrence; 0 marks an empty slot.
 * With a window, a third word says when the element was added last (lib/ages.ts).
 */
const PLAIN_ENTRY_BYTES: u32 = 16;
const WINDOW_ENTRY_BYTES: u32 = 24;
const LAST: u32 = 8;
const ADDED: u32 = 16;

/**
 * A slice of more than 1 / 2^PACED_LEVEL of the space halves at this many elements, at twice as many, and so on, even
 * if the record is not full, provided that it still holds enough elements. Without this, streams of few distinct
 * elements would pay for all their repeats.
 */
const PACE_ELEMENTS: u64 = 32768;
const PACED_LEVEL: u32 = 6;
const MIN_PACED_HELD: u64 = 256;

/** The list record of an element in the slice: its slice hash, `mix64` of it, its index in the batch, its entry. */
const LISTED_BYTES: u32 = 24;
const LISTED_HASH: u32 = 8;
const LISTED_INDEX: u32 = 16;
const LISTED_ENTRY: u32 = 20;

/** Elements listed before they are followed: few enough that the cache lines touched for them are still in the cache. */
const MAX_LISTED: u32 = 256;
const LIST_END: u32 = WORKSPACE_OFFSET + MAX_LISTED * LISTED_BYTES;

let region: u32 = 0;
let slots: u32 = 0;
let entryBytes: u32 = PLAIN_ENTRY_BYTES;
let record: u32 = 0;
/** True if repeats are judged by the window, and those that are reported duplicate after it are counted. */
let hasWindow: bool = false;
/** The form of the region of this detector. */
let ownForm: u64 = WITNESS_WATCH_FORM;
let sliceKey: u64 = 0;
let sliceFactor: u64 = 0;
/** The largest slice hash in the slice. */
let sliceEnd: u64 = 0;
/** The index in the stream at which pacing halves the slice. */
let paceIndex: u64 = 0;

function level(): u32 {
  return <u32>load<u64>(region + WITNESS_LEVEL_OFFSET);
}

function held(): u64 {
  return load<u64>(region + WITNESS_HELD_OFFSET);
}

/** At most three quarters of the slots are used, so that searches stay short. */
function maxHeld(): u64 {
  return <u64>slots - (slots >> 2);
}

/** One multiplication: its upper bits depend on all bits of the fingerprint, and most elements need nothing else. */
function sliceHash(fingerprint: u64): u64 {
  return (fingerprint ^ sliceKey) * sliceFactor;
}

function setBounds(): void {
  const now = level();
  sliceEnd = ~(<u64>0) >> <u64>now;
  paceIndex = now < PACED_LEVEL ? PACE_ELEMENTS << (<u64>now) : ~(<u64>0);
}

function form(): u64 {
  return load<u64>(region + WITNESS_FORM_OFFSET);
}

/** Assigns the region to the witness, which continues with its contents: empty or loaded. */
export function witnessConfigure(offset: u32, bytes: u32, windowUnit: u32, windowSize: f64, refresh: u32): void {
  region = offset;
  configureSums(offset);
  configureAges(windowUnit, windowSize, refresh);
  hasWindow = windowUnit != WINDOW_NONE;
  ownForm = hasWindow ? WITNESS_WINDOW_FORM : WITNESS_WATCH_FORM;
  if (held() == 0) store<u64>(region + WITNESS_FORM_OFFSET, ownForm);
  entryBytes = hasWindow ? WINDOW_ENTRY_BYTES : PLAIN_ENTRY_BYTES;
  record = WITNESS_WATCH_COUNT_OFFSET;
  if (!hasWindow) {
    const tableBytes = watchTableBytes(bytes);
    const table = region + WITNESS_WATCH_TABLE_OFFSET;
    configureWatch(region + WITNESS_WATCH_COUNT_OFFSET, table, tableBytes, mix64(seed() ^ WATCH_STREAM));
    record = WITNESS_WATCH_TABLE_OFFSET + tableBytes;
  }
  slots = (bytes - record) / entryBytes;
  sliceKey = mix64(seed() ^ SLICE_STREAM);
  sliceFactor = mix64(sliceKey + GOLDEN) | 1;
  setBounds();
}

function entryAt(slot: u32): u32 {
  return region + record + slot * entryBytes;
}

/** The entry that holds the fingerprint, or the empty one where it would be inserted. */
function findEntry(fingerprint: u64, hash: u64): u32 {
  let slot = reduce(hash, slots);
  while (true) {
    const entry = entryAt(slot);
    if (i32(load<u64>(entry, LAST) == 0) | i32(load<u64>(entry) == fingerprint)) return entry;
    slot = slot + 1 == slots ? 0 : slot + 1;
  }
}

/** Slots processed at once when the slice halves. Their entries are copied to the memory after the list of `followListed`. */
const HALVED_SLOTS: u32 = 1024;

/**
 * Empties `count` slots from `first` on, modulo the table; copies the entries that stay to a list and returns its end.
 */
function takeSlots(first: u32, count: u32): u32 {
  let end = LIST_END;
  for (let slot = first; slot < first + count; slot++) {
    const entry = entryAt(slot < slots ? slot : slot - slots);
    const fingerprint = load<u64>(entry);
    const last = load<u64>(entry, LAST);
    store<u64>(end, fingerprint);
    store<u64>(end, last, LAST);
    if (hasWindow) store<u64>(end, load<u64>(entry, ADDED), ADDED);
    // Half of the entries stay, so a branch could not be predicted.
    end += select<u32>(entryBytes, 0, <bool>(i32(last != 0) & i32(sliceHash(fingerprint) <= sliceEnd)));
    store<u64>(entry, 0);
    store<u64>(entry, 0, LAST);
    if (hasWindow) store<u64>(entry, 0, ADDED);
  }
  return end;
}

/**
 * Halves the slice and drops the entries that are no longer in it. The slots are processed in order, starting after an empty one.
 * An entry that stays is inserted at or before its old slot, because all entries before it have already been inserted again.
 */
function halve(): void {
  noteHalving(level());
  store<u64>(region + WITNESS_LEVEL_OFFSET, level() + 1);
  setBounds();
  let empty: u32 = 0;
  while (load<u64>(entryAt(empty), LAST) != 0) empty++;
  let kept: u64 = 0;
  for (let done: u32 = 0; done < slots; done += HALVED_SLOTS) {
    const end = takeSlots(empty + 1 + done, min(HALVED_SLOTS, slots - done));
    for (let at = LIST_END; at < end; at += entryBytes) {
      const fingerprint = load<u64>(at);
      const entry = findEntry(fingerprint, mix64(sliceHash(fingerprint)));
      store<u64>(entry, fingerprint);
      store<u64>(entry, load<u64>(at, LAST), LAST);
      if (hasWindow) store<u64>(entry, load<u64>(at, ADDED), ADDED);
      kept++;
    }
  }
  store<u64>(region + WITNESS_HELD_OFFSET, kept);
}

/** Tells if the window still covers an element that comes. Remembers when it was added last. */
function isInWindow(entry: u32, verdict: u32, batchIndex: u32): u64 {
  const came = cameAt(batchIndex);
  const added = load<u64>(entry, ADDED);
  store<u64>(entry, addedAt(added, came, verdict), ADDED);
  return isCovered(added, came);
}

/** Counts a miss of an element in the slice separately if the element was watched before the miss. */
function countWatched(fingerprint: u64, hash: u64, weight: u64, index: u64): void {
  watchUpTo(index);
  if (isWatched(fingerprint)) addOfGroup(hash, weight);
}

/**
 * Follows an element that was in the slice when its batch was scanned, at `batchIndex` of the batch and `index` of the
 * stream. Whether it was followed before cannot be predicted, so nothing branches on it.
 */
function follow(fingerprint: u64, slice: u64, hash: u64, verdict: u32, batchIndex: u32, index: u64): void {
  if (slice > sliceEnd) return;
  if (index >= paceIndex && held() >= MIN_PACED_HELD) {
    halve();
    if (slice > sliceEnd) return;
  }
  let entry = findEntry(fingerprint, hash);
  const last = load<u64>(entry, LAST);
  const isNew = u64(last == 0);
  if (u32(isNew) & u32(held() == maxHeld())) {
    while (held() == maxHeld()) halve();
    if (slice > sliceEnd) return;
    entry = findEntry(fingerprint, hash);
  }
  const isCoveredNow = hasWindow ? isInWindow(entry, verdict, batchIndex) : 1;
  // A repeat that the window does not cover is no error if it is reported distinct.
  const weight = (isNew | <u64>verdict | isCoveredNow) << (<u64>level());
  addObserved(hash, isNew, index + 1 - last, weight, isNew ^ verdict ^ 1);
  if (!hasWindow && (isNew | verdict) == 0) countWatched(fingerprint, hash, weight, index);
  if (hasWindow) addOfGroup(hash, weight * ((isNew | isCoveredNow) ^ 1) * <u64>verdict);
  store<u64>(entry, fingerprint);
  store<u64>(entry, index + 1, LAST);
  store<u64>(region + WITNESS_HELD_OFFSET, held() + isNew);
}

/** Elements tested at once; few enough that usually none of them is in the slice. */
const AT_ONCE: u32 = 4;
/**
 * The level from which elements are skipped by a branch. In a larger slice the branch would be mispredicted too often.
 */
const SPARSE_LEVEL: u32 = 4;

/**
 * Lists those of the `count` elements from index `from` of the batch that are in the slice; returns the end of the
 * list.
 */
function listSome(fingerprints: u32, from: u32, count: u32, at: u32): u32 {
  let end = at;
  for (let index = from; index < from + count; index++) {
    const slice = sliceHash(load<u64>(fingerprints + (index << 3)));
    store<u64>(end, slice);
    store<u32>(end, index, LISTED_INDEX);
    end += select<u32>(LISTED_BYTES, 0, slice <= sliceEnd);
  }
  return end;
}

/** Follows the elements listed up to `end`. Their entries are touched first, so that the cache misses overlap. */
function followListed(fingerprints: u32, verdicts: u32, first: u64, end: u32): void {
  for (let at: u32 = WORKSPACE_OFFSET; at < end; at += LISTED_BYTES) {
    const hash = mix64(load<u64>(at));
    store<u64>(at, hash, LISTED_HASH);
    store<u32>(at, entryAt(reduce(hash, slots)), LISTED_ENTRY);
  }
  let sum: u64 = 0;
  for (let at: u32 = WORKSPACE_OFFSET; at < end; at += LISTED_BYTES) sum += load<u64>(load<u32>(at, LISTED_ENTRY));
  keepTouched(sum);
  for (let at: u32 = WORKSPACE_OFFSET; at < end; at += LISTED_BYTES) {
    const index = load<u32>(at, LISTED_INDEX);
    const fingerprint = load<u64>(fingerprints + (index << 3));
    follow(fingerprint, load<u64>(at), load<u64>(at, LISTED_HASH), load<u8>(verdicts + index), index, first + index);
  }
}

/** The largest slice hash that is listed: elements above it are skipped. */
function passBound(): u64 {
  return level() < SPARSE_LEVEL ? ~(<u64>0) : sliceEnd;
}

/**
 * Follows the elements that the detector observed last, with its verdicts on them. If its window is a duration, `clock`
 * is its clock before them, and `hasTimes` is 1 if they have their own times.
 */
export function witnessObserve(fingerprints: u32, verdicts: u32, count: u32, clock: f64, hasTimes: u32): void {
  const first = register(OBSERVED_REGISTER) - count;
  if (hasWindow) startAges(verdicts, count, clock, hasTimes == 1);
  else startWatch(fingerprints, verdicts, first);
  const whole = count - (count % AT_ONCE);
  // Nearly all elements are skipped here, so the values that they need stay in registers.
  const key = sliceKey;
  const factor = sliceFactor;
  let bound = passBound();
  let listed: u32 = WORKSPACE_OFFSET;
  for (let index: u32 = 0; index < whole; index += AT_ONCE) {
    const at = fingerprints + (index << 3);
    if (
      (load<u64>(at) ^ key) * factor > bound &&
      (load<u64>(at, 8) ^ key) * factor > bound &&
      (load<u64>(at, 16) ^ key) * factor > bound &&
      (load<u64>(at, 24) ^ key) * factor > bound
    ) {
      continue;
    }
    listed = listSome(fingerprints, index, AT_ONCE, listed);
    if (listed + AT_ONCE * LISTED_BYTES <= LIST_END) continue;
    followListed(fingerprints, verdicts, first, listed);
    listed = WORKSPACE_OFFSET;
    bound = passBound();
  }
  listed = listSome(fingerprints, whole, count - whole, listed);
  followListed(fingerprints, verdicts, first, listed);
  if (!hasWindow) watchUpTo(first + count);
}

/** Sets the clock back by a number of milliseconds. Elements keep their ages. */
export function witnessSetBack(milliseconds: f64): void {
  if (!hasWindow) return;
  for (let slot: u32 = 0; slot < slots; slot++) {
    const added = load<u64>(entryAt(slot), ADDED);
    store<u64>(entryAt(slot), added - min(added, <u64>milliseconds), ADDED);
  }
}

/** The number of entries; the maximum value if one of them is of a future element. */
function countEntries(): u64 {
  const observed = register(OBSERVED_REGISTER);
  let found: u64 = 0;
  for (let slot: u32 = 0; slot < slots; slot++) {
    const last = load<u64>(entryAt(slot), LAST);
    if (last > observed) return ~(<u64>0);
    found += u64(last != 0);
  }
  return found;
}

/**
 * Tells if every entry is in the slice and a search finds it: all slots from its home slot to its own are in use. The
 * table must have an empty slot.
 */
function areEntriesReachable(): bool {
  let empty: u32 = 0;
  while (load<u64>(entryAt(empty), LAST) != 0) empty++;
  let run: u32 = 0;
  for (let i: u32 = 1; i <= slots; i++) {
    const slot = empty + i < slots ? empty + i : empty + i - slots;
    const entry = entryAt(slot);
    run = load<u64>(entry, LAST) == 0 ? 0 : run + 1;
    if (run == 0) continue;
    const hash = sliceHash(load<u64>(entry));
    const home = reduce(mix64(hash), slots);
    const distance = home <= slot ? slot - home : slot + slots - home;
    if (hash > sliceEnd || distance >= run) return false;
  }
  return true;
}

/** Tells if a loaded region is valid. Only then do searches end and find the entries. */
export function witnessCheck(): u32 {
  if (form() != ownForm) return 0;
  if (load<u64>(region) > 63 || held() > maxHeld() || countEntries() != held()) return 0;
  return u32(areEntriesReachable());
}
