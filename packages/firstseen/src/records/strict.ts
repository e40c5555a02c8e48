// Validates a whole record. This is much slower than the scanner, which looks no further than the key.

import { csvFields } from './csvfields.js';
import type { Dialect } from './dialect.js';
import { type FormatName, recordFormatNamed } from './formats.js';
import { jsonFault } from './jsonfault.js';
import { withoutSeparators } from './jsonsequence.js';
import { ordinaryFields } from './ordinary.js';

/** Pairs of a name and a value with an equals sign between them, or names alone. */
const PAIRS = /^[\0- ]*(?:[^\0- ="]+(?:=(?:"(?:[^"\\]|\\.)*"|[^\0- "=]*))?(?:[\0- ]+|$))*$/s;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function jsonProblem(record: string): string | undefined {
  const text = withoutSeparators(record);
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? undefined : 'the line is not a JSON object';
  } catch (error) {
    const fault = jsonFault(text);
    if (fault === undefined) return reasonOf(error);
    const offset = record.length - text.length + fault.offset;
    const bytesBefore = new TextEncoder().encode(record.slice(0, offset)).length;
    const place = fault.offset === text.length ? 'it ends' : 'there is something else';
    return `the line is not valid JSON: at byte ${bytesBefore + 1}, ${fault.expected} is expected, but ${place}`;
  }
}

function rowProblem(fieldCount: (text: string) => number, text: string, columnCount?: number): string | undefined {
  try {
    const found = fieldCount(text);
    return columnCount === undefined || found === columnCount
      ? undefined
      : `the row has ${found} fields where ${columnCount} are expected`;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The parser takes about 16 us per row. */
function csvFieldCount(row: string, dialect?: Dialect): number {
  return ordinaryFields(row, dialect)?.length ?? csvFields(row, true, dialect).length;
}

function tsvFieldCount(row: string): number {
  return row.split('\t').length;
}

/**
 * Returns the reason why a record is invalid in its format; undefined if it is valid.
 * @param content the bytes of the record without its terminator
 * @param columnCount the required number of fields of a row of csv or tsv; any number by default
 * @param dialect of csv; that of RFC 4180 by default
 */
export function strictProblem(
  format: FormatName,
  content: Uint8Array,
  columnCount?: number,
  dialect?: Dialect,
): string | undefined {
  const { strict } = recordFormatNamed(format);
  if (strict === 'framed') return undefined;
  let text: string;
  try {
    text = utf8.decode(content);
  } catch {
    return 'the record is not valid UTF-8';
  }
  switch (strict) {
    case 'json':
      return jsonProblem(text);
    case 'csv':
      return rowProblem((row) => csvFieldCount(row, dialect), text, columnCount);
    case 'tsv':
      return rowProblem(tsvFieldCount, text, columnCount);
    case 'pairs':
      return PAIRS.test(text) ? undefined : `the line is not well-formed ${format}`;
  }
}
