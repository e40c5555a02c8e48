// The columns that keys name.

import { FirstseenError } from '../errors.js';

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
