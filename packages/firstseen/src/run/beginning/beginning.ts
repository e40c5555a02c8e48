// What is refused at the beginning of an input, before any of its records is written.

import { checkText } from '../../framing/content/binarydata.js';
import type { InputName } from '../../framing/content/content.js';
import type { ResolvedRecords } from '../resolved.js';
import { type Beginning, checkTable } from './cutfields.js';

/**
 * @throws FirstseenError E_INPUT for binary data, unless the format was given, and E_USAGE for a table whose records would end within
 * quoted fields
 */
export function checkBeginning(
  { isFormatGuessed, scan }: Pick<ResolvedRecords, 'isFormatGuessed' | 'scan'>,
  input: InputName,
  beginning: Beginning,
): void {
  if (isFormatGuessed) checkText(beginning.bytes, input);
  checkTable(scan, input.name, beginning);
}
