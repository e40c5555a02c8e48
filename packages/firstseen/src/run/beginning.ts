// What is refused at the beginning of an input, before any of its records is written: binary data, and a table whose fields or records
// would be cut at delimiters and newlines within quotes.

import { FirstseenError, joinPhrases, optionName, type Phrase, phrase } from '../base/errors.js';
import { checkText } from '../framing/content/binarydata.js';
import type { InputName } from '../framing/content/content.js';
import { isRepeatable, type Source } from '../io/source.js';
import { commentPrefix } from '../records/comments.js';
import { type Dialect, defaultDialect } from '../records/dialect.js';
import { type FormatName, NEWLINE } from '../records/formats.js';
import { separatorBytes } from '../records/separator.js';
import type { ScanSettings } from '../records/settings.js';
import { LOOKED_AT_BYTES, TableReading } from '../records/tablereading.js';
import type { ResolvedRecords } from './resolved.js';
import { shownDelimiter } from './separator.js';

/** Bytes that are read at a time to look at all. */
const PIECE_BYTES = 2 ** 20;

/** The formats in which line ends within quotes can end records. */
const formats: readonly FormatName[] = ['lines', 'fields', 'tsv', 'csv'];

/** Dialects that tables are most often written in. */
const dialects = [',', ';', '\t', '|'].flatMap((delimiter) =>
  ['"', "'"].map((quote) => ({ delimiter: delimiter.charCodeAt(0), quote: quote.charCodeAt(0) })),
);

const DOUBLE_QUOTE = 0x22;
const COMMA = 0x2c;
const TAB = 0x09;

/** The format and the options by which an input is read. */
export interface ReadAs {
  format: FormatName;
  /** Undefined if none was given. */
  dialect?: Dialect | undefined;
  /** The beginning of comments; none by default. */
  comment?: string | undefined;
  /** The columns of the keys, or of what is left out of records; none by default. */
  columns?: readonly number[] | undefined;
  except?: ScanSettings['except'];
}

/** The beginning of an input. */
export interface Beginning {
  bytes: Uint8Array;
  /** The lines before these bytes. */
  lines: number;
}

type WrittenIn = Pick<Dialect, 'delimiter' | 'quote'>;

interface OtherReading {
  dialect: WrittenIn;
  reading: TableReading;
}

/** An input in the dialects in which it is not read. */
class OtherReadings {
  readonly #readings: readonly OtherReading[];
  /** The input as it is read; undefined if its format is no table. */
  readonly #own: TableReading | undefined;
  /** True if fields are looked for, so that it matters where they end. */
  readonly #hasFields: boolean;
  readonly #format: FormatName;

  constructor({ format, dialect, comment, columns = [], except = [] }: ReadAs) {
    const isAsked = dialect === undefined && formats.includes(format);
    const own = format === 'csv' || format === 'tsv' ? defaultDialect(format) : undefined;
    const others = isAsked ? dialects.filter((other) => own === undefined || !isSame(own, other)) : [];
    this.#format = format;
    this.#hasFields = columns.length + except.length > 0;
    const prefix = commentPrefix(comment);
    this.#own = own && new TableReading(own, prefix);
    this.#readings = others.map((other) => ({ dialect: other, reading: new TableReading(other, prefix) }));
  }

  /** True if more bytes change no answer. */
  get isDecided(): boolean {
    return this.#readings.every(({ reading }) => reading.isDecided);
  }

  take(bytes: Uint8Array): void {
    if (this.#readings.length === 0) return;
    this.#own?.take(bytes);
    for (const { reading } of this.#readings) if (!reading.isDecided) reading.take(bytes);
  }

  /** Why an input is refused, as far as it was read; undefined if it is not. @param lines the lines before what was read */
  errorOf(name: string, lines: number): FirstseenError | undefined {
    // What is a table as it is read is one, whatever else it may be.
    if (this.#format === 'csv' && !this.#own?.isRefuted) return undefined;
    const broken = this.#readings.find(({ reading }) => reading.hasBrokenLines);
    const cut = this.#readings.find(({ reading, dialect }) => this.#cutsFields(dialect) && reading.hasCutFields);
    if (broken)
      return this.#errorFor(
        broken,
        'a record would end within a quoted field',
        `${name}, line ${lines + (broken.reading.brokenLine as number)}`,
      );
    return (
      cut &&
      this.#errorFor(
        cut,
        'a field would end at a delimiter in quotes',
        `${name}, line ${lines + (cut.reading.cutLine as number)}`,
      )
    );
  }

  /** Tells if fields of a table that is written in another dialect would be cut at delimiters within quotes. */
  #cutsFields({ delimiter }: WrittenIn): boolean {
    return this.#format === 'tsv' && this.#own?.isRefuted === true && this.#hasFields && delimiter === TAB;
  }

  #errorFor({ dialect, reading }: OtherReading, what: string, at: string): FirstseenError {
    const table = `a table of ${reading.columns} columns with the delimiter ${shownDelimiter(dialect.delimiter)}`;
    const problem = `${at}: ${what}, because the input is ${table}`;
    return new FirstseenError('E_USAGE', problem, { option: 'delimiter', remedy: remedyFor(this.#format, dialect) });
  }
}

/** @throws FirstseenError E_USAGE for an input at whose beginning a record would end within a quoted field */
export function checkTable(readAs: ReadAs, name: string, { bytes, lines }: Beginning): void {
  const readings = new OtherReadings(readAs);
  const before = separatorBytes(bytes);
  readings.take(bytes.subarray(before, LOOKED_AT_BYTES));
  const error = readings.errorOf(name, before > 0 ? lines + 1 : lines);
  if (error) throw error;
}

/** The bytes after the first lines, as far as these end in them; and the lines that are left. */
function afterLines(bytes: Uint8Array, lines: number): { rest: Uint8Array; left: number } {
  let [rest, left] = [bytes, lines];
  for (; left > 0 && rest.length > 0; left--) {
    const newline = rest.indexOf(NEWLINE);
    if (newline === -1) return { rest: rest.subarray(rest.length), left };
    rest = rest.subarray(newline + 1);
  }
  return { rest, left };
}

/** Like `checkTable`, for all of an input that can be read once more, after the lines that are skipped. */
export async function checkAll(readAs: ReadAs & { skipLines: number }, { name, note, open }: Source): Promise<void> {
  if (readAs.dialect !== undefined || !isRepeatable(note)) return;
  const readings = new OtherReadings(readAs);
  const piece = new Uint8Array(PIECE_BYTES);
  const reader = await open();
  let skipped = readAs.skipLines;
  try {
    for (let read = await reader.read(piece); read > 0 && !readings.isDecided; read = await reader.read(piece)) {
      const { rest, left } = afterLines(piece.subarray(0, read), skipped);
      skipped = left;
      readings.take(rest);
    }
  } finally {
    await reader.close();
  }
  const error = readings.errorOf(name, readAs.skipLines);
  if (error) throw error;
}

function isSame(left: WrittenIn, right: WrittenIn): boolean {
  return left.delimiter === right.delimiter && left.quote === right.quote;
}

function remedyFor(format: FormatName, { delimiter, quote }: WrittenIn): Phrase {
  const isTsv = format === 'tsv' && delimiter === TAB;
  const asCsv = format === 'csv' || isTsv ? undefined : phrase`${optionName('format')} csv`;
  const isPlain = isTsv || (delimiter === COMMA && (quote === DOUBLE_QUOTE || asCsv !== undefined));
  const between = isPlain ? undefined : phrase`${optionName('delimiter')} ${shownDelimiter(delimiter)}`;
  const isNamed = isTsv || quote !== DOUBLE_QUOTE;
  const around = isNamed ? phrase`${optionName('quote')} ${quote === DOUBLE_QUOTE ? `'"'` : `"'"`}` : undefined;
  const flags = [asCsv, between, around].filter((flag) => flag !== undefined);
  return phrase`give ${joinPhrases(flags, ' ')}, or ${optionName('quote')} none if quotes are part of the text`;
}

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
