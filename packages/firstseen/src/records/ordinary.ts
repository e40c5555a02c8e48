// Ordinary rows, which need no parser: rows of tsv, and rows of csv in which every field is as in RFC 4180.

import { type Dialect, plainDialect } from './dialect.js';

export type TableFormat = 'csv' | 'tsv';

/** A field with the text between its quotes, or without quotes, and the delimiter after it, if there is one. */
function fieldPattern({ delimiter, quote }: Dialect): RegExp {
  const [d, q] = [delimiter, quote].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
  return new RegExp(`(?:([^${q}${d}\\r\\n]*)|${q}([^${q}]*(?:${q}${q}[^${q}]*)*)${q})(${d}|$)`, 'y');
}

/** Longer rows go to the parser, because each pair of quotes takes space on the stack of a regular expression. */
const MOST_ORDINARY_CHARACTERS = 65536;

/**
 * The index of the quote that closes the field of csv that begins with a quote at `start`; -1 if there is none. Two quotes are one
 * that is content (RFC 4180, section 2.7).
 */
export function closingQuote(bytes: Uint8Array, start: number, { quote }: Dialect): number {
  let at = bytes.indexOf(quote, start + 1);
  while (at !== -1 && bytes[at + 1] === quote) at = bytes.indexOf(quote, at + 2);
  return at;
}

/** The fields of an ordinary row without their quotes; undefined for other rows, which go to the parser. */
export function ordinaryFields(row: string, dialect: Dialect = plainDialect): string[] | undefined {
  if (row === '' || row.length > MOST_ORDINARY_CHARACTERS) return undefined;
  const pattern = fieldPattern(dialect);
  const quote = String.fromCharCode(dialect.quote);
  for (const fields: string[] = []; ; ) {
    const field = pattern.exec(row);
    if (field === null) return undefined;
    fields.push(field[1] ?? (field[2] as string).replaceAll(quote + quote, quote));
    if (field[3] === '') return fields;
  }
}

/** The names in an ordinary header, as `headerNames`; undefined for others. */
export function ordinaryNames(format: TableFormat, content: Uint8Array, dialect?: Dialect): string[] | undefined {
  const text = new TextDecoder().decode(content);
  if (format === 'tsv') return text.split('\t');
  return text === '' ? [''] : ordinaryFields(text, dialect);
}
