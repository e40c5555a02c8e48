// Ordinary rows, which need no parser: rows of tsv, rows of csv in which every field is as in RFC 4180, and rows of dialects with an
// escape or without quotes, which the parser does not read as the scanner does.

import { NO_BYTE } from '../kernel/abi.js';
import { type Dialect, plainDialect } from './dialect.js';
import { fieldTexts } from './fields.js';

export type TableFormat = 'csv' | 'tsv';

/** A field with the text between its quotes, or without quotes, and the delimiter after it, if there is one. */
function fieldPattern({ delimiter, quote }: Dialect): RegExp {
  const [d, q] = [delimiter, quote].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`);
  return new RegExp(`(?:([^${q}${d}\\r\\n]*)|${q}([^${q}]*(?:${q}${q}[^${q}]*)*)${q})(${d}|$)`, 'y');
}

/** Longer rows go to the parser, because each pair of quotes takes space on the stack of a regular expression. */
const MOST_ORDINARY_CHARACTERS = 65536;

/**
 * The fields of an ordinary row without their quotes; undefined for other rows, which go to the parser.
 * @throws Error why a row is not valid in a dialect with an escape or without quotes
 */
export function ordinaryFields(row: string, dialect: Dialect = plainDialect): string[] | undefined {
  if (row === '') return undefined;
  if (dialect.escape !== NO_BYTE || dialect.quote === NO_BYTE) return fieldTexts(row, dialect);
  if (row.length > MOST_ORDINARY_CHARACTERS) return undefined;
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
