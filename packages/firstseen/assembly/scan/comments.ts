// Comments: lines that begin with certain bytes. They are not records, and their class is that of blank lines.

import { BLANK } from '../lib/classes';
import { RECORD_CLASSES_OFFSET, RECORD_ENDS_OFFSET, RECORD_STARTS_OFFSET } from '../lib/memory';
import { equalBytes, NEWLINE, withoutCarriageReturn } from './bytes';
import { recordCount, setRecordClass } from './records';
import { commentBytes, commentStart, FORMAT_CSV, FORMAT_LINES, format, maximumRecordBytes } from './settings';

/** Tells if the line [start, end) is a comment. */
export function isComment(start: u32, end: u32): bool {
  return commentBytes != 0 && end - start >= commentBytes && equalBytes(start, commentStart, commentBytes);
}

/** Tells if the line that contains `at` is a comment, in bytes whose first line begins at `first`. Comments of csv have no fields. */
export function isInComment(at: u32, first: u32, end: u32): bool {
  if (commentBytes == 0 || format == FORMAT_CSV) return false;
  let start = at;
  while (start > first && load<u8>(start - 1) != NEWLINE) start--;
  return isComment(start, end);
}

/** Tells if the content of the line [start, end), which has its end, is longer than a record may be. */
function isLongLine(start: u32, end: u32): bool {
  const hasNewline = end > start && <u32>load<u8>(end - 1) == NEWLINE;
  const lineEnd = end - u32(hasNewline);
  const contentEnd = hasNewline && format != FORMAT_LINES ? withoutCarriageReturn(start, lineEnd) : lineEnd;
  return contentEnd - start > maximumRecordBytes;
}

/**
 * Makes blank lines of the records of the scan that are comments. Called once after a scan of lines, so that other scans have no work
 * with comments. A comment that is too long stays a record that is, because its end may not have arrived.
 */
export function markComments(): void {
  for (let i: u32 = 0; i < recordCount; i++) {
    const found = <u32>load<u8>(RECORD_CLASSES_OFFSET + i);
    const start = load<u32>(RECORD_STARTS_OFFSET + (i << 2));
    const end = load<u32>(RECORD_ENDS_OFFSET + (i << 2));
    if (found == BLANK || !isComment(start, end) || isLongLine(start, end)) continue;
    setRecordClass(i, BLANK);
  }
}
