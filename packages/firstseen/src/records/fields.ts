// Where the fields of a row of csv begin and end, in every dialect, as the scanner finds it (assembly/scan/csv.ts).

import { NO_BYTE } from '../kernel/abi.js';
import type { Dialect } from './dialect.js';

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
