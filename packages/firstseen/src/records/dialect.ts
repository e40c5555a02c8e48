// Dialects: the byte between two fields and, of csv, the one around a quoted field and the one before a byte that is content.

import { type FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { NO_BYTE } from '../kernel/abi.js';
import type { InputFormatName } from './formats.js';

export interface Dialect {
  /** The byte between two fields; `NO_BYTE` for runs of blanks. */
  readonly delimiter: number;
  /** The byte around a quoted field, or `NO_BYTE`. Two of them inside are one that is content. */
  readonly quote: number;
  /** The byte that makes the next one content, in a quoted field and outside, or `NO_BYTE`. */
  readonly escape: number;
}

/** The dialect of RFC 4180. */
export const plainDialect: Dialect = { delimiter: 0x2c, quote: 0x22, escape: NO_BYTE };

const unquoted = { quote: NO_BYTE, escape: NO_BYTE } as const;

/** The dialects of the formats that have another one than csv, unless it was asked for. */
const dialects: Partial<Readonly<Record<InputFormatName, Dialect>>> = {
  lines: { delimiter: NO_BYTE, ...unquoted },
  tsv: { delimiter: 0x09, ...unquoted },
  fields: { delimiter: NO_BYTE, ...unquoted },
};

/** The dialect of a format unless another one was asked for. */
export function defaultDialect(format: InputFormatName): Dialect {
  return dialects[format] ?? plainDialect;
}

/** The options that a dialect is made from. */
export interface DialectOptions {
  delimiter?: string | undefined;
  quote?: string | undefined;
  escape?: string | undefined;
}

/** The options, in the order of `DialectOptions`. */
const dialectOptions = ['delimiter', 'quote', 'escape'] as const;

type DialectOption = (typeof dialectOptions)[number];

/** The word for a table without quotes. */
const NONE = 'none';

const NAMED: Readonly<Record<string, string>> = { tab: '\t', '\\t': '\t' };

function byteOf(option: DialectOption, { [option]: value }: DialectOptions, format: InputFormatName): number {
  if (value === undefined) return defaultDialect(format)[option];
  if (option === 'quote' && value === NONE) return NO_BYTE;
  const text = NAMED[value] ?? value;
  // A letter or a digit is most likely a mistake, and a line end cannot be told from the end of a row.
  if (/^[\t -/:-@[-`{-~]$/.test(text)) return text.charCodeAt(0);
  throw invalidOption({
    code: 'E_USAGE',
    option,
    given: value,
    expected: `one ASCII character that is not a letter or digit, such as ';', ${option === 'quote' ? 'tab or none' : 'or tab'}`,
  });
}

/** @throws FirstseenError E_USAGE for two bytes that have to differ. */
function checkDifferent(dialect: Dialect, options: DialectOptions): void {
  if (dialect.delimiter !== dialect.quote && dialect.delimiter !== dialect.escape) return;
  const option = dialectOptions.find((name) => options[name] !== undefined) as DialectOption;
  throw invalidOption({
    ...{ code: 'E_USAGE', option, given: options[option] },
    expected: 'different characters between fields, around them and before a character that is content',
  });
}

function withoutDialect(option: DialectOption, options: DialectOptions, format: InputFormatName): FirstseenError {
  const ofLines = option === 'delimiter' && format === 'lines';
  const remedy = ofLines
    ? phrase`give ${optionName('keys')} with the number of a field, or ${optionName('format')} csv`
    : phrase`give ${optionName('format')} csv, or leave ${optionName(option)} out`;
  return unfitOption(option, `the format is ${format}`, { given: options[option], remedy });
}

/** Tells if a format has such an option. That quotes are text can be said of all formats whose records end with a line. */
function isKnown(option: DialectOption, given: string | undefined, format: InputFormatName): boolean {
  if (format === 'csv') return true;
  if (format === 'fields' && option === 'delimiter') return true;
  return option === 'quote' && given === NONE && ['lines', 'fields', 'tsv'].includes(format);
}

/**
 * The dialect that options ask for; undefined if they ask for none.
 * @throws FirstseenError E_USAGE for what is not one character, for equal ones, and for a format that does not have them.
 */
export function dialectOf(options: DialectOptions, format: InputFormatName): Dialect | undefined {
  const givenOptions = dialectOptions.filter((name) => options[name] !== undefined);
  const option = givenOptions.find((name) => !isKnown(name, options[name], format));
  if (option !== undefined) throw withoutDialect(option, options, format);
  if (givenOptions.length === 0) return undefined;
  // Quotes that are text leave such a format as it is.
  if (format !== 'csv' && options.delimiter === undefined) return defaultDialect(format);
  const [delimiter, quote, escapeByte] = dialectOptions.map((name) => byteOf(name, options, format)) as [
    number,
    number,
    number,
  ];
  // A quote before a quote makes it content in any case.
  const dialect = { delimiter, quote, escape: escapeByte === quote ? NO_BYTE : escapeByte };
  checkDifferent(dialect, options);
  return dialect;
}

/** Tells if quotes or escapes have a meaning. */
function hasQuoting({ quote, escape: before }: DialectOptions): boolean {
  return before !== undefined || (quote !== undefined && quote !== NONE);
}

/**
 * Returns the format and the options by which a table is read. With a quote or an escape, tsv is csv with tabs; both
 * have no meaning in tsv otherwise. A quote that was not given stays without one.
 */
export function tableAs<Format extends InputFormatName, Options extends DialectOptions>(
  format: Format,
  options: Options,
): { format: Format | 'csv'; options: Options } {
  const { delimiter = 'tab', quote = NONE } = options;
  const isQuoted = format === 'tsv' && hasQuoting(options) && (NAMED[delimiter] ?? delimiter) === '\t';
  return isQuoted ? { format: 'csv', options: { ...options, delimiter: 'tab', quote } } : { format, options };
}

/** A byte of a dialect as a text. */
export function shownByte(byte: number): string {
  if (byte === NO_BYTE) return NONE;
  return byte === 0x09 ? 'tab' : String.fromCharCode(byte);
}

/** A dialect as a state keeps it: only what is not as by default. */
export function dialectNote(
  dialect: Dialect | undefined,
  format: InputFormatName,
): Partial<Record<DialectOption, string>> {
  const byDefault = defaultDialect(format);
  if (!dialect) return {};
  const others = dialectOptions.filter((name) => dialect[name] !== byDefault[name]);
  return Object.fromEntries(others.map((name) => [name, shownByte(dialect[name])]));
}

/** The delimiters that files which are named csv have most often, besides the comma. */
const FREQUENT_DELIMITERS = [';', '\t', '|'];

/** The delimiter that a header of csv without a comma seems to have; undefined if it seems to have none, or is as it was asked for. */
export function seemingDelimiter(names: readonly string[], { delimiter }: Dialect = plainDialect): string | undefined {
  const [only = ''] = names;
  if (names.length !== 1) return undefined;
  const counts = [',', ...FREQUENT_DELIMITERS].map((text) => [text, only.split(text).length - 1] as const);
  const [[best, count]] = counts.sort(([, left], [, right]) => right - left) as [readonly [string, number]];
  return count === 0 || best === String.fromCharCode(delimiter) ? undefined : shownByte(best.charCodeAt(0));
}
