// Sequences of JSON texts (RFC 7464, RFC 8142): a record separator is before each object.

/** The separators before an object, and the blanks among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: The separator is one.
const SEPARATORS = /^[ \t\r\u001e]*\u001e/;

/** The text of a record of ndjson without the separators before it. */
export function withoutSeparators(record: string): string {
  return record.replace(SEPARATORS, '');
}
