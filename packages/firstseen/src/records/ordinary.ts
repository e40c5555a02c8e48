// Ordinary rows, which need no parser: rows of tsv, and valid rows of csv that are not very long.

import { NO_BYTE } from '../kernel/abi.js';
import { type Dialect, plainDialect } from './dialect.js';

export type TableFormat = 'csv' | 'tsv';

const [NEWLINE, CARRIAGE_RETURN] = [0x0a, 0x0d];

/** A byte in a regular expression; empty for `NO_BYTE`. */
export function inPattern(byte: number): string {
  return byte === NO_BYTE ? '' : `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** A field with the text between its quotes, or without quotes, and the delimiter after it, if there is one. */
function fieldPattern(dialect: Dialect): RegExp {
  const [d, q, e] = [dialect.delimiter, dialect.quote, dialect.escape].map(inPattern) as [string, string, string];
  // No part can match in two ways, so that a row without a closing quote takes no longer than others.
  const others = `[^${q}${d}${e}\\r\\n]*`;
  const plain = others + (e && `(?:${e}[^]${others})*(?:${e}$)?`);
  const inner = `[^${q}${e}]*`;
  const quoted = q && `|${q}(?<quoted>${inner}(?:(?:${e && `${e}[^]|`}${q}${q})${inner})*)${q}`;
  return new RegExp(`(?:(?<plain>${plain})${quoted})(?<end>${d}|$)`, 'y');
}

/** Decodes the text of a field, between its quotes if it has some, as the scanner does for keys. */
export function decodedField(text: string, dialect: Dialect, isQuoted: boolean): string {
  const { delimiter, quote } = dialect;
  const pairs = [
    dialect.escape === NO_BYTE ? '' : `${inPattern(dialect.escape)}[^]`,
    isQuoted ? inPattern(quote).repeat(2) : '',
  ];
  const pattern = pairs.filter(Boolean).join('|');
  if (pattern === '') return text;
  const special = [delimiter, quote, NEWLINE, CARRIAGE_RETURN];
  return text.replace(new RegExp(pattern, 'g'), (pair) =>
    special.includes(pair.charCodeAt(1)) ? pair.slice(1) : pair,
  );
}

/** Longer rows go to the parser, because each pair of quotes takes space on the stack of a regular expression. */
const MAX_ORDINARY_CHARACTERS = 65536;

/** The fields of an ordinary row without their quotes; undefined for other rows, which go to the parser. */
export function ordinaryFields(row: string, dialect: Dialect = plainDialect): string[] | undefined {
  if (row === '' || row.length > MAX_ORDINARY_CHARACTERS) return undefined;
  const pattern = fieldPattern(dialect);
  for (const fields: string[] = []; ; ) {
    const { plain, quoted, end } = pattern.exec(row)?.groups ?? {};
    if (end === undefined) return undefined;
    fields.push(decodedField(plain ?? (quoted as string), dialect, plain === undefined));
    if (end === '') return fields;
  }
}

/** The names in an ordinary header, as `headerNames`; undefined for others. */
export function ordinaryNames(format: TableFormat, content: Uint8Array, dialect?: Dialect): string[] | undefined {
  const text = new TextDecoder().decode(content);
  if (format === 'tsv') return text.split('\t');
  return text === '' ? [''] : ordinaryFields(text, dialect);
}
