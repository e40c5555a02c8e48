// Where an object of ndjson ends. A line that begins with an object has nothing but objects, with or without blanks between them, and each
// is a record. A line that begins otherwise is one record. So is the rest of a line from an object on that does not end, or that something
// else than an object follows: it is invalid. A newline ends every record, because no JSON text on one line contains one. A record
// separator may be before each object, as in sequences of JSON texts (RFC 7464, RFC 8142).
//
// The walk goes on where the piece before ended. It takes 64 bytes at a time: brackets in strings do not count, and a byte is in a string if
// an odd number of quotes is before it (Langdale and Lemire 2019, sections 3.1.1 and 3.1.2). Nothing else is checked.

import { BAD_STRUCTURE, BLANK, KEYED, NOT_AN_OBJECT, TEXT_AFTER_OBJECT, UNTERMINATED_STRING } from '../lib/classes';
import { CARRIAGE_RETURN, findByte, NEWLINE, QUOTE } from './bytes';

export const SPACE: u32 = 0x20;
const RECORD_SEPARATOR: u32 = 0x1e;
const TAB: u32 = 0x09;
export const BACKSLASH: u32 = 0x5c;
export const OPEN_BRACE: u32 = 0x7b;
export const CLOSE_BRACE: u32 = 0x7d;
/** The bit in which braces and brackets differ. */
const BRACE_BIT: u32 = 0x20;

const BLOCK_BYTES: u32 = 64;
const ODD_BITS: u64 = 0xaaaa_aaaa_aaaa_aaaa;

const BEFORE_OBJECT: u32 = 0;
const IN_OBJECT: u32 = 1;
const AFTER_OBJECT: u32 = 2;
// Nothing that follows on the line is a record of its own from here on.
const NO_OBJECT: u32 = 3;
const IN_BROKEN_OBJECT: u32 = 4;
const IN_TEXT_AFTER_OBJECT: u32 = 5;

/** The place of the walk in a record, between two calls. */
let place: u32 = BEFORE_OBJECT;
/** In an object: the number of brackets that are open. */
let depth: u32 = 0;
/** In an object: all bits if the next byte is in a string, and 1 if it is after a backslash that makes it a part of the string. */
let inString: u64 = 0;
let isEscaped: u64 = 0;

/** A blank within a line. */
export function isBlankInLine(byte: u32): bool {
  return byte == SPACE || byte == TAB || byte == CARRIAGE_RETURN;
}

/** The end of [start, end) without the blanks before it. */
export function withoutBlanks(start: u32, end: u32): u32 {
  let at = end;
  while (at > start && isBlankInLine(load<u8>(at - 1))) at--;
  return at;
}

/** The start of the JSON text of a record: after the record separators before it, if there are any. */
export function textStart(start: u32, end: u32): u32 {
  let text = start;
  for (let at = start; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte == RECORD_SEPARATOR) text = at + 1;
    else if (!isBlankInLine(byte)) break;
  }
  return text;
}

/** Must be called before the first piece of a record. */
export function skipJsonReset(): void {
  place = BEFORE_OBJECT;
}

function beginObject(): void {
  place = IN_OBJECT;
  depth = 1;
  inString = 0;
  isEscaped = 0;
}

/** The bits of the bytes of a block that have all bits set. */
function blockBits(first: v128, second: v128, third: v128, fourth: v128): u64 {
  const low = <u32>i8x16.bitmask(first) | ((<u32>i8x16.bitmask(second)) << 16);
  const high = <u32>i8x16.bitmask(third) | ((<u32>i8x16.bitmask(fourth)) << 16);
  return <u64>low | ((<u64>high) << 32);
}

/** The bits of the bytes that a backslash of the same block, or the last one of the block before, makes a part of a string. */
function escapedBits(backslashes: u64, bytes: u32): u64 {
  // A run of backslashes escapes each second byte from its first one on; the carry of a subtraction finds where each run ends.
  const unescaped = backslashes & ~isEscaped;
  const runs = (((unescaped << 1) | ODD_BITS) - unescaped) ^ ODD_BITS;
  const escaped = runs ^ (backslashes | isEscaped);
  isEscaped = ((runs & backslashes) >> (bytes - 1)) & 1;
  return escaped;
}

/** The bits of the bytes in strings, by those of the quotes, if none is open before them; the opening quote counts. */
function stringBits(quotes: u64): u64 {
  let bits = quotes ^ (quotes << 1);
  bits ^= bits << 2;
  bits ^= bits << 4;
  bits ^= bits << 8;
  bits ^= bits << 16;
  return bits ^ (bits << 32);
}

/** 255 for each byte that is such a brace, or the bracket that differs from it in one bit. */
function bracketsAmong(bytes: v128, brace: u32): v128 {
  return i8x16.eq(v128.or(bytes, i8x16.splat(<i8>BRACE_BIT)), i8x16.splat(<i8>brace));
}

/**
 * Counts the brackets of a block at `at` that are in no string; returns one past the one that closes the object, or 0. An object ends with a
 * brace.
 */
function countBrackets(at: u32, opening: u64, closing: u64): u32 {
  let open = depth;
  const closed = <u32>popcnt(closing);
  depth = open + <u32>popcnt(opening) - closed;
  if (closed < open) return 0;
  for (let bits = closing; bits; bits &= bits - 1) {
    const below = (bits & -bits) - 1;
    if (--open + <u32>popcnt(opening & below) != 0) continue;
    const bracket = at + <u32>ctz(bits);
    place = <u32>load<u8>(bracket) == CLOSE_BRACE ? AFTER_OBJECT : IN_BROKEN_OBJECT;
    return bracket + 1;
  }
  return 0;
}

/** As `countBrackets`, up to a backslash that is in no string, which breaks the object. */
function countBracketsTo(mark: u32, at: u32, opening: u64, closing: u64): u32 {
  const before = ((<u64>1) << mark) - 1;
  const objectEnd = countBrackets(at, opening & before, closing & before);
  if (objectEnd != 0) return objectEnd;
  place = IN_BROKEN_OBJECT;
  return at + mark + 1;
}

/** Goes on in an object; returns one past its end, or the newline that comes before that, or `end`. */
function walkObject(position: u32, end: u32): u32 {
  const newline = i8x16.splat(<i8>NEWLINE);
  const quote = i8x16.splat(<i8>QUOTE);
  const backslash = i8x16.splat(<i8>BACKSLASH);
  for (let at = position; at < end; at += BLOCK_BYTES) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const lineEnds = blockBits(i8x16.eq(a, newline), i8x16.eq(b, newline), i8x16.eq(c, newline), i8x16.eq(d, newline));
    const bytes = min(end - at, <u32>ctz(lineEnds));
    if (bytes == 0) return at;
    const inLine = u64.MAX_VALUE >> (BLOCK_BYTES - bytes);
    let quotes = blockBits(i8x16.eq(a, quote), i8x16.eq(b, quote), i8x16.eq(c, quote), i8x16.eq(d, quote)) & inLine;
    const front = v128.or(i8x16.eq(a, backslash), i8x16.eq(b, backslash));
    const back = v128.or(i8x16.eq(c, backslash), i8x16.eq(d, backslash));
    let backslashes: u64 = 0;
    if (v128.any_true(v128.or(front, back)) || isEscaped != 0) {
      backslashes = blockBits(
        i8x16.eq(a, backslash),
        i8x16.eq(b, backslash),
        i8x16.eq(c, backslash),
        i8x16.eq(d, backslash),
      );
      backslashes &= inLine;
      quotes &= ~escapedBits(backslashes, bytes);
    }
    const openers = blockBits(
      bracketsAmong(a, OPEN_BRACE),
      bracketsAmong(b, OPEN_BRACE),
      bracketsAmong(c, OPEN_BRACE),
      bracketsAmong(d, OPEN_BRACE),
    );
    const closers = blockBits(
      bracketsAmong(a, CLOSE_BRACE),
      bracketsAmong(b, CLOSE_BRACE),
      bracketsAmong(c, CLOSE_BRACE),
      bracketsAmong(d, CLOSE_BRACE),
    );
    // Most blocks of a long text have quotes at most.
    if ((openers | closers | backslashes) == 0) {
      inString ^= -(popcnt(quotes) & 1);
      if (bytes < end - at && lineEnds != 0) return at + bytes;
      continue;
    }
    const strings = stringBits(quotes) ^ inString;
    inString = <u64>(<i64>strings >> 63);
    const outside = ~strings & inLine;
    const opening = openers & outside;
    const closing = closers & outside;
    const broken = backslashes & outside;
    const objectEnd =
      broken == 0 ? countBrackets(at, opening, closing) : countBracketsTo(<u32>ctz(broken), at, opening, closing);
    if (objectEnd != 0) return objectEnd;
    if (lineEnds != 0 && bytes < end - at) return at + bytes;
  }
  return end;
}

/** Goes on in a line; returns its newline, or the start of an object, or of its separator, that follows another one, or `end`. */
function walkLine(position: u32, end: u32): u32 {
  let at = position;
  while (at < end) {
    if (place == IN_OBJECT) {
      at = walkObject(at, end);
      if (place == IN_OBJECT) return at;
      continue;
    }
    if (place >= NO_OBJECT) return findByte(at, end, NEWLINE);
    const byte = <u32>load<u8>(at);
    if (byte == NEWLINE) return at;
    if (byte == OPEN_BRACE) {
      if (place == AFTER_OBJECT) return at;
      beginObject();
    } else if (byte == RECORD_SEPARATOR) {
      if (place == AFTER_OBJECT) return at;
    } else if (!isBlankInLine(byte)) place = place == AFTER_OBJECT ? IN_TEXT_AFTER_OBJECT : NO_OBJECT;
    at++;
  }
  return end;
}

/**
 * Returns the end of the record that begins at `start`: its newline, the start of the object or separator that follows
 * on its line, or `end`.
 */
export function recordStop(start: u32, end: u32): u32 {
  skipJsonReset();
  return walkLine(start, end);
}

/** The class that `recordStop` shows for a record: KEYED if it is one object. */
export function walkedClass(): u32 {
  if (place == AFTER_OBJECT) return KEYED;
  if (place == BEFORE_OBJECT) return BLANK;
  if (place == NO_OBJECT) return NOT_AN_OBJECT;
  if (place == IN_TEXT_AFTER_OBJECT) return TEXT_AFTER_OBJECT;
  return place == IN_OBJECT && inString != 0 ? UNTERMINATED_STRING : BAD_STRUCTURE;
}

/**
 * Finds the end of a record that is longer than the region, one piece at a time: returns one past its newline, or the
 * start of the next object on its line, or 0 if the record does not end in [position, end).
 */
export function skipJsonRecord(position: u32, end: u32): u32 {
  const stop = walkLine(position, end);
  if (stop == end) return 0;
  return load<u8>(stop) == NEWLINE ? stop + 1 : stop;
}
