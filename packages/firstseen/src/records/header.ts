// The header of csv and tsv. It is a module of its own because the parser takes longer to load than a small run lasts.

import { parse } from 'csv-parse/sync';

export type TableFormat = 'csv' | 'tsv';

/**
 * The fields of one row of csv without their quotes.
 * @throws Error of the parser when the text is not a single row. A quote inside an unquoted field is an error only when strict.
 */
export function csvFields(text: string, isStrict: boolean): string[] {
  const rows = parse(text, { relax_column_count: true, relax_quotes: !isStrict, record_delimiter: ['\r\n', '\n'] });
  if (rows.length !== 1) throw new Error(`the record has ${rows.length} rows`);
  return rows[0] ?? [];
}

/** The names in a header record, without its terminator and byte order mark. Invalid UTF-8 becomes U+FFFD. */
export function headerNames(format: TableFormat, content: Uint8Array): string[] {
  const text = new TextDecoder().decode(content);
  if (format === 'tsv') return text.split('\t');
  return text === '' ? [''] : csvFields(text, false);
}
