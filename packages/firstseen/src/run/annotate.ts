// Writes records together with what the job says about them, in the format of the records: a member of a JSON object, more
// columns of a row, more pairs of logfmt, or columns separated by tabs before a line.

import { FirstseenError, invalidOption, optionName, type Phrase, phrase, shownValue } from '../base/errors.js';
import { recordBytes } from '../framing/joined.js';
import { emittedMask, forSelected, type RecordBatch, type RecordWriter } from '../io/sink.js';
import { DISTINCT, DUPLICATE, NO_BYTE } from '../kernel/abi.js';
import { decisions } from '../records/classes.js';
import { type Dialect, plainDialect } from '../records/dialect.js';
import { closingQuote, delimiterAfter } from '../records/fields.js';
import type { FormatName } from '../records/formats.js';
import { recordFormatNamed, withoutTerminator } from '../records/formats.js';
import { withoutSeparators } from '../records/jsonsequence.js';
import type { Annotation, AnnotationVerdict, WrittenRecords } from './job.js';
import type { OutputOptions } from './settled.js';

const CLOSE_BRACE = 0x7d;
const TAB = 0x09;
const [RETURN, NEWLINE] = [0x0d, 0x0a];

/** The field of annotations that the old spelling `annotated` means. */
const ANNOTATED_FIELD = 'near';

/** The annotation of a job that reports only the verdict. */
export const verdictAnnotation: Annotation = {
  columns: (field) => [field],
  values: (verdict) => [verdict],
  json: (verdict) => verdict,
};

/** The format and the dialect in which the fields of a table are written. */
interface Table {
  format: 'csv' | 'tsv';
  dialect: Dialect;
}

/** The table that records of a format are rows of; undefined in a format without columns. */
function tableOf({ format, dialect = plainDialect }: WrittenRecords): Table | undefined {
  const { annotation } = recordFormatNamed(format);
  return annotation === 'csv' || annotation === 'tsv' ? { format: annotation, dialect } : undefined;
}

/** A text with `before` before each of these bytes. */
function prefixed(text: string, bytes: readonly number[], before: number): string {
  return [...text]
    .map((character) => (bytes.includes(character.charCodeAt(0)) ? String.fromCharCode(before) + character : character))
    .join('');
}

/** @throws FirstseenError E_USAGE for a text that has to be quoted in a dialect that has neither quotes nor an escape. */
function csvField(text: string, dialect: Dialect): string {
  const { delimiter, quote } = dialect;
  const special = [delimiter, quote, dialect.escape, RETURN, NEWLINE];
  if (![...text].some((character) => special.includes(character.charCodeAt(0)))) return text;
  if (quote !== NO_BYTE) {
    const around = String.fromCharCode(quote);
    return `${around}${prefixed(prefixed(text, [dialect.escape], dialect.escape), [quote], quote)}${around}`;
  }
  if (dialect.escape !== NO_BYTE) return prefixed(text, special, dialect.escape);
  throw new FirstseenError('E_USAGE', `${shownValue(text)} cannot be a field of csv that has no quotes`, {
    ...{ option: 'annotate', given: text },
    remedy: phrase`name another field, or give ${optionName('quote')} or ${optionName('escape')}`,
  });
}

function tsvField(text: string): string {
  return text.replace(/[\t\r\n]/g, ' ');
}

/** Columns as they follow a row. */
function columnsAfter({ format, dialect }: Table, columns: readonly string[]): string {
  const between = String.fromCharCode(dialect.delimiter);
  switch (format) {
    case 'csv':
      return columns.map((column) => `${between}${csvField(column, dialect)}`).join('');
    case 'tsv':
      return columns.map((column) => `\t${tsvField(column)}`).join('');
  }
}

/** Pairs as they follow a record of logfmt. */
function pairsAfter(names: readonly string[], values: readonly string[]): string {
  const written = values.map((value) => (/^[^\0- ="\\]+$/.test(value) ? value : JSON.stringify(value)));
  return names.map((name, i) => ` ${name}=${written[i]}`).join('');
}

interface RowShape {
  fields: number;
  /** The end of the first `columnCount` fields, or of all if there are fewer. */
  end: number;
}

/** The byte between two fields of a row. */
function delimiterOf({ format, dialect }: Table): number {
  return format === 'tsv' ? TAB : dialect.delimiter;
}

/**
 * Returns the end of the field that begins at a position. Delimiters in a field of csv that begins with a quote are
 * content.
 */
function fieldEnd(row: Buffer, start: number, table: Table): number {
  const { format, dialect } = table;
  const isQuoted = format === 'csv' && row[start] === dialect.quote;
  const from = isQuoted ? closingQuote(row, start, dialect) : start;
  if (from === -1) return row.length;
  const end = format === 'csv' ? delimiterAfter(row, isQuoted ? from + 1 : from, dialect) : row.indexOf(TAB, from);
  return end === -1 ? row.length : end;
}

function shapeOf(row: Buffer, table: Table, columnCount: number): RowShape {
  let fields = 0;
  let end = row.length;
  for (let start = 0; start <= row.length; fields++) {
    const last = fieldEnd(row, start, table);
    if (fields + 1 === columnCount) end = last;
    start = last + 1;
  }
  return { fields, end };
}

/** Tells if a row of csv ends with an escape before nothing, which would make a delimiter after it a part of the last field. */
function endsWithEscape(row: Uint8Array, { format, dialect }: Table): boolean {
  if (format !== 'csv' || dialect.escape === NO_BYTE) return false;
  let escapes = 0;
  while (escapes < row.length && row[row.length - 1 - escapes] === dialect.escape) escapes++;
  return escapes % 2 === 1;
}

/** @throws FirstseenError E_RECORD for a row after which no column can be written. */
function checkColumnFollows(row: Uint8Array, table: Table, option: FieldOption): void {
  if (!endsWithEscape(row, table)) return;
  const what = phrase`a row ends with the character of ${optionName('escape')}, so a column after it would be a part of its last field`;
  throw new FirstseenError('E_RECORD', phrase`${what}: ${shownValue(Buffer.from(row).toString())}`, {
    option,
    remedy: phrase`write that character twice in the input, or leave ${optionName(option)} out`,
  });
}

/** The text that an annotation adds to a record, and its place in the record's bytes. */
interface Insertion {
  readonly at: number;
  readonly text: string;
}

const NOTHING: Insertion = { at: 0, text: '' };

/**
 * Adds columns after those of the header: a row with fewer fields gets empty ones before them, and one with more keeps the others
 * after them, so that each value is in its column.
 */
function withColumns(row: Buffer, table: Table, added: string, columnCount: number): Insertion {
  const { fields, end } = shapeOf(row, table, columnCount);
  const missing = String.fromCharCode(delimiterOf(table)).repeat(Math.max(0, columnCount - fields));
  return { at: end, text: `${missing}${added}` };
}

type EmissionAsked = Pick<OutputOptions, 'emit' | 'annotate'>;

/** The field that annotations have; undefined when records are not annotated. */
export function annotationField({ emit, annotate }: EmissionAsked): string | undefined {
  return emit === 'annotated' ? ANNOTATED_FIELD : annotate;
}

function refused(emission: EmissionAsked, problem: Phrase, remedy: Phrase): FirstseenError {
  const option = emission.emit === 'annotated' ? 'emit' : 'annotate';
  const value = emission[option];
  return new FirstseenError('E_USAGE', phrase`${optionName(option)} ${value as string} was given, but ${problem}`, {
    option,
    given: value,
    remedy,
  });
}

/**
 * @throws FirstseenError E_USAGE when records are to be annotated that cannot be annotated, or when only some of them are written.
 */
export function checkAnnotation(emission: EmissionAsked, format: FormatName): void {
  if (annotationField(emission) === undefined) return;
  const emit = optionName('emit');
  if (emission.annotate === '') {
    throw invalidOption({ code: 'E_USAGE', option: 'annotate', given: '', expected: 'the name of a field' });
  }
  if (emission.annotate !== undefined && emission.emit !== 'all') {
    throw refused(emission, phrase`records are annotated only with ${emit} all`, phrase`give ${emit} all`);
  }
  const { annotation, whyNotExtended: why } = recordFormatNamed(format);
  if (annotation === 'pairs' && /[\0- ="]/.test(annotationField(emission) as string)) {
    const expected = `a name without blanks, quotes and equals signs for ${format}`;
    throw invalidOption({ code: 'E_USAGE', option: 'annotate', given: emission.annotate, expected });
  }
  if (why === undefined) return;
  throw refused(emission, phrase`records of format ${format} ${why}`, phrase`choose ${emit} verdicts`);
}

type FieldOption = 'annotate' | 'count';

/** Returns the error for an annotation that would make a second field of one name. */
function alreadyHas(what: Phrase, option: FieldOption, given: string): FirstseenError {
  const remedy =
    option === 'annotate'
      ? phrase`give ${optionName(option)} another field`
      : phrase`rename it, or leave ${optionName(option)} out`;
  return new FirstseenError('E_USAGE', what, { option, given, remedy });
}

/** Returns the error for a record that has a member or a pair of this name. */
function recordHas(kind: 'member' | 'pair', name: string, record: Buffer, option: FieldOption, field: string) {
  const what = phrase`a record already has a ${kind} ${shownValue(name)}: ${shownValue(record.toString())}`;
  return alreadyHas(what, option, field);
}

/** Tells if a record of logfmt has a pair of this name. */
function hasPair(record: Buffer, name: string): boolean {
  if (!record.includes(name)) return false;
  const withoutQuoted = record.toString().replace(/="(?:[^"\\]|\\.)*"/gs, '=');
  return withoutQuoted.split(/[\0- ]+/).some((pair) => pair === name || pair.startsWith(`${name}=`));
}

/** Tells if the object of a record has a member of this name, which comes as JSON writes it. What is not JSON has none. */
function hasMember(record: Buffer, name: string): boolean {
  // A name can be written with other escapes.
  if (![name, '\\u', '\\/'].some((text) => record.includes(text))) return false;
  try {
    const value: unknown = JSON.parse(withoutSeparators(record.toString()));
    return typeof value === 'object' && value !== null && Object.hasOwn(value, JSON.parse(name));
  } catch {
    return false;
  }
}

/** Adds a member to the object of a record, if it is one. */
function withMember(record: Buffer, member: string): Insertion {
  const close = record.lastIndexOf(CLOSE_BRACE);
  if (close < 0) return NOTHING;
  const isEmpty = withoutSeparators(record.toString('latin1', 0, close)).trim() === '{';
  return { at: close, text: `${isEmpty ? '' : ','}${member}` };
}

export interface AnnotationOptions extends WrittenRecords {
  field: string;
  /** The option that asks for the annotation; `annotate` by default. */
  option?: FieldOption;
  annotation: Annotation;
  /** The verdicts of the records that are written, as a mask of the kernel's `compact`; all by default. */
  wanted?: number;
}

/** Finds what is added to a record, which comes without its terminator. `keyed` is as in `Annotation`. */
type Annotate = (record: Buffer, verdict: AnnotationVerdict, keyed: number | undefined) => Insertion;

/** Adds a member to objects. */
function addMember({ field, option = 'annotate', annotation }: AnnotationOptions): Annotate {
  const name = JSON.stringify(field);
  return (record, ...about) => {
    if (hasMember(record, name)) throw recordHas('member', field, record, option, field);
    return withMember(record, `${name}:${JSON.stringify(annotation.json(...about))}`);
  };
}

/** Adds columns to rows. */
function addColumns(
  { option = 'annotate', annotation }: AnnotationOptions,
  table: Table,
  columnCountOf: () => number | undefined,
): Annotate {
  return (record, ...about) => {
    checkColumnFollows(record, table, option);
    const added = columnsAfter(table, annotation.values(...about));
    const columnCount = columnCountOf();
    if (columnCount === undefined) return { at: record.length, text: added };
    return withColumns(record, table, added, columnCount);
  };
}

/** Adds pairs to lines of logfmt. */
function addPairs({ field, option = 'annotate', annotation }: AnnotationOptions): Annotate {
  const names = annotation.columns(field);
  return (record, ...about) => {
    const nameInRecord = names.find((name) => hasPair(record, name));
    if (nameInRecord !== undefined) throw recordHas('pair', nameInRecord, record, option, field);
    return { at: record.length, text: pairsAfter(names, annotation.values(...about)) };
  };
}

/** Adds columns before lines. */
function addBefore({ annotation }: AnnotationOptions): Annotate {
  const columns = (...about: Parameters<Annotation['values']>) => {
    const fields = annotation.values(...about).map(tsvField);
    return `${fields.join('\t')}\t`;
  };
  const before = annotation.before ?? columns;
  return (_, ...about) => ({ at: 0, text: before(...about) });
}

/**
 * Returns what adds the annotation in the form of the format. Records of formats without a form were refused before.
 * @param columnCountOf the number of columns of the header; undefined without a header
 */
function annotateFor(options: AnnotationOptions, columnCountOf: () => number | undefined): Annotate {
  const { annotation: form } = recordFormatNamed(options.format);
  switch (form) {
    case 'member':
      return addMember(options);
    case 'csv':
    case 'tsv':
      return addColumns(options, { format: form, dialect: options.dialect ?? plainDialect }, columnCountOf);
    case 'pairs':
      return addPairs(options);
    case 'before':
      return addBefore(options);
    case 'none':
      return () => NOTHING;
  }
}

function verdictOf(code: number): AnnotationVerdict {
  if (code === DISTINCT) return 'distinct';
  return code === DUPLICATE ? 'duplicate' : 'passed';
}

/** All records that an output can get. */
const EVERYTHING = emittedMask('all');

/** The records of a batch, as far as they are wanted, each with what is added to it. */
function recordsWith(batch: RecordBatch, mask: number, annotate: Annotate): Buffer {
  const { kernel } = batch;
  const parts: Uint8Array[] = [];
  forSelected(batch, mask, (i, keyed) => {
    const verdict = kernel.verdicts[i] as number;
    const record = recordBytes(kernel, i);
    if (verdict === decisions.COPIED) {
      parts.push(record);
      return;
    }
    const content = withoutTerminator(Buffer.from(record.buffer, record.byteOffset, record.length)) as Buffer;
    const { at, text } = annotate(content, verdictOf(verdict), keyed);
    if (at > 0) parts.push(record.subarray(0, at));
    parts.push(Buffer.from(text), record.subarray(at));
  });
  return Buffer.concat(parts);
}

export function annotatingWriter(options: AnnotationOptions): RecordWriter {
  const { field, option = 'annotate', annotation, wanted = EVERYTHING } = options;
  const table = tableOf(options);
  const columns = annotation.columns(field);
  let columnCount: number | undefined;
  const annotate = annotateFor(options, () => columnCount);
  return {
    checkHeader(names) {
      columnCount = names.length;
      const taken = columns.find((column) => names.includes(column));
      if (taken === undefined) return;
      throw alreadyHas(phrase`the input already has a column ${shownValue(taken)}`, option, field);
    },
    header(header) {
      if (table === undefined) return header;
      const end = withoutTerminator(header).length;
      checkColumnFollows(header.subarray(0, end), table, option);
      const added = Buffer.from(columnsAfter(table, columns));
      return Buffer.concat([header.subarray(0, end), added, header.subarray(end)]);
    },
    records: (batch) => recordsWith(batch, wanted, annotate),
  };
}
