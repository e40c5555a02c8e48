// The name of a record in the lines of spans, as JSON.

import { invalidOption } from '../../base/errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import { resolveColumn } from '../../records/columns.js';
import type { Dialect } from '../../records/dialect.js';
import { fieldText } from '../../records/fields.js';
import { type FormatName, withoutTerminator } from '../../records/formats.js';
import { warcPlace } from '../../records/warc.js';

const [NEWLINE, RETURN] = [0x0a, 0x0d];
const WORD_BYTES = Uint32Array.BYTES_PER_ELEMENT;
const PLACE_BYTES = 2 * WORD_BYTES;

/** A batch of records whose names are found. */
export interface NamedBatch {
  kernel: Kernel;
  /** The address of the places of the names of its records, if they are in JSON. */
  names: number;
}

export interface RecordNames {
  /** Takes the names of the columns of the inputs. @throws FirstseenError E_USAGE when none is that of the key. */
  checkHeader(names: readonly string[]): void;
  /** The name of a record of a batch, valid as long as the batch; undefined if it has none. */
  nameOf(batch: NamedBatch, index: number): Uint8Array | undefined;
}

/** A word of 32 bits. A view of it takes longer to make than four bytes take to read. */
function wordAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  return (low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24)) >>> 0;
}

/** Names in JSON, which are written as they are. */
const jsonNames: RecordNames = {
  checkHeader: () => undefined,
  nameOf({ kernel: { bytes }, names }, index) {
    const place = names + index * PLACE_BYTES;
    const start = wordAt(bytes, place);
    return start === 0 ? undefined : bytes.subarray(start, wordAt(bytes, place + WORD_BYTES));
  },
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Names in a column of a table, which become strings.
 * @throws FirstseenError E_USAGE if the table has no header and the key is not a column number.
 */
function columnNames(key: string, dialect: Dialect, hasHeader: boolean): RecordNames {
  let column = hasHeader ? 0 : resolveColumn(key, undefined, 'idKey');
  return {
    checkHeader(names) {
      column = resolveColumn(key, names, 'idKey');
    },
    nameOf({ kernel }, index) {
      const record = kernel.bytes.subarray(kernel.recordStarts[index], kernel.recordEnds[index]);
      const text = fieldText(withoutTerminator(record), column, dialect, decoder);
      return text === undefined ? undefined : encoder.encode(JSON.stringify(text));
    },
  };
}

/** Returns the part of a record of WARC before its block: lines up to an empty one, which is included. */
export function headOf(record: Uint8Array): Uint8Array {
  for (let at = record.indexOf(NEWLINE); at !== -1; at = record.indexOf(NEWLINE, at + 1)) {
    const next = record[at + 1] === RETURN ? at + 2 : at + 1;
    if (record[next] === NEWLINE) return record.subarray(0, next + 1);
  }
  return record.subarray(0, 0);
}

/** The value of a field in the header of a record as the scanner reads it (assembly/scan/warchead.ts); undefined if it has none. */
export function headerField(record: Uint8Array, name: string): string | undefined {
  const field = `\n${name.replace(/[^a-z0-9]/g, '\\$&')}[ \t]*:([^\n]*(?:\n[ \t][^\n]*)*)`;
  const [, value] = new RegExp(field, 'i').exec(decoder.decode(headOf(record))) ?? [];
  const text = value
    ?.split('\n')
    .map((line) => line.replace(/^[ \t\r]+|[ \t\r]+$/g, ''))
    .filter((line) => line !== '')
    .join(' ');
  return name === 'warc-target-uri' ? text?.replace(/^<(.*)>$/, '$1') : text;
}

/**
 * Names in a field of the headers of WARC records, which become strings.
 * @throws FirstseenError E_USAGE for what is not in headers.
 */
function warcNames(key: string): RecordNames {
  const [name] = warcPlace(key, 'idKey');
  if (typeof name !== 'string') {
    const expected = 'url, id, or another field in the headers of records';
    throw invalidOption({ code: 'E_USAGE', option: 'idKey', given: key, expected });
  }
  return {
    checkHeader: () => undefined,
    nameOf({ kernel }, index) {
      const record = kernel.bytes.subarray(kernel.recordStarts[index], kernel.recordEnds[index]);
      const text = headerField(record, name);
      return text === undefined ? undefined : encoder.encode(JSON.stringify(text));
    },
  };
}

/** Returns the object that finds the names of records of a format. */
export function namesFor({
  idKey,
  format,
  hasHeader,
  dialect,
}: {
  idKey: string;
  format: FormatName;
  hasHeader: boolean;
  dialect: Dialect;
}): RecordNames {
  if (format === 'ndjson') return jsonNames;
  return format === 'warc' ? warcNames(idKey) : columnNames(idKey, dialect, hasHeader);
}
