// Resolves keys to columns.

import { FirstseenError, optionName, phrase, shownValue } from '../base/errors.js';

function columnNumber(key: string, columnCount: number): number | undefined {
  if (!/^[1-9][0-9]{0,9}$/.test(key)) return undefined;
  const number = Number(key);
  return number <= columnCount ? number - 1 : undefined;
}

function withoutHeader(key: string, option: string): FirstseenError {
  return new FirstseenError(
    'E_USAGE',
    phrase`${optionName(option)} ${shownValue(key)} is not a column number, and there is no header`,
    { option, given: key, remedy: 'give the number of a column, 1 for the first' },
  );
}

function notNumbered(key: string, option: string): FirstseenError {
  return new FirstseenError(
    'E_USAGE',
    phrase`${optionName(option)} ${shownValue(key)} is not the number of a field, and fields of lines have no names`,
    {
      ...{ option, given: key },
      remedy: phrase`give a number, 1 for the first field, or the format of the records with ${optionName('format')}`,
    },
  );
}

/**
 * The index of the column that a key names: the name of a column, or else its number, starting at 1. Without a header only
 * numbers are accepted.
 * @param names those in the header; `numbers` for fields of lines, which never have one
 * @param option the option that gave the key, for errors
 * @throws FirstseenError E_USAGE when there is no such column, or when several have the name.
 */
export function resolveColumn(key: string, names: readonly string[] | 'numbers' | undefined, option = 'keys'): number {
  if (names === undefined || names === 'numbers') {
    const column = columnNumber(key, Number.POSITIVE_INFINITY);
    if (column !== undefined) return column;
    throw names === undefined ? withoutHeader(key, option) : notNumbered(key, option);
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
  const shownColumns = names.map((name, i) => `${i + 1} ${JSON.stringify(name)}`).join(', ');
  const problem = phrase`${optionName(option)} ${shownValue(key)} is not a column`;
  const isQuoted = names.includes(`"${key}"`);
  const remedy = isQuoted
    ? phrase`the header has ${shownColumns}; give ${optionName('quote')} '"' if quotes are around fields`
    : `the header has ${shownColumns}`;
  throw new FirstseenError('E_USAGE', problem, { option, given: key, remedy });
}
