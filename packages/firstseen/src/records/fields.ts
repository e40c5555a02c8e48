// Where the fields of a row of csv begin and end, in every dialect, as the scanner finds it (assembly/scan/csv.ts).

import { NO_BYTE } from '../kernel/abi.js';
import type { Dialect } from './dialect.js';

const [NEWLINE, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** The bytes of a row, or the codes of its characters. */
interface Row {
  readonly length: number;
  indexOf(byte: number, from?: number): number;
  readonly [index: number]: number;
}

/** The index of the first byte from `from` on that is one of these, without those after an escape; -1 if there is none. */
function findOutsideEscapes(row: Row, from: number, wanted: number, escapeByte: number): number {
  for (let at = from; ; ) {
    const found = row.indexOf(wanted, at);
    if (found === -1 || escapeByte === NO_BYTE) return found;
    const escaped = row.indexOf(escapeByte, at);
    if (escaped === -1 || escaped > found) return found;
    at = escaped + 2;
  }
}

/**
 * The index of the quote that closes the field of csv that begins with a quote at `start`; -1 if there is none. Two quotes are one
 * that is content (RFC 4180, section 2.7), and so is one after an escape.
 */
export function closingQuote(row: Row, start: number, { quote, ...dialect }: Dialect): number {
  let at = findOutsideEscapes(row, start + 1, quote, dialect.escape);
  while (at !== -1 && row[at + 1] === quote) at = findOutsideEscapes(row, at + 2, quote, dialect.escape);
  return at;
}

/** The index of the delimiter after the text without quotes that begins at `from`; -1 if there is none. */
export function delimiterAfter(row: Row, from: number, { delimiter, ...dialect }: Dialect): number {
  return findOutsideEscapes(row, from, delimiter, dialect.escape);
}

function inPattern(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** Decodes the text of a field, between its quotes if it has some, as the scanner does for keys. */
function decoded(text: string, dialect: Dialect, isQuoted: boolean): string {
  const { delimiter, quote } = dialect;
  const pairs = [
    ...(dialect.escape === NO_BYTE ? [] : [`${inPattern(dialect.escape)}[^]`]),
    ...(isQuoted ? [inPattern(quote).repeat(2)] : []),
  ];
  if (pairs.length === 0) return text;
  const special = [delimiter, quote, NEWLINE, CARRIAGE_RETURN];
  return text.replace(new RegExp(pairs.join('|'), 'g'), (pair) =>
    special.includes(pair.charCodeAt(1)) ? pair.slice(1) : pair,
  );
}

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
    fields.push(decoded(text, dialect, isQuoted));
    if (found === -1) return fields;
    start = end + 1;
  }
}
