// The header of a WARC record: a line with the version, lines of named fields, and an empty line (ISO 28500, section 4). As warcio does,
// it takes lines that end with a newline alone, and fields that go on on lines that begin with a blank.

import { KEYED, WARC_BAD_LENGTH, WARC_NO_LENGTH, WARC_NO_VERSION } from '../lib/classes';
import { CARRIAGE_RETURN, equalBytes, findByte, NEWLINE, TAB, withoutCarriageReturn } from './bytes';
import { keepScratch, scratch } from './keys';
import { SPACE } from './objects';

/** The bytes WARC/1. as a little-endian number. */
const VERSION: u64 = 0x2e312f43524157;
export const VERSION_BYTES: u32 = 7;
const FIRST_LETTER: u32 = 0x57;
/** A version, its last digit, and the longest line end. */
export const VERSION_LINE_BYTES: u32 = VERSION_BYTES + 3;

const COLON: u32 = 0x3a;
const ZERO_DIGIT: u32 = 0x30;
const LESS: u32 = 0x3c;
const GREATER: u32 = 0x3e;
/** Longer numbers are taken for no length. They do not overflow. */
const MAX_LENGTH_DIGITS: u32 = 18;

// Names of fields in small letters, as bytes: content-length, content-type, warc-type and warc-target-uri; and application/http.
const CONTENT_LENGTH: usize = memory.data<u8>([99, 111, 110, 116, 101, 110, 116, 45, 108, 101, 110, 103, 116, 104]);
const CONTENT_LENGTH_BYTES: u32 = 14;
const CONTENT_TYPE: usize = memory.data<u8>([99, 111, 110, 116, 101, 110, 116, 45, 116, 121, 112, 101]);
const CONTENT_TYPE_BYTES: u32 = 12;
const WARC_TYPE: usize = memory.data<u8>([119, 97, 114, 99, 45, 116, 121, 112, 101]);
const WARC_TYPE_BYTES: u32 = 9;
const TARGET_URI: usize = memory.data<u8>([119, 97, 114, 99, 45, 116, 97, 114, 103, 101, 116, 45, 117, 114, 105]);
const TARGET_URI_BYTES: u32 = 15;
const HTTP_TYPE: usize = memory.data<u8>([97, 112, 112, 108, 105, 99, 97, 116, 105, 111, 110, 47, 104, 116, 116, 112]);
const HTTP_TYPE_BYTES: u32 = 16;

/** Past every address. */
const NO_ADDRESS: u32 = u32.MAX_VALUE;

/** The result of `readHead` for a header that does not end in the bytes at hand. No class has this number. */
export const UNFINISHED: u32 = 0xff;

/** The address of the first field of the header that was read last, that of the empty line after its fields, and that of its block. */
let fieldsStart: u32 = 0;
let fieldsEnd: u32 = 0;
export let blockStart: u32 = 0;
/** The bytes of its block, as the header says. */
export let blockBytes: u64 = 0;

/** One past the name of the field that was read last, and its value without the blanks around it. */
let nameEnd: u32 = 0;
export let valueStart: u32 = 0;
export let valueEnd: u32 = 0;
/** True if the value goes on on other lines. */
let isFolded: bool = false;
/** One past the field with its line ends. */
let fieldEnd: u32 = 0;

/** Tells if a version begins at `at`, as far as the bytes before `end` show it. */
export function mayBeVersion(at: u32, end: u32): bool {
  const known = min(end - at, VERSION_BYTES);
  const mask = ((<u64>1) << (known << 3)) - 1;
  return ((load<u64>(at) ^ VERSION) & mask) == 0;
}

function isDigit(at: u32): bool {
  return <u32>load<u8>(at) - ZERO_DIGIT <= 9;
}

/** Tells if a version begins at `at` and a line ends after it. */
function isVersionLine(at: u32, end: u32): bool {
  const lineEnd = at + VERSION_BYTES + 1;
  if (lineEnd >= end || !mayBeVersion(at, end) || !isDigit(at + VERSION_BYTES)) return false;
  const newline = load<u8>(lineEnd) == CARRIAGE_RETURN ? lineEnd + 1 : lineEnd;
  return newline < end && load<u8>(newline) == NEWLINE;
}

/** The first version in [position, end) that a line ends with, or 0. */
export function nextVersion(position: u32, end: u32): u32 {
  for (let at = findByte(position, end, FIRST_LETTER); at < end; at = findByte(at + 1, end, FIRST_LETTER)) {
    if (isVersionLine(at, end)) return at;
  }
  return 0;
}

function isBlank(byte: u32): bool {
  return byte == SPACE || byte == TAB || byte == CARRIAGE_RETURN || byte == NEWLINE;
}

function isSpaceOrTab(byte: u32): bool {
  return byte == SPACE || byte == TAB;
}

/** A letter of ASCII as its small form; every other byte as it is. */
function smallLetter(byte: u32): u32 {
  return byte - 0x41 < 26 ? byte | 0x20 : byte;
}

/** Tells if the bytes from `at` on are these in small letters, in any case. */
function beginsWith(at: u32, small: u32, bytes: u32): bool {
  for (let i: u32 = 0; i < bytes; i++) {
    if (smallLetter(load<u8>(at + i)) != load<u8>(small + i)) return false;
  }
  return true;
}

/** Tells if the field that begins at `name` and was read last has this name. */
export function isNamed(name: u32, small: u32, bytes: u32): bool {
  return nameEnd - name == bytes && beginsWith(name, small, bytes);
}

/** One past the line with the version at `start`; 0 if the record does not begin with one, NO_ADDRESS if the line may go on after `end`. */
function afterVersion(start: u32, end: u32): u32 {
  if (!mayBeVersion(start, end)) return 0;
  const digit = start + VERSION_BYTES;
  if (digit >= end) return NO_ADDRESS;
  if (!isDigit(digit)) return 0;
  for (let at = digit + 1; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte == NEWLINE) return at + 1;
    if (!isBlank(byte)) return 0;
  }
  return NO_ADDRESS;
}

/** Finds the empty line after the fields from `position` on, and the block after it. False if it is not before `end`. */
function findBlock(position: u32, end: u32): bool {
  let line = position;
  while (true) {
    const lineEnd = findByte(line, end, NEWLINE);
    if (lineEnd == end) return false;
    if (withoutCarriageReturn(line, lineEnd) == line) {
      fieldsEnd = line;
      blockStart = lineEnd + 1;
      return true;
    }
    line = lineEnd + 1;
  }
}

/** Takes the blanks around the value away. */
function trimValue(): void {
  while (valueStart < valueEnd && isBlank(load<u8>(valueStart))) valueStart++;
  while (valueEnd > valueStart && isBlank(load<u8>(valueEnd - 1))) valueEnd--;
}

/** Reads the field whose first line begins at `at`. A line without a colon is a field without a name. */
function readField(at: u32): void {
  let lineEnd = findByte(at, fieldsEnd, NEWLINE);
  const colon = findByte(at, lineEnd, COLON);
  nameEnd = colon == lineEnd ? at : colon;
  while (nameEnd > at && isSpaceOrTab(load<u8>(nameEnd - 1))) nameEnd--;
  valueStart = colon == lineEnd ? lineEnd : colon + 1;
  isFolded = false;
  while (lineEnd + 1 < fieldsEnd && isSpaceOrTab(load<u8>(lineEnd + 1))) {
    isFolded = true;
    lineEnd = findByte(lineEnd + 1, fieldsEnd, NEWLINE);
  }
  valueEnd = lineEnd;
  fieldEnd = lineEnd + 1;
  trimValue();
}

/** The first field of the header that was read last. Its fields are those from here on as long as `isField` is true. */
export function firstField(): u32 {
  if (fieldsStart < fieldsEnd) readField(fieldsStart);
  return fieldsStart;
}

/** The field after the one that was read last. */
export function nextField(): u32 {
  const next = fieldEnd;
  if (next < fieldsEnd) readField(next);
  return next;
}

export function isField(at: u32): bool {
  return at < fieldsEnd;
}

/** Reads the first field of this name; false if there is none. */
function findField(small: u32, bytes: u32): bool {
  for (let field = firstField(); isField(field); field = nextField()) if (isNamed(field, small, bytes)) return true;
  return false;
}

/** Sets `blockBytes`; returns the class of a header without a length, or KEYED. */
function readLength(): u32 {
  if (!findField(<u32>CONTENT_LENGTH, CONTENT_LENGTH_BYTES)) return WARC_NO_LENGTH;
  if (valueStart == valueEnd) return WARC_BAD_LENGTH;
  let at = valueStart;
  while (at < valueEnd && load<u8>(at) == ZERO_DIGIT) at++;
  if (valueEnd - at > MAX_LENGTH_DIGITS) return WARC_BAD_LENGTH;
  blockBytes = 0;
  for (; at < valueEnd; at++) {
    const digit = <u32>load<u8>(at) - ZERO_DIGIT;
    if (digit > 9) return WARC_BAD_LENGTH;
    blockBytes = blockBytes * 10 + digit;
  }
  return KEYED;
}

/** Reads the header that begins at `start`; returns KEYED, the class of an invalid one, or UNFINISHED. */
export function readHead(start: u32, end: u32): u32 {
  fieldsStart = afterVersion(start, end);
  if (fieldsStart == 0) return WARC_NO_VERSION;
  if (fieldsStart == NO_ADDRESS || !findBlock(fieldsStart, end)) return UNFINISHED;
  return readLength();
}

/** Reads the field with the type of the record; false if there is none. */
export function findType(): bool {
  return findField(<u32>WARC_TYPE, WARC_TYPE_BYTES);
}

/** Tells if the value that was read last is this text in small letters, in any case. */
export function isValue(small: u32, bytes: u32): bool {
  return valueEnd - valueStart == bytes && beginsWith(valueStart, small, bytes);
}

/** Tells if the block of the record is a message of HTTP. */
export function isHttp(): bool {
  if (!findField(<u32>CONTENT_TYPE, CONTENT_TYPE_BYTES)) return false;
  return valueEnd - valueStart >= HTTP_TYPE_BYTES && beginsWith(valueStart, <u32>HTTP_TYPE, HTTP_TYPE_BYTES);
}

/** Joins the lines of the value with spaces, in the scratch region. */
function unfold(): void {
  const joined = scratch();
  let written = joined;
  const end = valueEnd;
  for (let line = valueStart; line < end; ) {
    const lineEnd = findByte(line, end, NEWLINE);
    valueStart = line;
    valueEnd = lineEnd;
    trimValue();
    if (valueStart < valueEnd) {
      if (written > joined) store<u8>(written++, SPACE);
      memory.copy(written, valueStart, valueEnd - valueStart);
      written += valueEnd - valueStart;
    }
    line = lineEnd + 1;
  }
  keepScratch(written);
  valueStart = joined;
  valueEnd = written;
  isFolded = false;
}

/** Makes the value of the field at `name` what it means: on one line and, of an address, without the brackets that wget writes. */
export function settleValue(name: u32): void {
  if (isFolded) unfold();
  const hasBrackets = valueEnd - valueStart > 1 && load<u8>(valueStart) == LESS && load<u8>(valueEnd - 1) == GREATER;
  if (!hasBrackets || !isNamed(name, <u32>TARGET_URI, TARGET_URI_BYTES)) return;
  valueStart++;
  valueEnd--;
}
