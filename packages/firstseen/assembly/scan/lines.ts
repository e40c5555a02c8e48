// Framing by newline: lines, ndjson and tsv. The rule of each format extracts the key of a line.

import { BLANK, TOO_LONG } from '../lib/classes';
import { NEWLINE, withoutCarriageReturn } from './bytes';
import { keepScratch, scratch, storeKey } from './keys';
import { nextObject, withoutBlanks } from './objects';
import { addJoinedRecord, addRecord, isBatchFull } from './records';
import { maximumRecordBytes } from './settings';

/** A format as the framing uses it. Bound at compile time. */
export abstract class LineRule {
  /** One past the content of a line whose bytes before its newline are [start, end). */
  abstract contentEnd(start: u32, end: u32): u32;
  abstract hasBlanks(): bool;
  /** Stores the fingerprint of the content's key at the next record's target; returns the record's class. */
  abstract keyOf(start: u32, end: u32): u32;
  /** Whether several records can be on a line. */
  abstract hasObjects(): bool;
  /** Whether the content of a line, which got this class, may hold several records. */
  abstract mayHoldNext(start: u32, end: u32, recordClass: u32): bool;
}

/** Format `lines`: every byte between newlines is significant. */
export class WholeLine extends LineRule {
  contentEnd(start: u32, end: u32): u32 {
    return end;
  }
  hasBlanks(): bool {
    return false;
  }
  hasObjects(): bool {
    return false;
  }
  mayHoldNext(start: u32, end: u32, recordClass: u32): bool {
    return false;
  }
  keyOf(start: u32, end: u32): u32 {
    return storeKey(start, end);
  }
}

/** Formats whose lines can end in CRLF and whose empty lines are not records. */
export abstract class TextLineRule extends LineRule {
  contentEnd(start: u32, end: u32): u32 {
    return withoutCarriageReturn(start, end);
  }
  hasBlanks(): bool {
    return true;
  }
}

/** tsv: a line is one record. */
export abstract class RowRule extends TextLineRule {
  hasObjects(): bool {
    return false;
  }
  mayHoldNext(start: u32, end: u32, recordClass: u32): bool {
    return false;
  }
}

/** tsv without keys: the line without its terminator. */
export class WholeTextLine extends RowRule {
  keyOf(start: u32, end: u32): u32 {
    return storeKey(start, end);
  }
}

/** The class of a record. @param end one past its last byte that counts for its length */
function classOf<R extends LineRule>(start: u32, contentEnd: u32, end: u32): u32 {
  const rule = changetype<R>(0);
  if (contentEnd == start && rule.hasBlanks()) return BLANK;
  return end - start > maximumRecordBytes ? TOO_LONG : rule.keyOf(start, contentEnd);
}

/**
 * Takes the objects that others follow in [start, end); returns the start of the rest. If it takes any, it first frees
 * the scratch region from `kept` on.
 */
function takeObjects<R extends LineRule>(start: u32, end: u32, kept: u32): u32 {
  let object = start;
  while (!isBatchFull()) {
    const next = nextObject(object, end);
    if (next == end) break;
    if (object == start) keepScratch(kept);
    addJoinedRecord(object, next, classOf<R>(object, withoutBlanks(object, next), next));
    object = next;
  }
  return object;
}

/**
 * Takes the records of a line; returns the first byte not taken. `lineEnd` is the address of the newline, or the end of
 * the input.
 */
function takeLine<R extends LineRule>(start: u32, lineEnd: u32, recordEnd: u32): u32 {
  const rule = changetype<R>(0);
  const kept = scratch();
  const contentEnd = lineEnd < recordEnd ? rule.contentEnd(start, lineEnd) : lineEnd;
  const recordClass = classOf<R>(start, contentEnd, contentEnd);
  if (rule.mayHoldNext(start, contentEnd, recordClass)) {
    const rest = takeObjects<R>(start, lineEnd, kept);
    if (rest != start) return isBatchFull() ? rest : takeLine<R>(rest, lineEnd, recordEnd);
  }
  addRecord(start, recordEnd, recordClass);
  return recordEnd;
}

/** Reads the records that end in [position, end); returns the first byte not consumed. */
export function scanLines<R extends LineRule>(position: u32, end: u32, isFinal: bool): u32 {
  const newline = i8x16.splat(<i8>NEWLINE);
  let start = position;
  for (let at = position; at < end; at += 16) {
    let mask = i8x16.bitmask(i8x16.eq(v128.load(at), newline));
    while (mask) {
      const lineEnd = at + <u32>ctz(mask);
      if (lineEnd >= end) break;
      start = takeLine<R>(start, lineEnd, lineEnd + 1);
      if (isBatchFull()) return start;
      mask &= mask - 1;
    }
  }
  if (start == end) return end;
  if (isFinal) return takeLine<R>(start, end, end);
  return changetype<R>(0).hasObjects() ? takeObjects<R>(start, end, scratch()) : start;
}
