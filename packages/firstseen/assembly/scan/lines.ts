// Framing by a byte that ends records: nul by zero bytes, csv not at all, and all other text by newlines. The rule of each format
// extracts the key of a line.

import { BLANK, TOO_LONG } from '../lib/classes';
import { NEWLINE, NUL, withoutCarriageReturn } from './bytes';
import { storeWhole } from './keys';
import { bracesBeforeNext, firstBeforeObject, NO_ADDRESS, nextObject, withoutBlanks } from './objects';
import { addJoinedRecord, addRecord, isBatchFull } from './records';
import { maximumRecordBytes } from './settings';

/** A format as the framing uses it. Bound at compile time. */
export abstract class LineRule {
  /** One past the content of a line whose bytes before its newline are [start, end). */
  abstract contentEnd(start: u32, end: u32): u32;
  abstract hasBlanks(): bool;
  /** Stores the fingerprint of the content's key at the next record's target; returns the record's class. */
  abstract keyOf(start: u32, end: u32): u32;
  /** Whether several records, which are objects, can be on a line. */
  abstract hasObjects(): bool;
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
  hasObjects(): bool {
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

/** tsv, fields and logfmt: a line is one record. */
export abstract class RowRule extends TextLineRule {
  hasObjects(): bool {
    return false;
  }
}

/** One of these without keys: the line without its terminator. */
export class WholeTextLine extends RowRule {
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

/** Takes the objects in [start, end) that others follow, as far as the batch has room; returns the start of the rest. */
function takeObjects<R extends LineRule>(start: u32, end: u32): u32 {
  let object = start;
  while (!isBatchFull()) {
    const next = nextObject(object, end);
    if (next == end) break;
    addJoinedRecord(object, next, classOf<R>(object, withoutBlanks(object, next), next));
    object = next;
  }
  return object;
}

/** Takes a line as one record. `lineEnd` is the address of the newline, or the end of the input. */
function takeLine<R extends LineRule>(start: u32, lineEnd: u32, recordEnd: u32): void {
  const contentEnd = lineEnd < recordEnd ? changetype<R>(0).contentEnd(start, lineEnd) : lineEnd;
  addRecord(start, recordEnd, classOf<R>(start, contentEnd, contentEnd));
}

/** Reads the records that end in [position, end); returns the first byte not consumed. */
export function scanLines<R extends LineRule>(position: u32, end: u32, isFinal: bool): u32 {
  const hasObjects = changetype<R>(0).hasObjects();
  const terminator = i8x16.splat(<i8>changetype<R>(0).terminator());
  let start = position;
  // The first brace after `start` that another object may follow on the line.
  let brace: u32 = NO_ADDRESS;
  for (let at = position; at < end; at += 16) {
    const bytes = v128.load(at);
    let mask = i8x16.bitmask(i8x16.eq(bytes, terminator));
    const braces = hasObjects ? bracesBeforeNext(at, bytes) : 0;
    if (hasObjects && braces && brace == NO_ADDRESS) brace = firstBeforeObject(at, braces, end);
    while (mask) {
      const lineEnd = at + <u32>ctz(mask);
      if (lineEnd >= end) break;
      if (hasObjects && brace < lineEnd) {
        start = takeObjects<R>(start, lineEnd);
        if (isBatchFull()) return start;
        brace = firstBeforeObject(at, braces & (-2 << (<i32>(lineEnd - at))), end);
      }
      takeLine<R>(start, lineEnd, lineEnd + 1);
      start = lineEnd + 1;
      if (isBatchFull()) return start;
      mask &= mask - 1;
    }
  }
  if (hasObjects && brace < end) start = takeObjects<R>(start, end);
  if (!isFinal || start == end || isBatchFull()) return start;
  takeLine<R>(start, end, end);
  return end;
}
