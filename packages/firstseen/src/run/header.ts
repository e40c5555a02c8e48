// The header of csv and tsv: the same in all inputs.

import { FirstseenError } from '../base/errors.js';
import { inputName } from '../io/system/paths.js';

/** The text of a header without its terminator, for comparison and for messages. */
function textOf(encoded: string): string {
  // The decoder drops a byte order mark. A tab at the end of a header is significant: an empty column follows it.
  return JSON.stringify(new TextDecoder().decode(Buffer.from(encoded, 'base64')).replace(/\r?\n$/, ''));
}

/**
 * Compares the header of an input with the header that was written; both in base64.
 * @throws FirstseenError E_RECORD when they differ.
 */
export function checkSameHeader(name: string, header: string, before: string): void {
  if (textOf(before) === textOf(header)) return;
  throw new FirstseenError(
    'E_RECORD',
    `${inputName(name)}, line 1: the header is ${textOf(header)}, but the earlier inputs have ${textOf(before)}`,
    { remedy: 'deduplicate files with different columns separately' },
  );
}
