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

/** Text that a job adds to records, such as a verdict or a count; or the reason why it adds none. */
type Extension =
  | {
      /**
       * The form of what is added: a member of the JSON object, columns after the row, written as those of csv or of
       * tsv, pairs after the line, or columns separated by tabs before the line.
       */
      readonly annotation: 'member' | 'csv' | 'tsv' | 'pairs' | 'before';
      readonly whyNotExtended?: undefined;
    }
  | {
      readonly annotation: 'none';
      /** The reason why nothing is written with a record: its records `have a fixed length`. */
      readonly whyNotExtended: string;
    };

/** All that depends on the name of a format. A member without a default is required, so that a new format has an answer. */
interface RecordProperties {
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
  /** True if a program can have such records and make the same keys of them as the command, with `keyOf`. */
  readonly hasProgramKeys: boolean;
  /** True if an input has lines before its first record, and lines among its records, that can be comments. */
  readonly hasComments: boolean;
  /**
   * The rule by which a whole record is valid: that of a JSON object, of a row of csv or of tsv, or of pairs of logfmt;
   * a `framed` record is valid as it is.
   */
  readonly strict: 'framed' | 'json' | 'csv' | 'tsv' | 'pairs';
  /** True if records are numbers, which may begin with any bytes; false by default. */
  readonly isBinary?: boolean;
  /** True if each record of a compressed output is compressed for itself, so that a reader finds it; false by default. */
  readonly hasMembers?: boolean;
}

export type RecordFormat = RecordProperties & Extension;

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
    hasProgramKeys: true,
    hasComments: true,
    strict: 'framed',
    annotation: 'before',
  },
  nul: {
    id: FORMAT_NUL,
    description: 'one record before each zero byte; the whole record is the key, with the newlines in it',
    endings: [],
    keys: 'none',
    hasProgramKeys: false,
    hasComments: false,
    strict: 'framed',
    annotation: 'before',
  },
  u64: {
    id: FORMAT_U64,
    description: 'eight bytes per record: an unsigned little-endian integer',
    endings: ['.u64', '.bin'],
    keys: 'none',
    hasProgramKeys: false,
    hasComments: false,
    strict: 'framed',
    annotation: 'none',
    isBinary: true,
    whyNotExtended: 'have a fixed length',
  },
  ndjson: {
    id: FORMAT_NDJSON,
    description: 'one JSON object per line; empty lines are passed through',
    endings: ['.ndjson', '.jsonl', '.json'],
    keys: 'paths',
    hasProgramKeys: true,
    hasComments: false,
    strict: 'json',
    annotation: 'member',
  },
  csv: {
    id: FORMAT_CSV,
    description: 'rows of fields separated by commas, quoted as in RFC 4180; empty lines are passed through',
    endings: ['.csv'],
    keys: 'columns',
    hasProgramKeys: true,
    hasComments: true,
    strict: 'csv',
    annotation: 'csv',
  },
  tsv: {
    id: FORMAT_TSV,
    description: 'rows of fields separated by tabs, without quoting; empty lines are passed through',
    endings: ['.tsv', '.tab'],
    keys: 'columns',
    hasProgramKeys: true,
    hasComments: true,
    strict: 'tsv',
    annotation: 'tsv',
  },
  fields: {
    id: FORMAT_FIELDS,
    description: 'lines of fields with blanks or a delimiter between them; a key is the number of a field',
    endings: [],
    keys: 'numbers',
    hasProgramKeys: true,
    hasComments: true,
    strict: 'framed',
    annotation: 'before',
  },
  logfmt: {
    id: FORMAT_LOGFMT,
    description: 'lines of pairs such as level=info; a key is a name',
    endings: ['.logfmt'],
    keys: 'names',
    hasProgramKeys: true,
    hasComments: true,
    strict: 'pairs',
    annotation: 'pairs',
  },
  warc: {
    id: FORMAT_WARC,
    description: 'records of web archives: a header, a block, and two line ends; the block is the key',
    endings: ['.warc', '.wet', '.wat'],
    keys: 'headers',
    hasProgramKeys: true,
    hasComments: false,
    strict: 'framed',
    annotation: 'none',
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
