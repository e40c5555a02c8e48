// The header of csv and tsv: the same in all inputs.

import { FirstseenError } from '../base/errors.js';
import { inputName } from '../io/system/paths.js';
import type { FormatName } from '../records/formats.js';
import { ordinaryNames } from '../records/ordinary.js';

/** The text of a header without its terminator, for comparison and for messages. */
function textOf(encoded: string): string {
  // The decoder drops a byte order mark. A tab at the end of a header is significant: an empty column follows it.
  return JSON.stringify(new TextDecoder().decode(Buffer.from(encoded, 'base64')).replace(/\r?\n$/, ''));
}

/** The names in a header, however they are quoted; undefined if only a parser can tell them. */
function namesOf(encoded: string): string | undefined {
  const names = ordinaryNames('csv', Buffer.from(JSON.parse(textOf(encoded)) as string));
  return names && JSON.stringify(names);
}

/**
 * Compares the header of an input with the header that was written; both in base64.
 * @throws FirstseenError E_RECORD when they differ.
 */
export function checkSameHeader(format: FormatName, name: string, header: string, before: string): void {
  if (textOf(before) === textOf(header)) return;
  const names = format === 'csv' ? namesOf(header) : undefined;
  if (names !== undefined && names === namesOf(before)) return;
  throw new FirstseenError(
    'E_RECORD',
    `${inputName(name)}, line 1: the header is ${textOf(header)}, but the earlier inputs have ${textOf(before)}`,
    { remedy: 'deduplicate files with different columns separately' },
  );
}
