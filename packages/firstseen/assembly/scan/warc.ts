// Format warc: records of a header, a block of as many bytes as the header says, and two line ends. Nothing in a block is looked at to find
// the end of a record. A record that is invalid ends before the next version that a line ends with, or with the input. The version need
// not begin its line, because a block that is cut has no line end.

import { BLANK, KEYED, TOO_LONG, WARC_BAD_END, WARC_CUT, WARC_NO_VERSION } from '../lib/classes';
import { CARRIAGE_RETURN, NEWLINE } from './bytes';
import { addRecord, isBatchFull } from './records';
import { maximumRecordBytes } from './settings';
import {
  blockBytes,
  blockStart,
  mayBeVersion,
  nextVersion,
  readHead,
  UNFINISHED,
  VERSION_BYTES,
  VERSION_LINE_BYTES,
} from './warchead';
import { storeWarcKey } from './warckeys';

/**
 * Bytes after a record of the greatest length that may be needed to find its end: its line ends, and a version after them. A record
 * that has more bytes than that before its end has arrived is too long.
 */
export const WARC_SPARE_BYTES: u32 = 16;

/** The class of the record that was framed last, unless it has a key. */
let frameClass: u32 = KEYED;
/** One past its block. */
let blockEnd: u64 = 0;
/** From where on a version ends the record; 0 if its length does. */
let searchStart: u32 = 0;

/** The line ends that `afterLineEnds` found, and whether more may follow after the bytes at hand. */
let lineEnds: u32 = 0;
let isOpen: bool = false;

/** One past up to `most` line ends at `at`. */
function afterLineEnds(at: u32, end: u32, most: u32): u32 {
  let position = at;
  isOpen = false;
  for (lineEnds = 0; lineEnds < most; lineEnds++) {
    const newline = position < end && load<u8>(position) == CARRIAGE_RETURN ? position + 1 : position;
    isOpen = newline >= end;
    if (isOpen || load<u8>(newline) != NEWLINE) return position;
    position = newline + 1;
  }
  return position;
}

/**
 * One past a record of this block if it ends rightly: with two line ends, and then another line end, a version, or the end of the input.
 * Otherwise 0, also if more bytes are needed, as `isOpen` says. It is asked of records that are too long, because what their length skips
 * cannot be searched again.
 */
function rightEnd(at: u32, end: u32, isFinal: bool): u32 {
  const next = afterLineEnds(at, end, 2);
  const isPair = lineEnds == 2;
  isOpen = !isFinal && end - next < VERSION_BYTES;
  if (isOpen || !isPair) return 0;
  if (next == end || mayBeVersion(next, end)) return next;
  const byte = <u32>load<u8>(next);
  return byte == CARRIAGE_RETURN || byte == NEWLINE ? next : 0;
}

function frameInvalid(found: u32, position: u32): bool {
  frameClass = found;
  searchStart = position;
  return true;
}

/** Finds out how the record at `start` ends. False if more bytes are needed for that. */
function frame(start: u32, end: u32, isFinal: bool): bool {
  const maxBytes = <u64>maximumRecordBytes + WARC_SPARE_BYTES;
  const isLong = <u64>(end - start) > maxBytes;
  const headClass = readHead(start, isLong ? start + <u32>maxBytes : end);
  if (headClass == UNFINISHED)
    return isLong ? frameInvalid(TOO_LONG, start + 1) : isFinal && frameInvalid(WARC_CUT, start + 1);
  if (headClass == WARC_NO_VERSION) return frameInvalid(headClass, start + 1);
  if (headClass != KEYED) return frameInvalid(headClass, blockStart);
  searchStart = 0;
  blockEnd = blockBytes + blockStart;
  const isTooLong = blockEnd - start > maximumRecordBytes;
  frameClass = isTooLong ? TOO_LONG : KEYED;
  if (isTooLong && isLong) return true;
  // Nobody knows how long a record is whose rest has not been looked at.
  if (isTooLong && blockEnd <= end && rightEnd(<u32>blockEnd, end, isFinal) != 0) return true;
  if (isTooLong && !isFinal) return false;
  if (blockEnd > end) return isFinal && frameInvalid(WARC_CUT, blockStart);
  afterLineEnds(<u32>blockEnd, end, 2);
  if (lineEnds == 2) return !isTooLong || frameInvalid(WARC_BAD_END, blockStart);
  if (isOpen) return isFinal && frameInvalid(WARC_CUT, blockStart);
  return frameInvalid(WARC_BAD_END, blockStart);
}

/** One past the record that was framed last; 0 if its end has not arrived, or if it is too long and its length may be wrong. */
function endOfFrame(end: u32, isFinal: bool): u32 {
  if (searchStart != 0) return nextVersion(searchStart, end) || (isFinal ? end : 0);
  if (frameClass == TOO_LONG) return blockEnd > end ? 0 : rightEnd(<u32>blockEnd, end, isFinal);
  const recordEnd = afterLineEnds(<u32>blockEnd, end, 2);
  return isOpen && !isFinal ? 0 : recordEnd;
}

/** The class of the record that was framed last, with the fingerprint of its key, if it has one. */
function classOfFrame(start: u32, recordEnd: u32): u32 {
  if (frameClass == KEYED) return storeWarcKey(<u32>blockEnd);
  return searchStart != 0 && recordEnd - start > maximumRecordBytes ? TOO_LONG : frameClass;
}

/** Takes the record or the line end at `start`; returns one past it, or 0 if its end has not arrived. */
function takeRecord(start: u32, end: u32, isFinal: bool): u32 {
  const blankEnd = afterLineEnds(start, end, 1);
  if (isOpen && !isFinal) return 0;
  if (lineEnds == 1) {
    addRecord(start, blankEnd, BLANK);
    return blankEnd;
  }
  if (!frame(start, end, isFinal)) return 0;
  const recordEnd = endOfFrame(end, isFinal);
  if (recordEnd != 0) addRecord(start, recordEnd, classOfFrame(start, recordEnd));
  return recordEnd;
}

/** Reads the records that end in [position, end); returns the first byte not consumed. */
export function scanWarc(position: u32, end: u32, isFinal: bool): u32 {
  let at = position;
  while (at < end && !isBatchFull()) {
    const next = takeRecord(at, end, isFinal);
    if (next == 0) break;
    at = next;
  }
  return at;
}

/** The first end of a record from `at` on, if a record begins at `position`; `end` if it is not known. */
export function warcRecordEnd(position: u32, at: u32, end: u32): u32 {
  let recordEnd = position;
  while (recordEnd < at) {
    const next = afterLineEnds(recordEnd, end, 1);
    if (lineEnds == 1) {
      recordEnd = next;
      continue;
    }
    recordEnd = !isOpen && frame(recordEnd, end, false) ? endOfFrame(end, false) : 0;
    if (recordEnd == 0) return end;
  }
  return recordEnd;
}

// A record that is too long, which is read in pieces.

/** True if its beginning was read, whether its end was, and whether its length led to no end of a record. */
let isBegun: bool = false;
let isEnded: bool = false;
let isWrong: bool = false;
/** The bytes up to where its end is looked for. */
let bytesLeft: u64 = 0;

/** Must be called before the first piece of a record. */
export function skipWarcReset(): void {
  isBegun = false;
}

/** Tells if the record ended in the piece that was read last: 0 if not, 1 if so, 2 if its length was wrong. */
export function skipWarcEnded(): u32 {
  return u32(isEnded) + u32(isWrong);
}

/**
 * Reads the next piece [start, end) of a record; returns one past what is known to belong to it. What follows is a part of the next
 * piece. The first piece must have more than WARC_SPARE_BYTES after the greatest length.
 */
export function skipWarcRecord(start: u32, end: u32, isFinal: u32): u32 {
  if (!isBegun) {
    isBegun = frame(start, end, isFinal != 0);
    bytesLeft = (searchStart == 0 ? blockEnd : searchStart) - start;
  }
  const skipped = min<u64>(bytesLeft, end - start);
  const at = start + <u32>skipped;
  bytesLeft -= skipped;
  isEnded = isFinal != 0;
  isWrong = isEnded && bytesLeft > 0;
  if (bytesLeft > 0) return at;
  if (searchStart != 0) {
    const found = nextVersion(at, end);
    isEnded = isEnded || found != 0;
    if (isEnded) return found || end;
    // A version may have begun.
    const held = VERSION_LINE_BYTES - 1;
    return end - at > held ? end - held : at;
  }
  const found = rightEnd(at, end, isFinal != 0);
  isEnded = !isOpen;
  isWrong = isEnded && found == 0;
  return isEnded ? afterLineEnds(at, end, 2) : at;
}
