// Framing and key extraction in the simplest form: the whole input at once, byte by byte, without SIMD or chunks.

import { recordClasses } from '../../src/records/classes.ts';
import { type Dialect, defaultDialect } from '../../src/records/dialect.ts';
import type { KeyPath } from '../../src/records/keypath.ts';
import type { ScanSettings } from '../../src/records/settings.ts';
import {
  binaryBytes,
  binaryString,
  jsonKeyParts,
  jsonWhole,
  jsonWithout,
  type KeyParts,
  lineObjects,
} from './framing-json.ts';
import { fieldsOf, lineWithout, logfmtKeyParts, logfmtWithout } from './framing-pairs.ts';
import { warcFrames, warcKeyParts } from './framing-warc.ts';

export interface ReferenceRecord {
  start: number;
  /** One past the terminator. */
  end: number;
  class: number;
  /** The bytes that are hashed if the class is KEYED. */
  key?: Uint8Array;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

interface Frame {
  start: number;
  contentEnd: number;
  end: number;
  /** Whether another record follows on the line. The bytes between them are not part of the key. */
  isJoined?: boolean;
}

interface Terminator {
  /** The last byte of a record; a newline by default. */
  readonly terminator?: number;
  /** Whether a carriage return before it belongs to it. */
  readonly isCrlf: boolean;
}

function frameLines(input: Uint8Array, { terminator = NEWLINE, isCrlf }: Terminator): Frame[] {
  const frames: Frame[] = [];
  let start = 0;
  for (let at = 0; at < input.length; at++) {
    if (input[at] !== terminator) continue;
    const hasReturn = isCrlf && at > start && input[at - 1] === CARRIAGE_RETURN;
    frames.push({ start, contentEnd: hasReturn ? at - 1 : at, end: at + 1 });
    start = at + 1;
  }
  if (start < input.length) frames.push({ start, contentEnd: input.length, end: input.length });
  return frames;
}

/** The objects on each line. */
function frameObjects(input: Uint8Array): Frame[] {
  return frameLines(input, { isCrlf: true }).flatMap((line) => {
    const { next } = lineObjects(input.subarray(line.start, line.contentEnd));
    const starts = [line.start, ...next.map((at) => line.start + at)];
    return starts.map((start, i) => {
      const end = starts[i + 1];
      return end === undefined ? { ...line, start } : { start, contentEnd: end, end, isJoined: true };
    });
  });
}

function compositeKey(parts: Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] ?? new Uint8Array();
  const bytes = parts.flatMap((part) => {
    const length = new DataView(new ArrayBuffer(8));
    length.setBigUint64(0, BigInt(part.length), true);
    return [...new Uint8Array(length.buffer), ...part];
  });
  return Uint8Array.from(bytes);
}

/** Of a line without quotes. */
function columnParts(content: Uint8Array, columns: readonly number[], delimiter: number): KeyParts {
  const fields = fieldsOf(content, delimiter);
  if (fields.length === 0) return recordClasses.BLANK.code;
  return pickColumns(
    fields.map((field) => [...binaryBytes(field)]),
    columns,
  );
}

function pickColumns(fields: number[][], columns: readonly number[]): KeyParts {
  const parts = columns.map((column) => fields[column]);
  if (parts.some((part) => part === undefined)) return recordClasses.KEY_MISSING.code;
  return parts.map((part) => Uint8Array.from(part ?? []));
}

interface CsvRow extends Frame {
  fields: number[][];
  /** Where each field begins, with its quote. */
  starts: number[];
  class: number;
}

/** The byte after an escape at `at`, if it is content because of it. A line end of two bytes is none, except in quotes. */
function escapedAt(input: Uint8Array, at: number, dialect: Dialect, isQuoted: boolean): number | undefined {
  const next = input[at + 1];
  if (input[at] !== dialect.escape || next === undefined) return undefined;
  return !isQuoted && next === CARRIAGE_RETURN && input[at + 2] === NEWLINE ? undefined : next;
}

/** Reads one byte at a time through the states of a field: at its start, plain, in quotes, after a quote in quotes. */
function readCsvRow(input: Uint8Array, start: number, dialect: Dialect): CsvRow {
  const { delimiter, quote } = dialect;
  const special = [delimiter, quote, NEWLINE, CARRIAGE_RETURN];
  const fields: number[][] = [[]];
  const starts = [start];
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let recordClass: number = recordClasses.KEYED.code;
  let at = start;
  for (; at < input.length; at++) {
    const byte = input[at] ?? 0;
    const isLineEnd = byte === NEWLINE || (byte === CARRIAGE_RETURN && input[at + 1] === NEWLINE);
    const field = fields.at(-1) ?? [];
    const escaped = escapedAt(input, at, dialect, state === 'quoted');
    if (escaped !== undefined) {
      if (state === 'closed') recordClass = recordClasses.TEXT_AFTER_QUOTE.code;
      if (state !== 'quoted') state = 'plain';
      field.push(...(special.includes(escaped) ? [escaped] : [byte, escaped]));
      at++;
    } else if (state === 'quoted') {
      if (byte === quote) state = 'closed';
      else field.push(byte);
    } else if (state === 'closed' && byte === quote) {
      field.push(byte);
      state = 'quoted';
    } else if (state === 'start' && byte === quote) {
      state = 'quoted';
    } else if (isLineEnd) {
      const end = byte === NEWLINE ? at + 1 : at + 2;
      return { start, contentEnd: at, end, fields, starts, class: recordClass };
    } else if (byte === delimiter) {
      fields.push([]);
      starts.push(at + 1);
      state = 'start';
    } else {
      if (state === 'closed') recordClass = recordClasses.TEXT_AFTER_QUOTE.code;
      field.push(byte);
      state = 'plain';
    }
  }
  if (state === 'quoted') recordClass = recordClasses.UNTERMINATED_QUOTE.code;
  return { start, contentEnd: at, end: at, fields, starts, class: recordClass };
}

/** Whether a line that begins at `start` is a comment. */
function isComment(input: Uint8Array, start: number, { comment }: Pick<ScanSettings, 'comment'>): boolean {
  return comment !== undefined && binaryString(input.subarray(start)).startsWith(comment);
}

function readComment(input: Uint8Array, start: number): CsvRow {
  const [frame] = frameLines(input.subarray(start), { isCrlf: true }) as [Frame];
  const { contentEnd, end } = frame;
  const place = { start, contentEnd: start + contentEnd, end: start + end };
  return { ...place, fields: [], starts: [], class: recordClasses.BLANK.code };
}

function frameCsv(input: Uint8Array, dialect: Dialect, settings: ScanSettings): CsvRow[] {
  const rows: CsvRow[] = [];
  for (let start = 0; start < input.length; ) {
    const row = isComment(input, start, settings) ? readComment(input, start) : readCsvRow(input, start, dialect);
    rows.push(row);
    start = row.end;
  }
  return rows;
}

/** The bytes of a row without those of some fields. The delimiters stay. */
function rowWithout(content: Uint8Array, { start, starts }: CsvRow, columns: readonly number[]): Uint8Array {
  const ends = [...starts.slice(1).map((next) => next - 1 - start), content.length];
  const isCut = (at: number) =>
    columns.some(
      (column) => at >= (starts[column] ?? Number.POSITIVE_INFINITY) - start && at < (ends[column] as number),
    );
  return content.filter((_, at) => !isCut(at));
}

function integerRecords(input: Uint8Array): ReferenceRecord[] {
  const records: ReferenceRecord[] = [];
  for (let start = 0; start < input.length; start += 8) {
    const key = input.subarray(start, start + 8);
    const isWhole = key.length === 8;
    const recordClass = isWhole ? recordClasses.KEYED.code : recordClasses.TRUNCATED.code;
    records.push({ start, end: start + key.length, class: recordClass, key });
  }
  return records;
}

/** The class of a key whose parts mean nothing by themselves; undefined for all other keys. */
function ruledClass(parts: Uint8Array[], settings: ScanSettings): number | undefined {
  const { format, findsEmptyKeys, nulls, columns = [], paths = [] } = settings;
  if (columns.length + paths.length === 0 && format !== 'warc') return undefined;
  const texts = parts.map(binaryString);
  const isNull = (text: string) => format === 'ndjson' && text === 'null';
  if (nulls === 'missing' && texts.some(isNull)) return recordClasses.KEY_MISSING.code;
  const empty = format === 'ndjson' ? '""' : '';
  const isEmpty = (text: string) => text === empty || (nulls === 'empty' && isNull(text));
  return findsEmptyKeys && texts.every(isEmpty) ? recordClasses.KEY_EMPTY.code : undefined;
}

function finish(frame: Frame, settings: ScanSettings, keyParts: () => KeyParts): ReferenceRecord {
  const { start, contentEnd, end } = frame;
  const length = contentEnd - start;
  if (length === 0 && settings.format !== 'lines' && settings.format !== 'nul')
    return { start, end, class: recordClasses.BLANK.code };
  if (length > settings.maxRecordBytes) return { start, end, class: recordClasses.TOO_LONG.code };
  const parts = keyParts();
  if (typeof parts === 'number') return { start, end, class: parts };
  const ruled = ruledClass(parts, settings);
  if (ruled !== undefined) return { start, end, class: ruled };
  return { start, end, class: recordClasses.KEYED.code, key: compositeKey(parts) };
}

function wholeOf(found: Uint8Array | number): KeyParts {
  return typeof found === 'number' ? found : [found];
}

/** The records of frames of lines. @param partsOf the parts of the key of a line */
function lineRecords(
  input: Uint8Array,
  settings: ScanSettings,
  frames: readonly Frame[],
  partsOf: (content: Uint8Array) => KeyParts,
): ReferenceRecord[] {
  return frames.map((frame) =>
    finish(frame, settings, () => {
      if (isComment(input, frame.start, settings)) return recordClasses.BLANK.code;
      const content = input.subarray(frame.start, frame.contentEnd);
      return partsOf(frame.isJoined ? binaryBytes(binaryString(content).replace(/[ \t\r]+$/, '')) : content);
    }),
  );
}

function objectParts(content: Uint8Array, { paths = [], except, texts }: ScanSettings): KeyParts {
  const { last } = lineObjects(content);
  const isLine = paths.length === 0 && !except && last === recordClasses.NOT_AN_OBJECT.code;
  if (last !== recordClasses.KEYED.code && !isLine) return last;
  if (except) return [jsonWithout(content, except as readonly KeyPath[])];
  return paths.length > 0 ? jsonKeyParts(content, paths, texts) : [jsonWhole(content)];
}

function pairParts(content: Uint8Array, { paths = [], except }: ScanSettings): KeyParts {
  if (except) return wholeOf(logfmtWithout(content, except as readonly KeyPath[]));
  return paths.length > 0 ? logfmtKeyParts(content, paths) : [content];
}

function fieldParts(content: Uint8Array, settings: ScanSettings): KeyParts {
  const { columns = [], except, dialect = defaultDialect(settings.format) } = settings;
  if (except && fieldsOf(content, dialect.delimiter).length === 0) return recordClasses.BLANK.code;
  if (except) return [lineWithout(content, except as readonly number[], dialect.delimiter)];
  return columns.length > 0 ? columnParts(content, columns, dialect.delimiter) : [content];
}

function csvRecords(input: Uint8Array, settings: ScanSettings): ReferenceRecord[] {
  const { columns = [], except, dialect = defaultDialect(settings.format) } = settings;
  return frameCsv(input, dialect, settings).map((row) =>
    finish(row, settings, () => {
      if (row.class !== recordClasses.KEYED.code) return row.class;
      const content = input.subarray(row.start, row.contentEnd);
      if (except) return [rowWithout(content, row, except as readonly number[])];
      return columns.length > 0 ? pickColumns(row.fields, columns) : [content];
    }),
  );
}

function warcRecords(input: Uint8Array, settings: ScanSettings): ReferenceRecord[] {
  const { paths = [], types, maxRecordBytes } = settings;
  return warcFrames(input, maxRecordBytes).map((frame) => {
    const { start, end, class: found } = frame;
    if (found !== undefined) return { start, end, class: found };
    // The length does not include the line ends.
    return finish({ start, contentEnd: start + 1, end }, settings, () => warcKeyParts(frame, paths, types));
  });
}

/**
 * Every record of an input. The scanner must find the same records for any chunks.
 * @throws Error for a format that it does not read
 */
export function referenceRecords(input: Uint8Array, settings: ScanSettings): ReferenceRecord[] {
  const { format } = settings;
  switch (format) {
    case 'lines':
      return lineRecords(input, settings, frameLines(input, { isCrlf: false }), (content) => [content]);
    case 'nul':
      return lineRecords(input, settings, frameLines(input, { terminator: 0, isCrlf: false }), (content) => [content]);
    case 'u64':
      return integerRecords(input);
    case 'ndjson':
      return lineRecords(input, settings, frameObjects(input), (content) => objectParts(content, settings));
    case 'csv':
      return csvRecords(input, settings);
    case 'tsv':
    case 'fields':
      return lineRecords(input, settings, frameLines(input, { isCrlf: true }), (content) =>
        fieldParts(content, settings),
      );
    case 'logfmt':
      return lineRecords(input, settings, frameLines(input, { isCrlf: true }), (content) =>
        pairParts(content, settings),
      );
    case 'warc':
      return warcRecords(input, settings);
    default:
      throw new Error(`the reference does not read the format ${format satisfies never}`);
  }
}

/** The records of the reference before one of a wrong length, which the scanner leaves to be read in pieces. */
export function framedRecords(input: Uint8Array, settings: ScanSettings): ReferenceRecord[] {
  const records = referenceRecords(input, settings);
  if (settings.format !== 'warc') return records;
  const lost = warcFrames(input, settings.maxRecordBytes).findIndex(({ isLost }) => isLost);
  return lost === -1 ? records : records.slice(0, lost);
}
