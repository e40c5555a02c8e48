// Framing by newline: lines, ndjson and tsv. The rule of each format extracts the key of a line.

import { BLANK, TOO_LONG } from '../lib/classes';
import { NEWLINE, withoutCarriageReturn } from './bytes';
import { storeKey } from './keys';
import { addRecord, isBatchFull } from './records';
import { maximumRecordBytes } from './settings';

/** A format as the framing uses it. Bound at compile time. */
export abstract class LineRule {
  /** One past the content of a line whose bytes before its newline are [start, end). */
  abstract contentEnd(start: u32, end: u32): u32;
  abstract hasBlanks(): bool;
  /** Stores the fingerprint of the content's key at the next record's target; returns the record's class. */
  abstract keyOf(start: u32, end: u32): u32;
}

/** Format `lines`: every byte between newlines is significant. */
export class WholeLine extends LineRule {
  contentEnd(start: u32, end: u32): u32 {
    return end;
  }
  hasBlanks(): bool {
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

/** ndjson and tsv without keys: the line without its terminator. */
export class WholeTextLine extends TextLineRule {
  keyOf(start: u32, end: u32): u32 {
    return storeKey(start, end);
  }
}

/** `lineEnd` is the address of the newline, or the end of the input. */
function takeLine<R extends LineRule>(start: u32, lineEnd: u32, recordEnd: u32): void {
  const rule = changetype<R>(0);
  const contentEnd = lineEnd < recordEnd ? rule.contentEnd(start, lineEnd) : lineEnd;
  let recordClass: u32;
  if (contentEnd == start && rule.hasBlanks()) recordClass = BLANK;
  else if (contentEnd - start > maximumRecordBytes) recordClass = TOO_LONG;
  else recordClass = rule.keyOf(start, contentEnd);
  addRecord(start, recordEnd, recordClass);
}

/** Reads the lines that end in [position, end); returns the first byte not consumed. */
export function scanLines<R extends LineRule>(position: u32, end: u32, isFinal: bool): u32 {
  const newline = i8x16.splat(<i8>NEWLINE);
  let start = position;
  for (let at = position; at < end; at += 16) {
    let mask = i8x16.bitmask(i8x16.eq(v128.load(at), newline));
    while (mask) {
      const lineEnd = at + <u32>ctz(mask);
      if (lineEnd >= end) break;
      takeLine<R>(start, lineEnd, lineEnd + 1);
      start = lineEnd + 1;
      if (isBatchFull()) return start;
      mask &= mask - 1;
    }
  }
  if (isFinal && start < end) {
    takeLine<R>(start, end, end);
    start = end;
  }
  return start;
}
