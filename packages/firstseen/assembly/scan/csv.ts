// Rows of fields with a delimiter between them, quoted as in RFC 4180. A quote has a meaning only as the first byte of a field;
// within fields that no key needs, only newlines and quotes matter. In a dialect with an escape, the byte after each escape is content,
// in quotes and without.

import { BLANK, KEYED, TEXT_AFTER_QUOTE, TOO_LONG, UNTERMINATED_QUOTE } from '../lib/classes';
import { CARRIAGE_RETURN, findAny, findByte, findEither, NEWLINE, withoutCarriageReturn } from './bytes';
import { isComment } from './comments';
import { beginRest, cutColumn, endOfRest, finishRest, isCut } from './except';
import { beginKey, keepScratch, missingClass, scratch, setPart, storeParts, storeText, storeWhole } from './keys';
import { lacksRankOnly, storeLastPart } from './ranks';
import { addRecord, isBatchFull } from './records';
import {
  commentBytes,
  commentStart,
  delimiter,
  escapeByte,
  exceptCount,
  hasRank,
  keyColumn,
  keyCount,
  keyIndex,
  maximumRecordBytes,
  NO_BYTE,
  PARTS_OFFSET,
  partCount,
  quote,
} from './settings';

/** The class of the error in the current row's quoting; KEYED if there is none. */
let rowClass: u32 = 0;
/** The number of wanted columns that the current row has. */
let columnsFound: u32 = 0;

/** The byte after an escape and the byte that it makes content, or `end`. */
function afterEscape(at: u32, end: u32): u32 {
  return min(at + 2, end);
}

/** As `closingQuote`, in a dialect with an escape. */
function unescapedQuote(position: u32, end: u32): u32 {
  let at = position;
  while (true) {
    at = findEither(at, end, quote, escapeByte);
    if (at == end) return end;
    if (load<u8>(at) == escapeByte) at = afterEscape(at, end);
    else if (at + 1 < end && load<u8>(at + 1) == quote) at += 2;
    else return at;
  }
}

/** The closing quote of a field whose content begins at `position`, or `end`. */
function closingQuote(position: u32, end: u32): u32 {
  if (escapeByte != NO_BYTE) return unescapedQuote(position, end);
  let at = findByte(position, end, quote);
  while (at + 1 < end && load<u8>(at + 1) == quote) at = findByte(at + 2, end, quote);
  return at;
}

/** Tells if a field may end at `at`: at a delimiter, the end of a line or the end of the input. */
function isFieldEnd(at: u32, end: u32): bool {
  if (at == end) return true;
  const byte = <u32>load<u8>(at);
  if (byte == CARRIAGE_RETURN) return at + 1 < end && load<u8>(at + 1) == NEWLINE;
  return byte == delimiter || byte == NEWLINE;
}

/** One past the closing quote if a quoted field begins at `at`, otherwise `at`. */
function skipQuoted(at: u32, end: u32): u32 {
  if (at == end || load<u8>(at) != quote) return at;
  const closing = closingQuote(at + 1, end);
  if (closing == end) {
    rowClass = UNTERMINATED_QUOTE;
    return end;
  }
  // The rest of the field is read as plain text, which is the most likely way to resynchronize.
  if (!isFieldEnd(closing + 1, end)) rowClass = TEXT_AFTER_QUOTE;
  return closing + 1;
}

/** The delimiter or newline that ends the field whose unquoted text begins at `position`, or `end`. */
function fieldEnd(position: u32, end: u32): u32 {
  if (escapeByte == NO_BYTE) return findEither(position, end, delimiter, NEWLINE);
  let at = position;
  while (true) {
    at = findAny(at, end, delimiter, NEWLINE, escapeByte);
    if (at == end || load<u8>(at) != escapeByte) return at;
    at = afterEscape(at, end);
  }
}

/** As `rowEnd`, in a dialect with an escape. */
function walkedRowEnd(fieldStart: u32, end: u32): u32 {
  let start = fieldStart;
  while (true) {
    const at = fieldEnd(skipQuoted(start, end), end);
    if (at == end || load<u8>(at) == NEWLINE) return at;
    start = at + 1;
  }
}

/** The newline that ends the row that has a field at `fieldStart`, or `end`. */
function rowEnd(fieldStart: u32, end: u32): u32 {
  if (escapeByte != NO_BYTE) return walkedRowEnd(fieldStart, end);
  if (quote == NO_BYTE) return findByte(fieldStart, end, NEWLINE);
  let at = skipQuoted(fieldStart, end);
  while (true) {
    at = findEither(at, end, NEWLINE, quote);
    if (at == end || load<u8>(at) == NEWLINE) return at;
    at = load<u8>(at - 1) == delimiter ? skipQuoted(at, end) : at + 1;
  }
}

/** As `walkRow`, for a line that is a comment, in which quotes have no meaning. */
function walkComment(start: u32, end: u32): u32 {
  rowClass = BLANK;
  return findByte(start, end, NEWLINE);
}

/** Sets the raw bytes of the wanted columns as parts; returns the newline that ends the row, or `end`. */
function walkRow(start: u32, end: u32): u32 {
  rowClass = KEYED;
  columnsFound = 0;
  let fieldStart = start;
  for (let column: u32 = 0; columnsFound < partCount; column++) {
    const last = fieldEnd(skipQuoted(fieldStart, end), end);
    // The time can be in a column that is also a key.
    while (columnsFound < partCount && column == keyColumn(columnsFound)) {
      setPart(keyIndex(columnsFound), fieldStart, last);
      columnsFound++;
    }
    if (last == end || load<u8>(last) == NEWLINE) return last;
    fieldStart = last + 1;
  }
  return rowEnd(fieldStart, end);
}

/**
 * Copies a quoted field's content to the scratch region with its doubled quotes reduced to one; returns one past it.
 */
function undoubleQuotes(start: u32, end: u32): u32 {
  let written = scratch();
  let at = start;
  while (at < end) {
    const copied = min(findByte(at, end, quote) + 1, end);
    memory.copy(written, at, copied - at);
    written += copied - at;
    at = copied + 1;
  }
  return written;
}

/** Tells if a byte has another meaning without an escape before it. The escape itself is not among them. */
function isSpecial(byte: u32): bool {
  return byte == delimiter || byte == quote || byte == NEWLINE || byte == CARRIAGE_RETURN;
}

/**
 * Copies a field's content to the scratch region without the escapes before special bytes; returns one past it. All other escapes stay,
 * because programs write other bytes as pairs such as \n, which must not become the same as another text.
 */
function unescape(start: u32, end: u32, isQuoted: bool): u32 {
  let written = scratch();
  let at = start;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    const next: u32 = at + 1 < end ? <u32>load<u8>(at + 1) : NO_BYTE;
    const isPair = byte == escapeByte && next != NO_BYTE;
    if (isPair && !isSpecial(next)) {
      store<u8>(written++, byte);
      at++;
    } else if (isPair || (isQuoted && byte == quote && next == quote)) {
      at++;
    }
    store<u8>(written++, load<u8>(at++));
  }
  return written;
}

/** Replaces part `index` by the content of a field that has an escape. */
function decodeEscaped(index: u32, start: u32, end: u32): void {
  const isQuoted = start < end && load<u8>(start) == quote;
  const decoded = scratch();
  keepScratch(unescape(start + u32(isQuoted), end - u32(isQuoted), isQuoted));
  setPart(index, decoded, scratch());
}

/** Replaces part `index` by the content of the field whose raw bytes it holds. */
function decodePart(index: u32, contentEnd: u32): void {
  const part = PARTS_OFFSET + (index << 3);
  const start = load<u32>(part);
  const end = min(load<u32>(part, 4), contentEnd);
  if (escapeByte != NO_BYTE && findByte(start, end, escapeByte) < end) return decodeEscaped(index, start, end);
  if (start == end || load<u8>(start) != quote) return setPart(index, start, end);
  const contentStart = start + 1;
  if (findByte(contentStart, end - 1, quote) == end - 1) return setPart(index, contentStart, end - 1);
  const decoded = scratch();
  keepScratch(undoubleQuotes(contentStart, end - 1));
  setPart(index, decoded, scratch());
}

/** Stores the fingerprint of a row whose quoting has no error without the columns that are left out of it; returns its class. */
function storeRowRest(start: u32, contentEnd: u32): u32 {
  beginKey();
  beginRest(start);
  let fieldStart = start;
  for (let column: u32 = 0; !isCut(); column++) {
    const last = fieldEnd(skipQuoted(fieldStart, contentEnd), contentEnd);
    cutColumn(column, fieldStart, last);
    if (last == contentEnd) break;
    fieldStart = last + 1;
  }
  return storeText(finishRest(contentEnd), endOfRest());
}

function storeRowKey(start: u32, contentEnd: u32): u32 {
  if (exceptCount != 0) return storeRowRest(start, contentEnd);
  if (keyCount == 0) return storeWhole(start, contentEnd);
  beginKey();
  for (let index: u32 = 0; index < keyCount; index++) decodePart(index, contentEnd);
  return storeParts();
}

/** Removes the quotes around part `index`, which is of the time. No valid time has doubled quotes inside. */
function unquotePart(index: u32, contentEnd: u32): void {
  const part = PARTS_OFFSET + (index << 3);
  const start = load<u32>(part);
  const end = min(load<u32>(part, 4), contentEnd);
  const quotes = u32(end - start >= 2 && load<u8>(start) == quote);
  setPart(index, start + quotes, end - quotes);
}

/** Removes the quotes around the parts of the time, or decodes the rank. */
function decodeLastParts(contentEnd: u32): void {
  if (hasRank) return decodePart(keyCount, contentEnd);
  for (let index = keyCount; index < partCount; index++) unquotePart(index, contentEnd);
}

/** Stores the fingerprint of the walked row's key, and its time or rank; returns the row's class. */
function keyOfRow(start: u32, contentEnd: u32): u32 {
  if (contentEnd == start) return BLANK;
  if (contentEnd - start > maximumRecordBytes) return TOO_LONG;
  if (rowClass != KEYED) return rowClass;
  if (columnsFound < partCount && !lacksRankOnly(columnsFound)) return missingClass(columnsFound);
  const recordClass = storeRowKey(start, contentEnd);
  if (recordClass != KEYED || partCount == keyCount) return recordClass;
  decodeLastParts(contentEnd);
  return storeLastPart();
}

/** Reads the rows that end in [position, end); returns the first byte not consumed. */
export function scanRows(position: u32, end: u32, isFinal: bool): u32 {
  let start = position;
  while (start < end && !isBatchFull()) {
    const newline = isComment(start, end) ? walkComment(start, end) : walkRow(start, end);
    const hasNewline = newline < end;
    if (!hasNewline && !isFinal) return start;
    const recordEnd = hasNewline ? newline + 1 : end;
    addRecord(start, recordEnd, keyOfRow(start, hasNewline ? withoutCarriageReturn(start, newline) : end));
    start = recordEnd;
  }
  return start;
}

const AT_FIELD_START: u32 = 0;
const IN_PLAIN: u32 = 1;
const IN_QUOTES: u32 = 2;
/** After a quote inside quotes: it closes the field unless another quote follows. */
const AFTER_QUOTE: u32 = 3;
/** After an escape outside and inside quotes. */
const ESCAPED: u32 = 4;
const ESCAPED_IN_QUOTES: u32 = 5;
/** In what a comment begins with, and after it. */
const AT_ROW_START: u32 = 6;
const IN_COMMENT: u32 = 7;

/** The place of `skipCsvRecord` in a field, between two calls. */
let skipPlace: u32 = AT_FIELD_START;
/** The bytes of the row that are those of what a comment begins with. */
let commentMatched: u32 = 0;

/** Must be called before the first `skipCsvRecord` of a row. */
export function skipCsvReset(): void {
  skipPlace = commentBytes == 0 ? AT_FIELD_START : AT_ROW_START;
  commentMatched = 0;
}

/**
 * Compares a byte at the start of a row with what a comment begins with, none of whose bytes has another meaning; returns the number of
 * bytes that are done.
 */
function skipRowStart(byte: u32): u32 {
  const isMatch = byte == <u32>load<u8>(commentStart + commentMatched);
  if (isMatch) commentMatched++;
  else skipPlace = commentMatched == 0 ? AT_FIELD_START : IN_PLAIN;
  if (commentMatched == commentBytes) skipPlace = IN_COMMENT;
  return u32(isMatch);
}

/**
 * Finds the end of a row that is longer than the region, one piece at a time: returns one past its newline, or 0 if the
 * row does not end in [position, end).
 */
export function skipCsvRecord(position: u32, end: u32): u32 {
  let at = position;
  while (at < end) {
    if (skipPlace == IN_QUOTES) {
      at = escapeByte == NO_BYTE ? findByte(at, end, quote) : findEither(at, end, quote, escapeByte);
      if (at == end) return 0;
      skipPlace = load<u8>(at) == escapeByte ? ESCAPED_IN_QUOTES : AFTER_QUOTE;
      at++;
    } else if (skipPlace == IN_PLAIN) {
      at =
        escapeByte == NO_BYTE
          ? findEither(at, end, delimiter, NEWLINE)
          : findAny(at, end, delimiter, NEWLINE, escapeByte);
      if (at == end) return 0;
      skipPlace = load<u8>(at) == escapeByte ? ESCAPED : AT_FIELD_START;
      at++;
      if (load<u8>(at - 1) == NEWLINE) return at;
    } else if (skipPlace == ESCAPED || skipPlace == ESCAPED_IN_QUOTES) {
      skipPlace = skipPlace == ESCAPED ? IN_PLAIN : IN_QUOTES;
      at++;
    } else if (skipPlace == AT_ROW_START) {
      at += skipRowStart(<u32>load<u8>(at));
    } else if (skipPlace == IN_COMMENT) {
      at = findByte(at, end, NEWLINE);
      return at == end ? 0 : at + 1;
    } else {
      const isQuote = load<u8>(at) == quote;
      skipPlace = isQuote ? IN_QUOTES : IN_PLAIN;
      at += u32(isQuote);
    }
  }
  return 0;
}
