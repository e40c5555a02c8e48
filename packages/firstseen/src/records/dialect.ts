// The dialects of csv: the byte between two fields, and the one around a quoted field.

import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import type { InputFormatName } from './formats.js';

export interface Dialect {
  /** The byte between two fields. */
  readonly delimiter: number;
  /** The byte around a quoted field. Two of them inside are one that is content. */
  readonly quote: number;
}

/** The dialect of RFC 4180. */
export const plainDialect: Dialect = { delimiter: 0x2c, quote: 0x22 };

/** What a dialect is made from. */
export interface DialectOptions {
  delimiter?: string | undefined;
  quote?: string | undefined;
}

const NAMED: Readonly<Record<string, string>> = { tab: '\t', '\\t': '\t' };

function byteOf(option: 'delimiter' | 'quote', given: string): number {
  const text = NAMED[given] ?? given;
  // A letter or a digit is most likely a mistake, and a line end cannot be told from the end of a row.
  if (/^[\t -/:-@[-`{-~]$/.test(text)) return text.charCodeAt(0);
  throw invalidOption({
    code: 'E_USAGE',
    option,
    given,
    expected: "one ASCII character that is not a letter or digit, such as ';', or tab",
  });
}

/**
 * The dialect that options ask for; undefined if they ask for none.
 * @throws FirstseenError E_USAGE for what is not one character, for equal ones, and for a format other than csv.
 */
export function dialectOf(options: DialectOptions, format: InputFormatName): Dialect | undefined {
  const [option] = (['delimiter', 'quote'] as const).filter((name) => options[name] !== undefined);
  if (option === undefined) return undefined;
  if (format !== 'csv') {
    throw new FirstseenError('E_USAGE', phrase`${optionName(option)} was given, but the format is ${format}`, {
      ...{ option, given: options[option] },
      remedy: phrase`give ${optionName('format')} csv, or leave ${optionName(option)} out`,
    });
  }
  const dialect = {
    delimiter: options.delimiter === undefined ? plainDialect.delimiter : byteOf('delimiter', options.delimiter),
    quote: options.quote === undefined ? plainDialect.quote : byteOf('quote', options.quote),
  };
  if (dialect.delimiter !== dialect.quote) return dialect;
  throw invalidOption({
    code: 'E_USAGE',
    option,
    given: options[option],
    expected: 'different characters between fields and around them',
  });
}

/** A byte of a dialect as a text. */
export function shownByte(byte: number): string {
  return byte === 0x09 ? 'tab' : String.fromCharCode(byte);
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
