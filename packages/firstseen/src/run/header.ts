// The header line of csv and tsv: the columns that it names, and what it says.

import { FirstseenError } from '../errors.js';
import { resolveColumn } from '../records/columns.js';
import type { TableFormat } from '../records/header.js';
import type { ScanSettings } from '../records/settings.js';
import type { KeyNote } from './state/note.js';

/** @throws FirstseenError E_RECORD when the header cannot be split into names. */
export async function namesIn(format: TableFormat, header: Uint8Array, name: string): Promise<string[]> {
  const { headerNames } = await import('../records/header.js');
  try {
    return headerNames(format, header);
  } catch (cause) {
    throw new FirstseenError(
      'E_RECORD',
      `${name}, line 1: the header is no row of ${format}: ${(cause as Error).message}; mend it, or give --no-header if the file has none`,
      { cause },
    );
  }
}

/** The columns of the keys, and of the time. */
export function columnsOf(
  { keys, time }: KeyNote,
  names: readonly string[] | undefined,
): Pick<ScanSettings, 'columns' | 'time'> {
  const columns = keys.map((name) => resolveColumn(name, names));
  return time === undefined ? { columns } : { columns, time: resolveColumn(time, names) };
}

/** A header for comparison and for messages: what it says, without its terminator. */
function textOf(encoded: string): string {
  // The decoder drops a byte order mark. A tab at the end of a header has a column behind it.
  return JSON.stringify(new TextDecoder().decode(Buffer.from(encoded, 'base64')).replace(/\r?\n$/, ''));
}

/**
 * Holds the header of an input against the one that went out; both in base64.
 * @throws FirstseenError E_RECORD when they differ.
 */
export function checkSameHeader(name: string, header: string, before: string): void {
  if (textOf(before) === textOf(header)) return;
  throw new FirstseenError(
    'E_RECORD',
    `${name}, line 1: the header is ${textOf(header)}, but that of the inputs before is ${textOf(before)}; ` +
      'deduplicate files of different columns apart',
  );
}
