// The header of csv and tsv: the columns that it names, and its text.

import { FirstseenError, optionName, phrase } from '../errors.js';
import { resolveColumn } from '../records/columns.js';
import { withoutTerminator } from '../records/formats.js';
import type { TableFormat } from '../records/header.js';
import type { ScanSettings } from '../records/settings.js';
import { inputName } from './exceptions.js';
import type { KeyNote } from './state/note.js';

/** The names in a header. @throws FirstseenError E_RECORD when the header is not a valid row. */
export async function namesIn(format: TableFormat, header: Uint8Array, name: string): Promise<string[]> {
  if (endsLinesWithReturns(header)) {
    throw new FirstseenError('E_RECORD', `${inputName(name)}, line 1: its lines end with a carriage return alone`, {
      remedy: "convert them, for example with tr '\\r' '\\n'",
    });
  }
  const { headerNames } = await import('../records/parsed.js');
  try {
    return headerNames(format, withoutTerminator(header));
  } catch (cause) {
    throw new FirstseenError(
      'E_RECORD',
      `${inputName(name)}, line 1: the header is not a valid row of ${format}: ${(cause as Error).message}`,
      { remedy: phrase`correct it, or see ${optionName('hasHeader')} if the file has no header`, cause },
    );
  }
}

/** Whether a line has no content, except a byte order mark. Such lines before a header are skipped. */
export function isBlankLine(line: Uint8Array): boolean {
  return /^\r?\n$/.test(new TextDecoder().decode(line));
}

const QUOTE = 0x22;
const RETURN = 0x0d;

/** Whether a header has a carriage return before its end, as a file of old systems has that is one line for this program. */
function endsLinesWithReturns(header: Uint8Array): boolean {
  const first = header.indexOf(RETURN);
  return first !== -1 && first < header.length - 2 && !header.includes(QUOTE);
}

/** The columns of the keys, and of the time. */
export function columnsOf(
  { keys, time }: KeyNote,
  names: readonly string[] | undefined,
): Pick<ScanSettings, 'columns' | 'time'> {
  const columns = keys.map((name) => resolveColumn(name, names));
  return time === undefined ? { columns } : { columns, time: resolveColumn(time, names, 'timeKey') };
}

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
