// The back end's decision (narang-2011, sections 4 and 5.2.2): the winning set of each record, from the counts of all
// parts. The counts are those of the arrays before the block. Changes that a record makes are passed on to the counts
// of later records of the block here, so that the answers are those of processing one record after another. Every
// thread decides for itself, on its own copy, and all get the same result.

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

/** Number of sets opened so far. */
let opened: u32 = 0;
/** Counts of the current record: orphans and sets 1 to 7, one byte each, then sets 8 to 15. */
let low: u64 = 0;
let high: u64 = 0;

export function motifsOpened(): u32 {
  return opened;
}

/** Begins with this number of open sets. */
export function motifsSetOpened(count: u32): void {
  opened = count;
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

/** Replaces the counts of an entry's bits `before` by those of `now`, for a record of the block. */
function recount(part: u32, record: u32, before: u32, now: u32): void {
  const counts = countsOf(part, record);
  store<u64>(counts, load<u64>(counts) + lowCounts(now) - lowCounts(before));
  store<u64>(counts, load<u64>(counts, 8) + highCounts(now) - highCounts(before), 8);
}

/** Adds to the counts of later records of the block the bits that this record sets in entries shared with them. */
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

/** One of the `ties` sets with the count `best`, selected by the draw of this record. */
function drawWinner(best: u32, ties: u32, index: u64): u32 {
  let left = reduce(draw(index, 0), ties);
  for (let set: u32 = 0; set < sets; set++) {
    if (countOfSet(set) != best) continue;
    if (left == 0) return set;
    left--;
  }
  return MOTIFS_NO_SET;
}

/** Tells if a record whose best set has too few votes opens a new set. */
function opensSet(ties: u32): bool {
  if (opened == sets) return false;
  if (opening == MOTIFS_OPENING_CONFIRMED) return orphans() >= threshold;
  return opening != MOTIFS_OPENING_TIED || ties > 1;
}

/** The set of the current record, or MOTIFS_NO_SET. */
function winner(index: u64): u32 {
  // A set that is not open has no votes, but it can win if no set has any.
  let best: u32 = 0;
  let ties: u32 = 0;
  let single: u32 = 0;
  for (let set: u32 = 0; set < sets; set++) {
    // No branches: which set is ahead cannot be predicted.
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

/** Copies `parts` parts, which are `partBytes` apart, to memory that this thread may write to. */
export function motifsGather(to: u32, from: u32, parts: u32, partBytes: u32): void {
  for (let p: u32 = 0; p < parts; p++) copyPart(to + p * partBytes, from + p * partBytes);
}

/**
 * Decides for `count` records of a block: the records [first, first + count) of a batch whose first record has the
 * number `batchIndex` in the stream. The `parts` gathered parts begin at `part`, `partBytes` apart. `firsts` gives for
 * each record of the batch the first one with the same digest. The set of each record goes to `answers` and its votes
 * to `votes`, one byte each.
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
      // Once clusters are known, the entries that records share already have their bits, and nothing is passed on.
      if ((lackingBits(own, i) & bits) != 0) passOn(own, i, bits);
    }
  }
}
