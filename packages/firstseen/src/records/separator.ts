// The line that Excel reads and writes at the start of csv, before the header: `sep=;` names the delimiter.

/** The longest such line, with a byte order mark and a line end. */
export const MAX_SEPARATOR_BYTES = 16;

const NEWLINE = 0x0a;

/** The decoder drops a byte order mark. Excel takes the line with and without quotes. */
const LINE = /^("?)sep=([\t -/:-@[-`{-~])\1(?:\r?\n)?$/i;

/** The bytes of such a line at the start of a text, with its line end, which the last line of a text need not have; 0 if there is none. */
export function separatorBytes(text: Uint8Array): number {
  const beginning = text.subarray(0, MAX_SEPARATOR_BYTES);
  const end = beginning.indexOf(NEWLINE) + 1 || beginning.length;
  return LINE.test(new TextDecoder().decode(text.subarray(0, end))) ? end : 0;
}

/** The delimiter that such a line at the start of a text names; undefined if there is none. */
export function separatorOf(text: Uint8Array): string | undefined {
  return LINE.exec(new TextDecoder().decode(text.subarray(0, separatorBytes(text))))?.[2];
}
