// The last of the three batch calls: assigns verdicts to records and writes the output.

import { countByte } from '../lib/bytes';
import { COPIED, DISTINCT, DROPPED, DUPLICATE, KEYED, PASSED, SKIPPED, UNCHOSEN } from '../lib/classes';
import {
  fingerprintAt,
  RECORD_CLASSES_OFFSET,
  RECORD_ENDS_OFFSET,
  RECORD_STARTS_OFFSET,
  TIMES_OFFSET,
  VERDICTS_OFFSET,
} from '../lib/memory';
import { NEWLINE } from './bytes';
import { joinedContentEnd, joinedEnd } from './records';

/** Bits of `wanted`; those of the verdicts of a detector are the verdicts themselves. */
const WANTED_PASSED_BIT: u32 = 2;
const WANTED_DROPPED_BIT: u32 = 3;
/** No output wants unchosen records, and the records of other shards. */
const UNWANTED_BIT: u32 = 4;
/** The records that `compact` copies: any of these together. */
export const WANTED_DISTINCT: u32 = 1 << DISTINCT;
export const WANTED_DUPLICATES: u32 = 1 << DUPLICATE;
export const WANTED_PASSED: u32 = 1 << WANTED_PASSED_BIT;
export const WANTED_DROPPED: u32 = 1 << WANTED_DROPPED_BIT;

/**
 * Moves the fingerprints of the KEYED records among `count` records to the front of the batch; returns how many there
 * are.
 */
export function gatherKeyed(count: u32): u32 {
  let keyed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    store<u64>(fingerprintAt(keyed), load<u64>(fingerprintAt(i)));
    keyed += u32(load<u8>(RECORD_CLASSES_OFFSET + i) == KEYED);
  }
  return keyed;
}

/** Does the same for the times of records, or the spans of their ranks. Must be called before `gatherKeyed`. */
export function gatherTimes(count: u32): void {
  let keyed: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    store<u64>(TIMES_OFFSET + (keyed << 3), load<u64>(TIMES_OFFSET + (i << 3)));
    keyed += u32(load<u8>(RECORD_CLASSES_OFFSET + i) == KEYED);
  }
}

/**
 * Moves the verdicts of the gathered records so that verdict i belongs to record i. A record that is not KEYED takes
 * its class as its verdict; the host has overwritten that class with PASSED, DROPPED or COPIED.
 */
export function scatterVerdicts(count: u32): void {
  let dense: u32 = 0;
  for (let i: u32 = 0; i < count; i++) dense += u32(load<u8>(RECORD_CLASSES_OFFSET + i) == KEYED);
  // Runs backwards, so that no verdict is overwritten before it is moved.
  for (let i = count; i > 0; i--) {
    let verdict = <u32>load<u8>(RECORD_CLASSES_OFFSET + i - 1);
    if (verdict == KEYED) {
      dense--;
      verdict = load<u8>(VERDICTS_OFFSET + dense);
    }
    store<u8>(VERDICTS_OFFSET + i - 1, verdict);
  }
}

function wantedBit(verdict: u32): u32 {
  if (verdict < UNCHOSEN) return verdict;
  if (verdict == SKIPPED || verdict == UNCHOSEN) return UNWANTED_BIT;
  return verdict == DROPPED ? WANTED_DROPPED_BIT : WANTED_PASSED_BIT;
}

/** Copies the bytes [start, end) to `target`; returns one past the last byte written. */
function copyRun(start: u32, end: u32, target: u32): u32 {
  memory.copy(target, start, end - start);
  return target + (end - start);
}

/**
 * Copies those of `count` records whose verdict is wanted to `target`, in order; returns one past the last byte written.
 * WANTED_PASSED means the records that are COPIED too. A record that another follows on its line gets a newline in place
 * of the blanks between them.
 */
export function compact(count: u32, wanted: u32, target: u32): u32 {
  const lastJoined = joinedEnd();
  let written = target;
  let runStart: u32 = 0;
  let runEnd: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (!((wanted >> wantedBit(load<u8>(VERDICTS_OFFSET + i))) & 1)) continue;
    const start = load<u32>(RECORD_STARTS_OFFSET + (i << 2));
    // Adjacent records are copied as one run.
    if (start != runEnd) {
      written = copyRun(runStart, runEnd, written);
      runStart = start;
    }
    runEnd = load<u32>(RECORD_ENDS_OFFSET + (i << 2));
    const contentEnd = runEnd <= lastJoined ? joinedContentEnd(i) : 0;
    if (contentEnd == 0) continue;
    written = copyRun(runStart, contentEnd, written);
    store<u8>(written++, NEWLINE);
    runStart = 0;
    runEnd = 0;
  }
  return copyRun(runStart, runEnd, written);
}

/** The bytes that `compact` writes. */
export function compactedBytes(count: u32, wanted: u32): u32 {
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const isWanted = (wanted >> wantedBit(load<u8>(VERDICTS_OFFSET + i))) & 1;
    const contentEnd = joinedContentEnd(i);
    const end = contentEnd == 0 ? load<u32>(RECORD_ENDS_OFFSET + (i << 2)) : contentEnd + 1;
    bytes += isWanted * (end - load<u32>(RECORD_STARTS_OFFSET + (i << 2)));
  }
  return bytes;
}

/** Writes one word of text at `at`: eight bytes, then two. The first `length` bytes count; returns one past them. */
function writeWord(at: u32, eight: u64, two: u32, length: u32): u32 {
  store<u64>(at, eight);
  store<u16>(at, two, 8);
  return at + length;
}

/**
 * Writes a line for each of `count` records to `target`: distinct, duplicate, passed or dropped; none for COPIED and
 * SKIPPED. The target must have room for ten bytes per record. Returns one past the last byte written.
 */
export function writeVerdicts(count: u32, target: u32): u32 {
  let at = target;
  for (let i: u32 = 0; i < count; i++) {
    const verdict = <u32>load<u8>(VERDICTS_OFFSET + i);
    // The words as little-endian numbers, newline included.
    if (verdict == DISTINCT) at = writeWord(at, 0x74636e6974736964, 0x0a, 9);
    else if (verdict == DUPLICATE) at = writeWord(at, 0x74616369_6c707564, 0x0a65, 10);
    else if (verdict == PASSED) at = writeWord(at, 0x0a646573736170, 0, 7);
    else if (verdict == DROPPED) at = writeWord(at, 0x0a646570706f7264, 0, 8);
  }
  return at;
}

/** The number of records, of `count`, with this verdict. */
export function countVerdicts(count: u32, verdict: u32): u32 {
  return countByte(VERDICTS_OFFSET, VERDICTS_OFFSET + count, verdict);
}
