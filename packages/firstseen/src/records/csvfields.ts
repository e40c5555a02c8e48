// Rows of csv, by a parser that takes longer to load than a small run lasts (parsed.ts).

import { parse } from 'csv-parse/sync';
import { NO_BYTE } from '../kernel/abi.js';
import { type Dialect, plainDialect } from './dialect.js';
import { fieldTexts } from './fieldtexts.js';

/**
 * The fields of one row of csv without their quotes.
 * @throws Error of the parser when the text is not a single row. A quote inside an unquoted field is an error only when strict.
 */
export function csvFields(text: string, isStrict: boolean, dialect: Dialect = plainDialect): string[] {
  if (dialect.escape !== NO_BYTE || dialect.quote === NO_BYTE) return fieldTexts(text, dialect);
  const delimiter = String.fromCharCode(dialect.delimiter);
  const quote = String.fromCharCode(dialect.quote);
  const rows = parse(text, {
    ...{ delimiter, quote, escape: quote, relax_column_count: true, relax_quotes: !isStrict },
    record_delimiter: ['\r\n', '\n'],
  });
  if (rows.length !== 1) throw new Error(`the record has ${rows.length} rows`);
  return rows[0] ?? [];
}
