// The back end's decision (narang-2011, sections 4 and 5.2.2): from the counts of all parts, the winning set of each record.
// The counts are those of the arrays as they were before the block. What earlier records of the block have added since is
// added here, entry by entry, so that the answers are those of one record after another. Every thread decides for itself, and
// all come to the same.

import { draw, reduce } from '../../lib/random';
import { highCounts, lowCounts } from './arrays';
import { CELLS_OF_ARRAY, countsOf, eventAt, eventCell, eventEntry, eventNext, firstEvent } from './part';
import {
  addedBits,
  blockBits,
  hashes,
  MOTIFS_NO_SET,
  motifsPartStart,
  OPENING_CONFIRMED,
  OPENING_TIED,
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

/** Where the bits lie that the block has added to a cell of a part. */
function addedTo(firstHash: u32, event: u32): u32 {
  return addedBits + ((firstHash * CELLS_OF_ARRAY + eventCell(event)) << 1);
}

function addPart(part: u32, firstHash: u32, record: u32): void {
  const counts = countsOf(part, record);
  low += load<u64>(counts);
  high += load<u64>(counts, 8);
  for (let number = firstEvent(part, record); number != 0; ) {
    const event = eventAt(part, number);
    const before = eventEntry(event);
    const now = before | <u32>load<u16>(addedTo(firstHash, event));
    if (now != before) {
      low += lowCounts(now) - lowCounts(before);
      high += highCounts(now) - highCounts(before);
    }
    number = eventNext(event);
  }
}

function markPart(part: u32, firstHash: u32, record: u32, bits: u32): void {
  for (let number = firstEvent(part, record); number != 0; ) {
    const event = eventAt(part, number);
    const added = addedTo(firstHash, event);
    store<u16>(added, load<u16>(added) | <u16>bits);
    number = eventNext(event);
  }
}

/** One of `ties` sets among the first `count` that have the count `best`, by the draw of this record. */
function drawWinner(best: u32, ties: u32, count: u32, index: u64): u32 {
  let left = ties == 1 ? 0 : reduce(draw(index, 0), ties);
  for (let set: u32 = 0; set < count; set++) {
    if (countOfSet(set) != best) continue;
    if (left == 0) return set;
    left--;
  }
  return MOTIFS_NO_SET;
}

/** Whether a record whose best sets have too few votes opens a new one. */
function opensSet(ties: u32): bool {
  if (opened == sets) return false;
  if (opening == OPENING_CONFIRMED) return orphans() >= threshold;
  return opening != OPENING_TIED || ties > 1;
}

/** The set of the record whose counts are at hand, or MOTIFS_NO_SET. */
function winner(index: u64): u32 {
  // A set that is not open has no votes, but wins like any other where no set has one.
  let best: u32 = 0;
  for (let set: u32 = 0; set < opened; set++) best = max(best, countOfSet(set));
  let ties: u32 = 0;
  for (let set: u32 = 0; set < sets; set++) ties += u32(countOfSet(set) == best);
  if (best < threshold) {
    if (opensSet(ties)) return opened++;
    if (opening == OPENING_CONFIRMED) return MOTIFS_NO_SET;
  }
  const set = drawWinner(best, ties, sets, index);
  opened = max(opened, set + 1);
  return set;
}

/**
 * Decides for `count` records of a block, the records [first, first + count) of a batch whose first is number `batchIndex` of
 * all. `parts` parts stand from `part` on, `partBytes` apart. `firsts` is by record of the batch the first with the same
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
  memory.fill(addedBits, 0, hashes * CELLS_OF_ARRAY * 2);
  for (let i: u32 = 0; i < count; i++) {
    const record = first + i;
    low = 0;
    high = 0;
    for (let p: u32 = 0; p < parts; p++) addPart(part + p * partBytes, motifsPartStart(p, parts), i);
    const original = load<u32>(firsts + (record << 2));
    let set: u32 = original == record ? MOTIFS_NO_SET : load<u8>(answers + original);
    if (set == MOTIFS_NO_SET) set = winner(<u64>batchIndex + record);
    const bits = set == MOTIFS_NO_SET ? BLOOM_BIT : BLOOM_BIT | ((<u32>2) << set);
    store<u16>(blockBits + (i << 1), <u16>bits);
    store<u8>(answers + record, <u8>set);
    store<u8>(votes + record, <u8>(set == MOTIFS_NO_SET ? 0 : countOfSet(set)));
    for (let p: u32 = 0; p < parts; p++) markPart(part + p * partBytes, motifsPartStart(p, parts), i, bits);
  }
}
