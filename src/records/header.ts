// The header of csv and tsv, and the columns that keys name.

import { FirstseenError } from '../errors.js';

export type TableFormat = 'csv' | 'tsv';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A record's bytes without the newline, or CRLF, at its end. */
export function withoutTerminator(record: Uint8Array): Uint8Array {
  if (record.at(-1) !== NEWLINE) return record;
  return record.subarray(0, record.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

const QUOTED_FIELD = /"((?:[^"]|"")*)"/y;

function splitCsv(text: string): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= text.length; ) {
    QUOTED_FIELD.lastIndex = at;
    const quoted = QUOTED_FIELD.exec(text);
    const plainStart = at + (quoted?.[0].length ?? 0);
    const comma = text.indexOf(',', plainStart);
    const end = comma < 0 ? text.length : comma;
    fields.push((quoted?.[1] ?? '').replaceAll('""', '"') + text.slice(plainStart, end));
    at = end + 1;
  }
  return fields;
}

/** The names in a header record, its terminator and a byte order mark aside. Invalid UTF-8 becomes U+FFFD. */
export function headerNames(format: TableFormat, record: Uint8Array): string[] {
  const text = new TextDecoder().decode(withoutTerminator(record));
  return format === 'csv' ? splitCsv(text) : text.split('\t');
}

function columnNumber(key: string, columnCount: number): number | undefined {
  if (!/^[1-9][0-9]{0,9}$/.test(key)) return undefined;
  const number = Number(key);
  return number <= columnCount ? number - 1 : undefined;
}

/**
 * The column, counted from 0, that a key means: a column's name, or else its number counted from 1. Without a header
 * only numbers mean something.
 * @throws FirstseenError E_USAGE when there is no such column, or several have the name.
 */
export function resolveColumn(key: string, names: readonly string[] | undefined): number {
  if (names === undefined) {
    const column = columnNumber(key, Number.POSITIVE_INFINITY);
    if (column !== undefined) return column;
    throw new FirstseenError(
      'E_USAGE',
      `key ${JSON.stringify(key)} is no column number; without a header give the number of a column, 1 for the first`,
    );
  }
  const first = names.indexOf(key);
  if (first !== names.lastIndexOf(key)) {
    throw new FirstseenError(
      'E_USAGE',
      `several columns are named ${JSON.stringify(key)}; give the number of one, such as ${first + 1} for the first`,
    );
  }
  const column = first >= 0 ? first : columnNumber(key, names.length);
  if (column !== undefined) return column;
  const known = names.map((name, i) => `${i + 1} ${JSON.stringify(name)}`).join(', ');
  throw new FirstseenError('E_USAGE', `there is no column ${JSON.stringify(key)}; the header has ${known}`);
}
