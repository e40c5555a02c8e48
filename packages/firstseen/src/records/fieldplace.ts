// Where the scanner finds a field that a key, a time or a rank names.

import { type FirstseenError, optionName, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { resolveColumn } from './columns.js';
import { type FormatName, recordFormats } from './formats.js';
import { type KeyPath, parseKeyPath } from './keypath.js';
import { warcPlace } from './warc.js';

/** Tells if the note of a key names a pattern or characters (linekeys.ts). Notes of fields are numbers. */
export function isLineKey(name: string): boolean {
  return /^(?:pattern|characters) /.test(name);
}

/**
 * The path or the column of a field; undefined in a format without fields.
 * @param option the option that names the field, for errors
 * @param columnUntilHeader the column of a table until its header is read
 * @throws FirstseenError E_USAGE for an invalid path, name or number.
 */
export function fieldPlace(
  format: FormatName,
  field: string,
  option: string,
  columnUntilHeader = 0,
): KeyPath | number | undefined {
  switch (recordFormats[format].keys) {
    case 'paths':
      return parseKeyPath(field);
    case 'names':
      return [field];
    case 'headers':
      return warcPlace(field, option);
    case 'numbers':
      return resolveColumn(field, 'numbers', option);
    case 'columns':
      return columnUntilHeader;
    default:
      return undefined;
  }
}

/** The error for an option that names a field where records have none. */
export function withoutFields(option: string, given: string, records: string): FirstseenError {
  const remedy = phrase`leave it out, or give another ${optionName('format')}`;
  return unfitOption(option, `${records} have no fields`, { given, remedy });
}
