// Validation of one record in full: slower by far than the scanner, which looks no further than the key.

import type { FormatName } from './formats.js';
import { csvFields, withoutTerminator } from './header.js';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function jsonProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? undefined : 'the line is not a JSON object';
  } catch (error) {
    return reasonOf(error);
  }
}

function rowProblem(fieldsOf: (text: string) => string[], text: string, columnCount?: number): string | undefined {
  try {
    const found = fieldsOf(text).length;
    return columnCount === undefined || found === columnCount
      ? undefined
      : `the row has ${found} fields where ${columnCount} are expected`;
  } catch (error) {
    return reasonOf(error);
  }
}

/** A row of csv without a quote is its fields and the commas between them; others need the parser, which takes 16 us a row. */
function csvRowFields(row: string): string[] {
  return row === '' || /["\n]/.test(row) ? csvFields(row, true) : row.split(',');
}

/**
 * Why a record is not valid in its format, or undefined when it is. Lines and u64 have nothing to break.
 * @param record the record's bytes; a terminator at their end is left aside
 * @param columnCount fields that every row of csv and tsv has to have; any number when not given
 */
export function strictProblem(format: FormatName, record: Uint8Array, columnCount?: number): string | undefined {
  if (format === 'lines' || format === 'u64') return undefined;
  let text: string;
  try {
    text = utf8.decode(withoutTerminator(record));
  } catch {
    return 'the record is not valid UTF-8';
  }
  if (format === 'ndjson') return jsonProblem(text);
  return rowProblem(format === 'csv' ? csvRowFields : (row) => row.split('\t'), text, columnCount);
}
