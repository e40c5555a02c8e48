// What is refused at the beginning of an input, before any of its records is written.

import { checkText } from '../../framing/content/binarydata.js';
import { inputName, STANDARD_STREAM } from '../../io/system/paths.js';
import type { ResolvedRecords } from '../resolved.js';
import { type Beginning, checkTable } from './cutfields.js';

/**
 * @throws FirstseenError E_INPUT for binary data, unless the format was given, and E_USAGE for a table whose records would end within
 * quoted fields
 */
export function checkBeginning(
  { isFormatGuessed, scan }: Pick<ResolvedRecords, 'isFormatGuessed' | 'scan'>,
  input: string,
  beginning: Beginning,
): void {
  const name = inputName(input);
  if (isFormatGuessed) checkText(beginning.bytes, { name, path: input === STANDARD_STREAM ? undefined : input });
  checkTable(scan, name, beginning);
}
