// Where the fields of a row of csv begin and end, in every dialect, as the scanner finds it (assembly/scan/csv.ts).

import { NO_BYTE } from '../kernel/abi.js';
import type { Dialect } from './dialect.js';
import { decodedField } from './ordinary.js';

/** The bytes of a row. */
interface Row {
  readonly length: number;
  indexOf(byte: number, from?: number): number;
  readonly [index: number]: number;
}

/** The index of the first such byte from `from` on that is not after an escape; -1 if there is none. */
function findOutsideEscapes(row: Row, from: number, wanted: number, escapeByte: number): number {
  let found = row.indexOf(wanted, from);
  for (let at = from; found !== -1 && escapeByte !== NO_BYTE; ) {
    const escaped = row.indexOf(escapeByte, at);
    if (escaped === -1 || escaped > found) return found;
    at = escaped + 2;
    if (found < at) found = row.indexOf(wanted, at);
  }
  return found;
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

/** The text of a field of a row without its terminator, decoded as a key is; undefined if the row has no such column. */
export function fieldText(
  row: Uint8Array,
  column: number,
  dialect: Dialect,
  decoder: { decode(bytes: Uint8Array): string },
): string | undefined {
  let at = 0;
  for (let i = 0; ; i++) {
    const isQuoted = dialect.quote !== NO_BYTE && row[at] === dialect.quote;
    const close = isQuoted ? closingQuote(row, at, dialect) : -1;
    const delimiterAt = delimiterAfter(row, isQuoted && close !== -1 ? close + 1 : at, dialect);
    const end = delimiterAt === -1 ? row.length : delimiterAt;
    if (i === column) {
      const text = close === -1 ? row.subarray(at, end) : row.subarray(at + 1, close);
      return decodedField(decoder.decode(text), dialect, close !== -1);
    }
    if (delimiterAt === -1) return undefined;
    at = delimiterAt + 1;
  }
}
