// Finds where the rows of a table go on after a quote that is not closed, so that such a quote costs one row and not the rest of the input.

import { bytesBetween } from '../kernel/bytes.js';
import type { Kernel } from '../kernel/kernel.js';
import { recordClasses } from '../records/classes.js';
import { type Dialect, plainDialect } from '../records/dialect.js';
import { closingQuote, delimiterAfter } from '../records/fields.js';
import type { FormatName } from '../records/formats.js';
import type { ErrorPolicy } from '../records/policies.js';

const [NEWLINE, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * Lines in a row that must be rows, to take them for rows inside a record that is too long. Such a record may also be a row with a long
 * text, and a line of prose can have as many delimiters as a row.
 */
const TRUSTED_LINES = 8;

/** The options that decide whether rows are looked through. */
export interface SwallowedOptions {
  kernel: Kernel;
  format: FormatName;
  /** The dialect of the table; that of RFC 4180 by default. */
  dialect?: Dialect | undefined;
  onError: ErrorPolicy;
  maxRecordBytes: number;
}

/** A row in the window, or its beginning if it is longer than allowed. */
export interface FramedRow {
  recordClass: number;
  start: number;
  end: number;
}

/** The classes of rows that may hold other rows, which a quote without an end has swallowed. */
const maySwallow: ReadonlySet<number> = new Set([
  recordClasses.UNTERMINATED_QUOTE.code,
  recordClasses.TEXT_AFTER_QUOTE.code,
  recordClasses.TOO_LONG.code,
]);

/** The properties that the rows of a table have in common. */
interface Table {
  columnCount: number;
  dialect: Dialect;
}

/** The index of the byte after the quoted field that begins at `start`; -1 if the line has no end of it. */
function quotedEnd(line: Uint8Array, start: number, dialect: Dialect): number {
  const end = closingQuote(line, start, dialect) + 1;
  return end > 0 && (end === line.length || line[end] === dialect.delimiter) ? end : -1;
}

/** The number of fields of a line without its end; 0 if it is not a row by itself. */
function fieldsOfLine(line: Uint8Array, dialect: Dialect): number {
  for (let start = 0, fields = 1; ; fields++) {
    const isQuoted = line[start] === dialect.quote;
    const end = isQuoted ? quotedEnd(line, start, dialect) : delimiterAfter(line, start, dialect);
    if (isQuoted && end === -1) return 0;
    if (end === -1 || end === line.length) return fields;
    start = end + 1;
  }
}

function isRow(bytes: Uint8Array, start: number, newline: number, { columnCount, dialect }: Table): boolean {
  const end = newline > start && bytes[newline - 1] === CARRIAGE_RETURN ? newline - 1 : newline;
  return end > start && fieldsOfLine(bytes.subarray(start, end), dialect) === columnCount;
}

/** The number of lines in a row from `start` on that are rows, up to `most`. Those that the bytes end in are not counted. */
function rowsFrom(bytes: Uint8Array, start: number, table: Table, most: number): number {
  let [rows, at] = [0, start];
  while (rows < most) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline === -1 || !isRow(bytes, at, newline, table)) return rows;
    rows += 1;
    at = newline + 1;
  }
  return rows;
}

/** The index of the first line after the first one that is a row; undefined if there is none. */
function swallowedIn(bytes: Uint8Array, table: Table, isTooLong: boolean): number | undefined {
  for (let newline = bytes.indexOf(NEWLINE); newline !== -1; newline = bytes.indexOf(NEWLINE, newline + 1)) {
    const start = newline + 1;
    const isFound = isTooLong
      ? rowsFrom(bytes, start, table, TRUSTED_LINES) === TRUSTED_LINES
      : rowsFrom(bytes, start, table, 1) === 1 ||
        (bytes.indexOf(NEWLINE, start) === -1 && isRow(bytes, start, bytes.length, table));
    if (isFound) return start;
  }
  return undefined;
}

/** Tells if rows are looked through: only rows that are dropped lose others. */
function areLookedThrough(
  { format, onError }: SwallowedOptions,
  columnCount: number | undefined,
): columnCount is number {
  return format === 'csv' && onError === 'drop' && columnCount !== undefined;
}

function swallowedBy(
  { kernel, maxRecordBytes, dialect = plainDialect }: SwallowedOptions,
  { recordClass, start, end }: FramedRow,
  columnCount: number,
): number | undefined {
  if (!maySwallow.has(recordClass)) return undefined;
  const isTooLong = recordClass === recordClasses.TOO_LONG.code;
  // The answer must not depend on how much of a row that is too long has arrived.
  const bytes = bytesBetween(kernel, start, isTooLong ? Math.min(end, start + maxRecordBytes) : end);
  return swallowedIn(bytes, { columnCount, dialect }, isTooLong);
}

/** The bytes of a row before the first row that a quote without an end has swallowed; undefined if it has swallowed none. */
export function bytesBeforeSwallowed(
  options: SwallowedOptions,
  row: FramedRow,
  columnCount: number | undefined,
): number | undefined {
  return areLookedThrough(options, columnCount) ? swallowedBy(options, row, columnCount) : undefined;
}

/** The first row of a batch that has swallowed others, and its bytes before them; undefined if there is none. */
export function firstBrokenRow(
  options: SwallowedOptions,
  recordCount: number,
  columnCount: number | undefined,
): { index: number; bytes: number } | undefined {
  if (!areLookedThrough(options, columnCount)) return undefined;
  const { recordClasses: classes, recordStarts, recordEnds } = options.kernel;
  for (let index = 0; index < recordCount; index++) {
    const [recordClass, start, end] = [classes[index], recordStarts[index], recordEnds[index]] as [
      number,
      number,
      number,
    ];
    const bytes = swallowedBy(options, { recordClass, start, end }, columnCount);
    if (bytes !== undefined) return { index, bytes };
  }
  return undefined;
}
