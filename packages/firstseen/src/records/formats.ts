// The record formats.

import {
  FORMAT_CSV,
  FORMAT_FIELDS,
  FORMAT_LINES,
  FORMAT_LOGFMT,
  FORMAT_NDJSON,
  FORMAT_NUL,
  FORMAT_TSV,
  FORMAT_U64,
  FORMAT_WARC,
} from '../kernel/abi.js';

/** The byte order mark, with which a text may begin. */
export const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

/** Tells if bytes begin with a byte order mark. */
export function hasMark(bytes: Uint8Array): boolean {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte);
}

/** Tells if a text begins like one with a byte order mark, as far as its bytes are there. */
export function mayBeginWithMark(bytes: Uint8Array): boolean {
  return BYTE_ORDER_MARK.every((byte, i) => i >= bytes.length || bytes[i] === byte);
}

export interface RecordFormat {
  /** The number in the kernel. */
  readonly id: number;
  readonly description: string;
  /** File name endings of this format. */
  readonly endings: readonly string[];
  /**
   * The kind of name in a key: none, a path in JSON, a name, a column of a table that can have a header, the number of
   * a field, or a field in the header of a record, its block or its payload.
   */
  readonly keys: 'none' | 'paths' | 'names' | 'columns' | 'numbers' | 'headers';
  /** True if records are numbers, which may begin with any bytes; false by default. */
  readonly isBinary?: boolean;
  /** The reason why nothing is written with a record: its records `have a fixed length`. Absent where something can. */
  readonly whyNotExtended?: string;
  /** True if each record of a compressed output is compressed for itself, so that a reader finds it; false by default. */
  readonly hasMembers?: boolean;
}

/** The properties of a format. */
export function recordFormatNamed(name: FormatName): RecordFormat {
  return recordFormats[name];
}

export const recordFormats = {
  lines: {
    id: FORMAT_LINES,
    description: 'one record per line; the whole line is the key, including empty lines; with a key, as fields',
    endings: [],
    keys: 'none',
  },
  nul: {
    id: FORMAT_NUL,
    description: 'one record before each zero byte; the whole record is the key, with the newlines in it',
    endings: [],
    keys: 'none',
  },
  u64: {
    id: FORMAT_U64,
    description: 'eight bytes per record: an unsigned little-endian integer',
    endings: ['.u64', '.bin'],
    keys: 'none',
    isBinary: true,
    whyNotExtended: 'have a fixed length',
  },
  ndjson: {
    id: FORMAT_NDJSON,
    description: 'one JSON object per line; empty lines are passed through',
    endings: ['.ndjson', '.jsonl', '.json'],
    keys: 'paths',
  },
  csv: {
    id: FORMAT_CSV,
    description: 'rows of fields separated by commas, quoted as in RFC 4180; empty lines are passed through',
    endings: ['.csv'],
    keys: 'columns',
  },
  tsv: {
    id: FORMAT_TSV,
    description: 'rows of fields separated by tabs, without quoting; empty lines are passed through',
    endings: ['.tsv', '.tab'],
    keys: 'columns',
  },
  fields: {
    id: FORMAT_FIELDS,
    description: 'lines of fields with blanks or a delimiter between them; a key is the number of a field',
    endings: [],
    keys: 'numbers',
  },
  logfmt: {
    id: FORMAT_LOGFMT,
    description: 'lines of pairs such as level=info; a key is a name',
    endings: ['.logfmt'],
    keys: 'names',
  },
  warc: {
    id: FORMAT_WARC,
    description: 'records of web archives: a header, a block, and two line ends; the block is the key',
    endings: ['.warc', '.wet', '.wat'],
    keys: 'headers',
    whyNotExtended: 'would be invalid with another field',
    hasMembers: true,
  },
} as const satisfies Record<string, RecordFormat>;

export type FormatName = keyof typeof recordFormats;

export const formatNames = Object.keys(recordFormats) as FormatName[];

/** A format of files that do not hold their records as they are. */
export interface ContainerFormat {
  /** The format as which the records are read. */
  readonly records: FormatName;
  readonly endings: readonly string[];
}

/** The formats of container files. The code that reads and writes these files is in src/io. */
export const containerFormats = {
  parquet: { records: 'ndjson', endings: ['.parquet'] },
  json: { records: 'ndjson', endings: [] },
} as const satisfies Record<string, ContainerFormat>;

export type ContainerName = keyof typeof containerFormats;

/** The name of the format of an input. */
export type InputFormatName = FormatName | ContainerName;

export const inputFormatNames: readonly InputFormatName[] = [
  ...formatNames,
  ...(Object.keys(containerFormats) as ContainerName[]),
];

/** The format of the records of an input. @param fields those that keys name, or that are left out of records: lines have some then */
export function recordFormatOf(format: InputFormatName, fields: readonly string[] = []): FormatName {
  if (format === 'lines' && fields.length > 0) return 'fields';
  return format in containerFormats ? containerFormats[format as ContainerName].records : (format as FormatName);
}

export const NEWLINE = 0x0a;
const NUL = 0;

/**
 * Returns the unit that is counted to say where a record is. A record that is not text in lines may have newlines in
 * it.
 */
export function unitOf(format: FormatName): 'line' | 'record' {
  return format === 'nul' || !endsWithByte(format) ? 'record' : 'line';
}

/** Tells if a byte ends each record, so that a last one without it is unfinished. Other records have a length. */
export function endsWithByte(format: FormatName): boolean {
  return format !== 'u64' && format !== 'warc';
}

/** The byte that ends a record of a text. */
export function terminatorOf(format: FormatName): number {
  return format === 'nul' ? NUL : NEWLINE;
}

const CARRIAGE_RETURN = 0x0d;

/** A record without its terminator, a newline or CRLF. */
export function withoutTerminator(record: Uint8Array): Uint8Array {
  if (record.at(-1) !== NEWLINE) return record;
  return record.subarray(0, record.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}
