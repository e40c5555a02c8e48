// The header of csv and tsv.

import { csvFields } from './csvfields.js';

export type TableFormat = 'csv' | 'tsv';

/** The names in a header record, without its terminator and byte order mark. Invalid UTF-8 becomes U+FFFD. */
export function headerNames(format: TableFormat, content: Uint8Array): string[] {
  const text = new TextDecoder().decode(content);
  if (format === 'tsv') return text.split('\t');
  return text === '' ? [''] : csvFields(text, false);
}
