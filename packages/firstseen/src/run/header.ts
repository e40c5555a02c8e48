// The header of csv and tsv: the same in all inputs.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { Dialect } from '../records/dialect.js';
import { ordinaryFields } from '../records/ordinary.js';
import { separatorBytes } from '../records/separator.js';
import type { ScanSettings } from '../records/settings.js';

/** The text of a header without its terminator, and without a line that names the delimiter. */
function contentOf(encoded: string): string {
  const header = Buffer.from(encoded, 'base64');
  // The decoder drops a byte order mark. A tab at the end of a header is significant: an empty column follows it.
  return new TextDecoder().decode(header.subarray(separatorBytes(header))).replace(/\r?\n$/, '');
}

/** The names in a header, however they are quoted; undefined if only a parser can tell them. */
function namesOf(content: string, dialect: Dialect | undefined): string | undefined {
  const names = ordinaryFields(content, dialect);
  return names && JSON.stringify(names);
}

/**
 * Compares the header of an input with the header that was written; both in base64.
 * @throws FirstseenError E_RECORD when they differ.
 */
export function checkSameHeader(
  { format, dialect }: Pick<ScanSettings, 'format' | 'dialect'>,
  name: string,
  header: string,
  before: string,
): void {
  const [found, expected] = [contentOf(header), contentOf(before)];
  if (found === expected) return;
  const names = format === 'csv' ? namesOf(found, dialect) : undefined;
  if (names !== undefined && names === namesOf(expected, dialect)) return;
  throw new FirstseenError(
    'E_RECORD',
    `${name}, line 1: the header is ${JSON.stringify(found)}, but the earlier inputs have ${JSON.stringify(expected)}`,
    { remedy: 'deduplicate files with different columns separately' },
  );
}

/** The error or warning for a header of csv that is one column, but would be several with another delimiter. */
export function otherDelimiter(name: string, delimiter: string): FirstseenError {
  const given = delimiter === 'tab' ? delimiter : `'${delimiter}'`;
  const remedy = phrase`give ${optionName('delimiter')} ${given}`;
  return new FirstseenError(
    'E_USAGE',
    `${name}, line 1: the header is one column, but seems to have the delimiter ${given}`,
    { option: 'delimiter', remedy },
  );
}
