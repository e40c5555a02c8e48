// Ordinary rows, which need no parser: rows of tsv, and rows of csv in which every field is as in RFC 4180.

export type TableFormat = 'csv' | 'tsv';

/** A field with the text between its quotes, or without quotes, and the comma after it, if there is one. */
const CSV_FIELD = /(?:([^",\r\n]*)|"([^"]*(?:""[^"]*)*)")(,|$)/y;

/** Longer rows go to the parser, because each pair of quotes takes space on the stack of a regular expression. */
const MOST_ORDINARY_CHARACTERS = 65536;

const QUOTE = 0x22;

/**
 * The index of the quote that closes the field of csv that begins with a quote at `start`; -1 if there is none. Two quotes are one
 * that is content (RFC 4180, section 2.7).
 */
export function closingQuote(bytes: Uint8Array, start: number): number {
  let at = bytes.indexOf(QUOTE, start + 1);
  while (at !== -1 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at;
}

/** The fields of an ordinary row without their quotes; undefined for other rows, which go to the parser. */
export function ordinaryFields(row: string): string[] | undefined {
  if (row === '' || row.length > MOST_ORDINARY_CHARACTERS) return undefined;
  CSV_FIELD.lastIndex = 0;
  for (const fields: string[] = []; ; ) {
    const field = CSV_FIELD.exec(row);
    if (field === null) return undefined;
    fields.push(field[1] ?? (field[2] as string).replaceAll('""', '"'));
    if (field[3] === '') return fields;
  }
}

/** The names in an ordinary header, as `headerNames`; undefined for others. */
export function ordinaryNames(format: TableFormat, content: Uint8Array): string[] | undefined {
  const text = new TextDecoder().decode(content);
  if (format === 'tsv') return text.split('\t');
  return text === '' ? [''] : ordinaryFields(text);
}
