// The fields of rows of csv in dialects with an escape or without quotes, which the parser does not read as the scanner does.

import type { Dialect } from './dialect.js';
import { closingQuote, delimiterAfter } from './fields.js';
import { decodedField } from './ordinary.js';

/**
 * The fields of a row without their quotes and escapes.
 * @throws Error for a quoted field without an end, or with text after it.
 */
export function fieldTexts(row: string, dialect: Dialect): string[] {
  const codes = Uint16Array.from({ length: row.length }, (_, i) => row.charCodeAt(i));
  const fields: string[] = [];
  for (let start = 0; ; ) {
    const isQuoted = codes[start] === dialect.quote;
    const closing = isQuoted ? closingQuote(codes, start, dialect) : start - 1;
    if (isQuoted && closing === -1) throw new Error('a quoted field has no closing quote');
    const found = delimiterAfter(codes, closing + 1, dialect);
    const end = found === -1 ? codes.length : found;
    if (isQuoted && end > closing + 1) throw new Error('there is text after the closing quote of a field');
    const text = isQuoted ? row.slice(start + 1, closing) : row.slice(start, end);
    fields.push(decodedField(text, dialect, isQuoted));
    if (found === -1) return fields;
    start = end + 1;
  }
}
