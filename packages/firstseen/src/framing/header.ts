// The header of csv and tsv: the columns that it names.

import { defined } from '../base/defined.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { resolveColumn } from '../records/columns.js';
import type { Dialect } from '../records/dialect.js';
import type { Equality } from '../records/equality.js';
import { withoutTerminator } from '../records/formats.js';
import { ordinaryNames, type TableFormat } from '../records/ordinary.js';
import { separatorBytes } from '../records/separator.js';
import type { ScanSettings } from '../records/settings.js';

/** The names in the header of an input of this name. @throws FirstseenError E_RECORD when the header is not a valid row. */
export async function namesIn(
  format: TableFormat,
  header: Uint8Array,
  name: string,
  dialect?: Dialect,
): Promise<string[]> {
  const separatorLength = separatorBytes(header);
  const line = separatorLength > 0 ? 2 : 1;
  if (endsLinesWithReturns(header)) {
    throw new FirstseenError('E_RECORD', `${name}, line 1: its lines end with a carriage return alone`, {
      remedy: "convert them, for example with tr '\\r' '\\n'",
    });
  }
  const content = withoutTerminator(header.subarray(separatorLength));
  try {
    const plainNames = ordinaryNames(format, content, dialect);
    if (plainNames) return plainNames;
    // The parser is loaded for what it alone can read. It requires the `Buffer` of Node.
    return (await import('../records/parsed.js')).headerNames(format, content, dialect);
  } catch (cause) {
    throw new FirstseenError(
      'E_RECORD',
      `${name}, line ${line}: the header is not a valid row of ${format}: ${(cause as Error).message}`,
      { remedy: phrase`correct it, or see ${optionName('hasHeader')} if the file has no header`, cause },
    );
  }
}

/** Tells if a line has no content, except a byte order mark. Such lines before a header are skipped. */
export function isBlankLine(line: Uint8Array): boolean {
  return /^\r?\n$/.test(new TextDecoder().decode(line));
}

const QUOTE = 0x22;
const [NEWLINE, RETURN] = [0x0a, 0x0d];

/** Tells if a header has a carriage return before its end, as a file of old systems has that is one line for this program. */
function endsLinesWithReturns(header: Uint8Array): boolean {
  const first = header.indexOf(RETURN);
  return first !== -1 && first < header.length - 2 && header[first + 1] !== NEWLINE && !header.includes(QUOTE);
}

/** The settings with which a header is framed. It has no key, no time and no rank. */
export function headerScan({ times: _times, rank: _rank, except: _except, ...scan }: ScanSettings): ScanSettings {
  return { ...scan, columns: [] };
}

/** The fields of records that a run looks at. */
export interface FieldsAsked {
  keys: readonly string[];
  times?: readonly string[];
  rank?: string | undefined;
  /** The rules of equal keys, which can leave fields out. */
  equality?: Equality | undefined;
}

/** The columns of the keys, of what is left out of records, and of the time or the rank. */
export function columnsOf(
  { keys, times = [], rank, equality }: FieldsAsked,
  names: readonly string[] | undefined,
): Pick<ScanSettings, 'columns' | 'except' | 'times' | 'rank'> {
  const except = equality?.keyExcept?.map((name) => resolveColumn(name, names, 'keyExcept'));
  const columns = { columns: keys.map((name) => resolveColumn(name, names)), ...defined({ except }) };
  if (rank !== undefined) return { ...columns, rank: resolveColumn(rank, names, 'keep') };
  return times.length === 0
    ? columns
    : { ...columns, times: times.map((name) => resolveColumn(name, names, 'timeKey')) };
}
