// Rows of fields with a delimiter between them, quoted as in RFC 4180. A quote has a meaning only as the first byte of a field;
// within fields that no key needs, only newlines and quotes matter.

import { BLANK, KEYED, TEXT_AFTER_QUOTE, TOO_LONG, UNTERMINATED_QUOTE } from '../lib/classes';
import { CARRIAGE_RETURN, findByte, findEither, NEWLINE, withoutCarriageReturn } from './bytes';
import { beginKey, keepScratch, missingClass, scratch, setPart, storeKey, storeParts } from './keys';
import { lacksRankOnly, storeLastPart } from './ranks';
import { addRecord, isBatchFull } from './records';
import {
  delimiter,
  hasRank,
  keyColumn,
  keyCount,
  keyIndex,
  maximumRecordBytes,
  PARTS_OFFSET,
  partCount,
  quote,
} from './settings';

/** The class of the error in the current row's quoting; KEYED if there is none. */
let rowClass: u32 = 0;
/** The number of wanted columns that the current row has. */
let columnsFound: u32 = 0;

/** The closing quote of a field whose content begins at `position`, or `end`. */
function closingQuote(position: u32, end: u32): u32 {
  let at = findByte(position, end, quote);
  while (at + 1 < end && load<u8>(at + 1) == quote) at = findByte(at + 2, end, quote);
  return at;
}

/** Whether a field may end at `at`: at a delimiter, the end of a line or the end of the input. */
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

/** The newline that ends the row that has a field at `fieldStart`, or `end`. */
function rowEnd(fieldStart: u32, end: u32): u32 {
  let at = skipQuoted(fieldStart, end);
  while (true) {
    at = findEither(at, end, NEWLINE, quote);
    if (at == end || load<u8>(at) == NEWLINE) return at;
    at = load<u8>(at - 1) == delimiter ? skipQuoted(at, end) : at + 1;
  }
}

/** Sets the raw bytes of the wanted columns as parts; returns the newline that ends the row, or `end`. */
function walkRow(start: u32, end: u32): u32 {
  rowClass = KEYED;
  columnsFound = 0;
  let fieldStart = start;
  for (let column: u32 = 0; columnsFound < partCount; column++) {
    const fieldEnd = findEither(skipQuoted(fieldStart, end), end, delimiter, NEWLINE);
    // The time can be in a column that is also a key.
    while (columnsFound < partCount && column == keyColumn(columnsFound)) {
      setPart(keyIndex(columnsFound), fieldStart, fieldEnd);
      columnsFound++;
    }
    if (fieldEnd == end || load<u8>(fieldEnd) == NEWLINE) return fieldEnd;
    fieldStart = fieldEnd + 1;
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

/** Replaces part `index` by the content of the field whose raw bytes it holds. */
function decodePart(index: u32, contentEnd: u32): void {
  const part = PARTS_OFFSET + (index << 3);
  const start = load<u32>(part);
  const end = min(load<u32>(part, 4), contentEnd);
  if (start == end || load<u8>(start) != quote) return setPart(index, start, end);
  const contentStart = start + 1;
  if (findByte(contentStart, end - 1, quote) == end - 1) return setPart(index, contentStart, end - 1);
  const decoded = scratch();
  keepScratch(undoubleQuotes(contentStart, end - 1));
  setPart(index, decoded, scratch());
}

function storeRowKey(start: u32, contentEnd: u32): u32 {
  if (keyCount == 0) return storeKey(start, contentEnd);
  beginKey();
  for (let index: u32 = 0; index < keyCount; index++) decodePart(index, contentEnd);
  return storeParts();
}

/** Removes the quotes around the time, or decodes the rank. No valid time has doubled quotes inside. */
function decodeLastPart(contentEnd: u32): void {
  if (hasRank) return decodePart(keyCount, contentEnd);
  const part = PARTS_OFFSET + (keyCount << 3);
  const start = load<u32>(part);
  const end = min(load<u32>(part, 4), contentEnd);
  const quotes = u32(end - start >= 2 && load<u8>(start) == quote);
  setPart(keyCount, start + quotes, end - quotes);
}

/** Stores the fingerprint of the walked row's key, and its time or rank; returns the row's class. */
function keyOfRow(start: u32, contentEnd: u32): u32 {
  if (contentEnd == start) return BLANK;
  if (contentEnd - start > maximumRecordBytes) return TOO_LONG;
  if (rowClass != KEYED) return rowClass;
  if (columnsFound < partCount && !lacksRankOnly(columnsFound)) return missingClass(columnsFound);
  const recordClass = storeRowKey(start, contentEnd);
  if (recordClass != KEYED || partCount == keyCount) return recordClass;
  decodeLastPart(contentEnd);
  return storeLastPart();
}

/** Reads the rows that end in [position, end); returns the first byte not consumed. */
export function scanRows(position: u32, end: u32, isFinal: bool): u32 {
  let start = position;
  while (start < end && !isBatchFull()) {
    const newline = walkRow(start, end);
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

/** Where `skipCsvRecord` is in a field, between two calls. */
let skipPlace: u32 = AT_FIELD_START;

/** Must be called before the first `skipCsvRecord` of a row. */
export function skipCsvReset(): void {
  skipPlace = AT_FIELD_START;
}

/**
 * Finds the end of a row that is longer than the region, one piece at a time: returns one past its newline, or 0 if the
 * row does not end in [position, end).
 */
export function skipCsvRecord(position: u32, end: u32): u32 {
  let at = position;
  while (at < end) {
    if (skipPlace == IN_QUOTES) {
      at = findByte(at, end, quote);
      if (at == end) return 0;
      skipPlace = AFTER_QUOTE;
      at++;
    } else if (skipPlace == IN_PLAIN) {
      at = findEither(at, end, delimiter, NEWLINE);
      if (at == end) return 0;
      skipPlace = AT_FIELD_START;
      at++;
      if (load<u8>(at - 1) == NEWLINE) return at;
    } else {
      const isQuote = load<u8>(at) == quote;
      skipPlace = isQuote ? IN_QUOTES : IN_PLAIN;
      at += u32(isQuote);
    }
  }
  return 0;
}
