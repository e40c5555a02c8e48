// The witness: an exact record of the elements whose hash falls in a slice of the hash space, kept beside the detector and
// held against its verdicts. The slice halves whenever the record is full, so that a fixed memory covers an endless stream.
// What is observed while the slice is 1 / 2^level of the space counts 2^level: sums so weighted estimate the sums over the
// whole stream without bias (Horvitz and Thompson 1952), and nothing has to be taken back when the slice halves.

import { OBSERVED_SLOT, seed, state, WORKSPACE_OFFSET } from './lib/memory';
import { GOLDEN, mix64, reduce } from './lib/random';
import { keepTouched } from './lib/touched';

/** First digits of the fraction of pi behind those that the generator takes: the slice depends on nothing else random. */
const SLICE_STREAM: u64 = 0xa4093822299f31d0;

/** Groups into which elements fall at random; how much their sums differ is how uncertain the estimates are. */
export const WITNESS_GROUPS: u32 = 32;
/** Gaps from 2^b to 2^(b+1) - 1 have one pair of sums; the last pair has all longer ones too. */
export const WITNESS_GAPS: u32 = 48;
/** Sums of a group: distinct and false positives, then duplicates and false negatives of each gap. */
export const WITNESS_DISTINCT_SUM: u32 = 0;
export const WITNESS_FALSE_POSITIVES_SUM: u32 = 1;
export const WITNESS_GAP_SUMS: u32 = 2;
export const WITNESS_GROUP_SUMS: u32 = WITNESS_GAP_SUMS + 2 * WITNESS_GAPS;

/** The region: level, elements held, six words of zero; the sums of each group; the record. */
export const WITNESS_LEVEL_OFFSET: u32 = 0;
export const WITNESS_HELD_OFFSET: u32 = 8;
export const WITNESS_SUMS_OFFSET: u32 = 64;
export const WITNESS_RECORD_OFFSET: u32 = WITNESS_SUMS_OFFSET + WITNESS_GROUPS * WITNESS_GROUP_SUMS * 8;

/** An entry of the record: a fingerprint, and one more than the index of its last occurrence; 0 marks an empty slot. */
const ENTRY_BYTES: u32 = 16;
const LAST: u32 = 8;

/**
 * A slice that covers more than 1 / 2^PACED_LEVEL of the space halves at these many elements, twice as many, and so on, full
 * or not, as long as it has some elements left: streams of few distinct elements would otherwise pay for all their repeats.
 */
const PACE_ELEMENTS: u64 = 32768;
const PACED_LEVEL: u32 = 6;
const LEAST_PACED_HELD: u64 = 256;

/** What is listed of an element in the slice: its slice hash, what `mix64` makes of it, its place in the batch. */
const LISTED_BYTES: u32 = 24;
const LISTED_HASH: u32 = 8;
const LISTED_PLACE: u32 = 16;
const LISTED_ENTRY: u32 = 20;

/** Elements listed before they are followed: few enough that what was touched for them is still at hand. */
const MOST_LISTED: u32 = 256;
const LIST_END: u32 = WORKSPACE_OFFSET + MOST_LISTED * LISTED_BYTES;

let region: u32 = 0;
let slots: u32 = 0;
let sliceKey: u64 = 0;
let sliceFactor: u64 = 0;
/** The largest slice hash that is in the slice. */
let sliceEnd: u64 = 0;
/** The index from which on the slice is to be halved for the pace. */
let paceIndex: u64 = 0;

function level(): u32 {
  return <u32>load<u64>(region + WITNESS_LEVEL_OFFSET);
}

function held(): u64 {
  return load<u64>(region + WITNESS_HELD_OFFSET);
}

/** At most three quarters of the slots are used, so that searches stay short. */
function mostHeld(): u64 {
  return <u64>slots - (slots >> 2);
}

/** One multiplication: its upper bits depend on all bits of the fingerprint, and most elements are asked for no more. */
function sliceHash(fingerprint: u64): u64 {
  return (fingerprint ^ sliceKey) * sliceFactor;
}

function setBounds(): void {
  const now = level();
  sliceEnd = ~(<u64>0) >> <u64>now;
  paceIndex = now < PACED_LEVEL ? PACE_ELEMENTS << (<u64>now) : ~(<u64>0);
}

/** Takes the region for the witness; what it holds, nothing or what was loaded, is gone on with. */
export function witnessConfigure(offset: u32, bytes: u32): void {
  region = offset;
  slots = (bytes - WITNESS_RECORD_OFFSET) / ENTRY_BYTES;
  sliceKey = mix64(seed() ^ SLICE_STREAM);
  sliceFactor = mix64(sliceKey + GOLDEN) | 1;
  setBounds();
}

function entryAt(slot: u32): u32 {
  return region + WITNESS_RECORD_OFFSET + slot * ENTRY_BYTES;
}

/** The entry that holds the fingerprint, or the empty one where it would go. */
function findEntry(fingerprint: u64, hash: u64): u32 {
  let slot = reduce(hash, slots);
  while (true) {
    const entry = entryAt(slot);
    if (i32(load<u64>(entry, LAST) == 0) | i32(load<u64>(entry) == fingerprint)) return entry;
    slot = slot + 1 == slots ? 0 : slot + 1;
  }
}

/** Slots taken at once when the slice halves; their entries are listed behind what followListed has listed. */
const HALVED_SLOTS: u32 = 1024;

/** Takes `count` slots from `first` on, around the end; lists the entries that stay and returns the end of the list. */
function takeSlots(first: u32, count: u32): u32 {
  let end = LIST_END;
  for (let slot = first; slot < first + count; slot++) {
    const entry = entryAt(slot < slots ? slot : slot - slots);
    const fingerprint = load<u64>(entry);
    const last = load<u64>(entry, LAST);
    store<u64>(end, fingerprint);
    store<u64>(end, last, LAST);
    // Every other entry stays, so no branch could foretell which.
    end += select<u32>(ENTRY_BYTES, 0, <bool>(i32(last != 0) & i32(sliceHash(fingerprint) <= sliceEnd)));
    store<u64>(entry, 0);
    store<u64>(entry, 0, LAST);
  }
  return end;
}

/**
 * Halves the slice and drops what has left it. Taken in order from behind an empty slot, an entry that stays finds a place at
 * or before its own, as all entries before it have been placed anew.
 */
function halve(): void {
  store<u64>(region + WITNESS_LEVEL_OFFSET, level() + 1);
  setBounds();
  let empty: u32 = 0;
  while (load<u64>(entryAt(empty), LAST) != 0) empty++;
  let kept: u64 = 0;
  for (let done: u32 = 0; done < slots; done += HALVED_SLOTS) {
    const end = takeSlots(empty + 1 + done, min(HALVED_SLOTS, slots - done));
    for (let at = LIST_END; at < end; at += ENTRY_BYTES) {
      const fingerprint = load<u64>(at);
      const place = findEntry(fingerprint, mix64(sliceHash(fingerprint)));
      store<u64>(place, fingerprint);
      store<u64>(place, load<u64>(at, LAST), LAST);
      kept++;
    }
  }
  store<u64>(region + WITNESS_HELD_OFFSET, kept);
}

/** The sums of the group into which an element falls: pairs of all and errors, of the distinct and then of each gap. */
function sumsOf(hash: u64): u32 {
  return region + WITNESS_SUMS_OFFSET + (<u32>hash % WITNESS_GROUPS) * (WITNESS_GROUP_SUMS * 8);
}

function add(sum: u32, weight: u64): void {
  store<u64>(sum, load<u64>(sum) + weight);
}

/**
 * An element that was in the slice when its batch was looked through, at position `index` of the stream. Nobody can foretell
 * whether it was followed before, so nothing branches on it.
 */
function follow(fingerprint: u64, slice: u64, hash: u64, verdict: u32, index: u64): void {
  if (slice > sliceEnd) return;
  if (index >= paceIndex && held() >= LEAST_PACED_HELD) {
    halve();
    if (slice > sliceEnd) return;
  }
  let entry = findEntry(fingerprint, hash);
  const last = load<u64>(entry, LAST);
  const isNew = u64(last == 0);
  if (u32(isNew) & u32(held() == mostHeld())) {
    while (held() == mostHeld()) halve();
    if (slice > sliceEnd) return;
    entry = findEntry(fingerprint, hash);
  }
  const gapClass = min<u64>(63 - clz(index + 1 - last), WITNESS_GAPS - 1);
  const pair = sumsOf(hash) + (select<u32>(0, 1 + <u32>gapClass, <bool>isNew) << 4);
  const weight = (<u64>1) << (<u64>level());
  add(pair, weight);
  add(pair + 8, weight * (isNew ^ verdict ^ 1));
  store<u64>(entry, fingerprint);
  store<u64>(entry, index + 1, LAST);
  store<u64>(region + WITNESS_HELD_OFFSET, held() + isNew);
}

/** Elements asked for at once; few enough that mostly none of them is in the slice. */
const AT_ONCE: u32 = 4;
/** From 1 / 2^SPARSE_LEVEL of the space on; in a larger slice the answer is too often another one to branch on it. */
const SPARSE_LEVEL: u32 = 4;

/** Lists those of `count` elements from place `from` of the batch on that are in the slice; returns the end of the list. */
function listSome(fingerprints: u32, from: u32, count: u32, at: u32): u32 {
  let end = at;
  for (let place = from; place < from + count; place++) {
    const slice = sliceHash(load<u64>(fingerprints + (place << 3)));
    store<u64>(end, slice);
    store<u32>(end, place, LISTED_PLACE);
    end += select<u32>(LISTED_BYTES, 0, slice <= sliceEnd);
  }
  return end;
}

/** Follows the elements listed up to `end`; their entries are touched first, so that the cache misses overlap. */
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
    const place = load<u32>(at, LISTED_PLACE);
    const fingerprint = load<u64>(fingerprints + (place << 3));
    follow(fingerprint, load<u64>(at), load<u64>(at, LISTED_HASH), load<u8>(verdicts + place), first + place);
  }
}

/** The largest slice hash for which an element is not passed over at once. */
function passBound(): u64 {
  return level() < SPARSE_LEVEL ? ~(<u64>0) : sliceEnd;
}

/** Follows the elements that the detector has observed last, with its verdicts on them. */
export function witnessObserve(fingerprints: u32, verdicts: u32, count: u32): void {
  const first = state(OBSERVED_SLOT) - count;
  const whole = count - (count % AT_ONCE);
  // All but few elements only pass through here, so what is asked of them stays in registers.
  const key = sliceKey;
  const factor = sliceFactor;
  let bound = passBound();
  let listed: u32 = WORKSPACE_OFFSET;
  for (let place: u32 = 0; place < whole; place += AT_ONCE) {
    const at = fingerprints + (place << 3);
    if (
      (load<u64>(at) ^ key) * factor > bound &&
      (load<u64>(at, 8) ^ key) * factor > bound &&
      (load<u64>(at, 16) ^ key) * factor > bound &&
      (load<u64>(at, 24) ^ key) * factor > bound
    ) {
      continue;
    }
    listed = listSome(fingerprints, place, AT_ONCE, listed);
    if (listed + AT_ONCE * LISTED_BYTES <= LIST_END) continue;
    followListed(fingerprints, verdicts, first, listed);
    listed = WORKSPACE_OFFSET;
    bound = passBound();
  }
  listed = listSome(fingerprints, whole, count - whole, listed);
  followListed(fingerprints, verdicts, first, listed);
}

/** Entries, none of them of an element yet to come; more than there can be when one is. */
function countEntries(): u64 {
  const observed = state(OBSERVED_SLOT);
  let found: u64 = 0;
  for (let slot: u32 = 0; slot < slots; slot++) {
    const last = load<u64>(entryAt(slot), LAST);
    if (last > observed) return ~(<u64>0);
    found += u64(last != 0);
  }
  return found;
}

/**
 * Whether every entry is in the slice and stands where a search for it comes by: no empty slot between the one where the
 * search begins and its own. There has to be an empty slot.
 */
function areEntriesInPlace(): bool {
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

/** Whether a loaded region is one that a witness can leave: only then do searches end, and find what is there. */
export function witnessCheck(): u32 {
  if (load<u64>(region) > 63 || held() > mostHeld() || countEntries() != held()) return 0;
  return u32(areEntriesInPlace());
}
