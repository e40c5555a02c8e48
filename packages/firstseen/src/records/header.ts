// The header of csv and tsv. It stands apart, as the parser takes longer to load than a small run lasts.

import { parse } from 'csv-parse/sync';

export type TableFormat = 'csv' | 'tsv';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A record's bytes without the newline, or CRLF, at its end. */
export function withoutTerminator(record: Uint8Array): Uint8Array {
  if (record.at(-1) !== NEWLINE) return record;
  return record.subarray(0, record.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

/**
 * The fields of one row of csv, quotes undone.
 * @throws Error of the parser when the text is no single row; a quote inside an unquoted field is a fault only when strict.
 */
export function csvFields(text: string, isStrict: boolean): string[] {
  const rows = parse(text, { relax_column_count: true, relax_quotes: !isStrict, record_delimiter: ['\r\n', '\n'] });
  if (rows.length !== 1) throw new Error(`the record holds ${rows.length} rows`);
  return rows[0] ?? [];
}

/** The names in a header record, its terminator and a byte order mark aside. Invalid UTF-8 becomes U+FFFD. */
export function headerNames(format: TableFormat, record: Uint8Array): string[] {
  const text = new TextDecoder().decode(withoutTerminator(record));
  if (format === 'tsv') return text.split('\t');
  return text === '' ? [''] : csvFields(text, false);
}
