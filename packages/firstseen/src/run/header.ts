// The header of csv and tsv: the same in all inputs.

import { FirstseenError } from '../base/errors.js';
import { inputName } from '../io/system/paths.js';
import type { FormatName } from '../records/formats.js';
import { ordinaryFields } from '../records/ordinary.js';

/** The text of a header without its terminator. */
function contentOf(encoded: string): string {
  // The decoder drops a byte order mark. A tab at the end of a header is significant: an empty column follows it.
  return new TextDecoder().decode(Buffer.from(encoded, 'base64')).replace(/\r?\n$/, '');
}

/** The names in a header, however they are quoted; undefined if only a parser can tell them. */
function namesOf(content: string): string | undefined {
  const names = ordinaryFields(content);
  return names && JSON.stringify(names);
}

/**
 * Compares the header of an input with the header that was written; both in base64.
 * @throws FirstseenError E_RECORD when they differ.
 */
export function checkSameHeader(format: FormatName, name: string, header: string, before: string): void {
  const [found, expected] = [contentOf(header), contentOf(before)];
  if (found === expected) return;
  const names = format === 'csv' ? namesOf(found) : undefined;
  if (names !== undefined && names === namesOf(expected)) return;
  throw new FirstseenError(
    'E_RECORD',
    `${inputName(name)}, line 1: the header is ${JSON.stringify(found)}, but the earlier inputs have ${JSON.stringify(expected)}`,
    { remedy: 'deduplicate files with different columns separately' },
  );
}
