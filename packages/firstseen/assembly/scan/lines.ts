// Framing by a byte that ends records: nul by zero bytes, csv not at all, and all other text by newlines. The rule of each format
// extracts the key of a line.

import { BLANK, TOO_LONG } from '../lib/classes';
import { NEWLINE, NUL, withoutCarriageReturn } from './bytes';
import { storeWhole } from './keys';
import { recordStop, withoutBlanks } from './objects';
import { addJoinedRecord, addRecord, isBatchFull } from './records';
import { maximumRecordBytes } from './settings';

/** A format as the framing uses it. Bound at compile time. */
export abstract class LineRule {
  /** One past the content of a line whose bytes before its newline are [start, end). */
  abstract contentEnd(start: u32, end: u32): u32;
  abstract hasBlanks(): bool;
  /** Stores the fingerprint of the content's key at the next record's target; returns the record's class. */
  abstract keyOf(start: u32, end: u32): u32;
  /** The byte that ends a record. */
  abstract terminator(): u32;
}

/** Every byte between terminators is significant. */
abstract class WholeRecord extends LineRule {
  contentEnd(start: u32, end: u32): u32 {
    return end;
  }
  hasBlanks(): bool {
    return false;
  }
  keyOf(start: u32, end: u32): u32 {
    return storeWhole(start, end);
  }
}

/** Format `lines`. */
export class WholeLine extends WholeRecord {
  terminator(): u32 {
    return NEWLINE;
  }
}

/** Format `nul`. */
export class NulRecord extends WholeRecord {
  terminator(): u32 {
    return NUL;
  }
}

/** Formats whose lines can end in CRLF and whose empty lines are not records. */
export abstract class TextLineRule extends LineRule {
  terminator(): u32 {
    return NEWLINE;
  }
  contentEnd(start: u32, end: u32): u32 {
    return withoutCarriageReturn(start, end);
  }
  hasBlanks(): bool {
    return true;
  }
}

/** One of these without keys: the line without its terminator. */
export class WholeTextLine extends TextLineRule {
  keyOf(start: u32, end: u32): u32 {
    return storeWhole(start, end);
  }
}

/** The class of a record. @param end one past its last byte that counts for its length */
function classOf<R extends LineRule>(start: u32, contentEnd: u32, end: u32): u32 {
  const rule = changetype<R>(0);
  if (contentEnd == start && rule.hasBlanks()) return BLANK;
  return end - start > maximumRecordBytes ? TOO_LONG : rule.keyOf(start, contentEnd);
}

/** Takes a line as one record. `lineEnd` is the address of the newline, or the end of the input. */
function takeLine<R extends LineRule>(start: u32, lineEnd: u32, recordEnd: u32): void {
  const contentEnd = lineEnd < recordEnd ? changetype<R>(0).contentEnd(start, lineEnd) : lineEnd;
  addRecord(start, recordEnd, classOf<R>(start, contentEnd, contentEnd));
}

/** Reads the records that end in [position, end); returns the first byte not consumed. */
export function scanLines<R extends LineRule>(position: u32, end: u32, isFinal: bool): u32 {
  const terminator = i8x16.splat(<i8>changetype<R>(0).terminator());
  let start = position;
  for (let at = position; at < end; at += 16) {
    let mask = i8x16.bitmask(i8x16.eq(v128.load(at), terminator));
    while (mask) {
      const lineEnd = at + <u32>ctz(mask);
      if (lineEnd >= end) break;
      takeLine<R>(start, lineEnd, lineEnd + 1);
      start = lineEnd + 1;
      if (isBatchFull()) return start;
      mask &= mask - 1;
    }
  }
  if (!isFinal || start == end) return start;
  takeLine<R>(start, end, end);
  return end;
}

/** Like `scanLines`, for lines that can have several objects, each of which is a record. */
export function scanObjects<R extends LineRule>(position: u32, end: u32, isFinal: bool): u32 {
  let start = position;
  while (start < end && !isBatchFull()) {
    const stop = recordStop(start, end);
    if (stop == end) {
      if (!isFinal) return start;
      takeLine<R>(start, end, end);
      return end;
    }
    const isJoined = <u32>load<u8>(stop) != NEWLINE;
    if (isJoined) addJoinedRecord(start, stop, classOf<R>(start, withoutBlanks(start, stop), stop));
    else takeLine<R>(start, stop, stop + 1);
    start = stop + u32(!isJoined);
  }
  return start;
}
