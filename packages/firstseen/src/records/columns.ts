// Resolves keys to columns.

import { FirstseenError, optionName, phrase, shownValue } from '../base/errors.js';

function columnNumber(key: string, columnCount: number): number | undefined {
  if (!/^[1-9][0-9]{0,9}$/.test(key)) return undefined;
  const number = Number(key);
  return number <= columnCount ? number - 1 : undefined;
}

/**
 * The index of the column that a key names: the name of a column, or else its number, starting at 1. Without a header only
 * numbers are accepted.
 * @param option the option that gave the key, for errors
 * @throws FirstseenError E_USAGE when there is no such column, or when several have the name.
 */
export function resolveColumn(key: string, names: readonly string[] | undefined, option = 'keys'): number {
  if (names === undefined) {
    const column = columnNumber(key, Number.POSITIVE_INFINITY);
    if (column !== undefined) return column;
    throw new FirstseenError(
      'E_USAGE',
      phrase`${optionName(option)} ${shownValue(key)} is not a column number, and there is no header`,
      { option, given: key, remedy: 'give the number of a column, 1 for the first' },
    );
  }
  const first = names.indexOf(key);
  if (first !== names.lastIndexOf(key)) {
    throw new FirstseenError(
      'E_USAGE',
      phrase`${optionName(option)} ${shownValue(key)} is the name of several columns`,
      {
        option,
        given: key,
        remedy: `give the number of one, such as ${first + 1} for the first`,
      },
    );
  }
  const column = first >= 0 ? first : columnNumber(key, names.length);
  if (column !== undefined) return column;
  const known = names.map((name, i) => `${i + 1} ${JSON.stringify(name)}`).join(', ');
  const problem = phrase`${optionName(option)} ${shownValue(key)} is not a column`;
  throw new FirstseenError('E_USAGE', problem, { option, given: key, remedy: `the header has ${known}` });
}
