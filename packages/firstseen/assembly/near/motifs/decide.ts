// The back end's decision (narang-2011, sections 4 and 5.2.2): from the counts of all parts, the winning set of each record.
// The counts are those of the arrays as they were before the block. What a record adds for later ones of the block is passed on
// to their counts here, so that the answers are those of one record after another. Every thread decides for itself, on a copy
// of its own, and all come to the same.

import { draw, reduce } from '../../lib/random';
import { highCounts, lowCounts } from './arrays';
import {
  copyPart,
  countsOf,
  firstLink,
  lackingBits,
  laterLink,
  linkEntry,
  linkedRecord,
  nextLink,
  setLinkEntry,
} from './part';
import {
  blockBits,
  MOTIFS_NO_SET,
  MOTIFS_OPENING_CONFIRMED,
  MOTIFS_OPENING_TIED,
  opening,
  sets,
  threshold,
} from './settings';

const BLOOM_BIT: u32 = 1;

/** Sets that have been opened. */
let opened: u32 = 0;
/** Counts of the record at hand: orphans and sets 1 to 7 a byte each, then sets 8 to 15. */
let low: u64 = 0;
let high: u64 = 0;

export function motifsOpened(): u32 {
  return opened;
}

export function openNone(): void {
  opened = 0;
}

function countOfSet(set: u32): u32 {
  const bit = set + 1;
  return <u32>((bit < 8 ? low >> (bit << 3) : high >> ((bit - 8) << 3)) & 255);
}

function orphans(): u32 {
  return <u32>(low & 255);
}

function addCounts(part: u32, record: u32): void {
  const counts = countsOf(part, record);
  low += load<u64>(counts);
  high += load<u64>(counts, 8);
}

/** Counts the bits `now` of an entry, in place of `before`, for a record of the block. */
function recount(part: u32, record: u32, before: u32, now: u32): void {
  const counts = countsOf(part, record);
  store<u64>(counts, load<u64>(counts) + lowCounts(now) - lowCounts(before));
  store<u64>(counts, load<u64>(counts, 8) + highCounts(now) - highCounts(before), 8);
}

/** Counts for later records of the block the bits that this one sets in entries which they share with it. */
function passOn(part: u32, record: u32, bits: u32): void {
  for (let first = firstLink(part, record); first != 0; first = nextLink(part, first)) {
    const before = linkEntry(part, first);
    const now = before | bits;
    if (now == before) continue;
    for (let link = first; link != 0; link = laterLink(part, link)) {
      setLinkEntry(part, link, now);
      recount(part, linkedRecord(part, link), before, now);
    }
  }
}

/** One of the `ties` sets that have the count `best`, by the draw of this record. */
function drawWinner(best: u32, ties: u32, index: u64): u32 {
  let left = reduce(draw(index, 0), ties);
  for (let set: u32 = 0; set < sets; set++) {
    if (countOfSet(set) != best) continue;
    if (left == 0) return set;
    left--;
  }
  return MOTIFS_NO_SET;
}

/** Whether a record whose best sets have too few votes opens a new one. */
function opensSet(ties: u32): bool {
  if (opened == sets) return false;
  if (opening == MOTIFS_OPENING_CONFIRMED) return orphans() >= threshold;
  return opening != MOTIFS_OPENING_TIED || ties > 1;
}

/** The set of the record whose counts are at hand, or MOTIFS_NO_SET. */
function winner(index: u64): u32 {
  // A set that is not open has no votes, but wins like any other where no set has one.
  let best: u32 = 0;
  let ties: u32 = 0;
  let single: u32 = 0;
  for (let set: u32 = 0; set < sets; set++) {
    // No branches: which set is ahead is not to be foreseen.
    const count = countOfSet(set);
    const isAhead = count > best;
    ties = select<u32>(1, ties + u32(count == best), isAhead);
    single = select(set, single, isAhead);
    best = max(best, count);
  }
  if (best < threshold) {
    if (opensSet(ties)) return opened++;
    if (opening == MOTIFS_OPENING_CONFIRMED) return MOTIFS_NO_SET;
  }
  const set = ties == 1 ? single : drawWinner(best, ties, index);
  opened = max(opened, set + 1);
  return set;
}

/** Brings `parts` parts, which stand `partBytes` apart, to a place where they may be written to. */
export function motifsGather(to: u32, from: u32, parts: u32, partBytes: u32): void {
  for (let p: u32 = 0; p < parts; p++) copyPart(to + p * partBytes, from + p * partBytes);
}

/**
 * Decides for `count` records of a block, the records [first, first + count) of a batch whose first is number `batchIndex` of
 * all. `parts` parts, gathered before, stand from `part` on, `partBytes` apart. `firsts` is by record of the batch the first with the same
 * digest; the set of each record goes to `answers`, its votes to `votes`, a byte each.
 */
export function motifsDecide(
  first: u32,
  count: u32,
  batchIndex: f64,
  parts: u32,
  part: u32,
  partBytes: u32,
  firsts: u32,
  answers: u32,
  votes: u32,
): void {
  for (let i: u32 = 0; i < count; i++) {
    const record = first + i;
    low = 0;
    high = 0;
    for (let p: u32 = 0; p < parts; p++) addCounts(part + p * partBytes, i);
    const original = load<u32>(firsts + (record << 2));
    let set: u32 = original == record ? MOTIFS_NO_SET : load<u8>(answers + original);
    if (set == MOTIFS_NO_SET) set = winner(<u64>batchIndex + record);
    const bits = set == MOTIFS_NO_SET ? BLOOM_BIT : BLOOM_BIT | ((<u32>2) << set);
    store<u16>(blockBits + (i << 1), <u16>bits);
    store<u8>(answers + record, <u8>set);
    store<u8>(votes + record, <u8>(set == MOTIFS_NO_SET ? 0 : countOfSet(set)));
    for (let p: u32 = 0; p < parts; p++) {
      const own = part + p * partBytes;
      // Once clusters are known, the entries that records share have their bits, and there is nothing to pass on.
      if ((lackingBits(own, i) & bits) != 0) passOn(own, i, bits);
    }
  }
}
