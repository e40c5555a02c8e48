// Bytes as text that a person reads, and back. What an editor hides or changes is escaped: a tab is `\t`, a carriage return `\r`, a NUL
// `\0`, a backslash `\\`, another byte `\x` and two digits. A backslash at the end of a line joins it with the next one, so that it also
// says that the last line has no newline.

/** Characters that are shown as they are: neither controls nor format characters, and no blank or accent that looks like another. */
const SHOWN = /^[^\p{C}\p{Z}\p{Script=Inherited}\ufffd\\]$/u;
const letters = { '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't', '\0': '0' };
const bytesByLetter = Object.fromEntries(Object.entries(letters).map(([byte, letter]) => [letter, byte]));
const ESCAPE = /\\(?:x([0-9a-f]{2})|([\\nrt0]))|\\/g;
/** The columns after which a line of bytes that are not text goes on in the next one. */
const MAX_COLUMNS = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes as text; undefined unless they are UTF-8. */
function textOf(bytes) {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function escapedBytes(character, encoding) {
  return [...Buffer.from(character, encoding)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

function escapedCharacter(character, encoding) {
  if (character in letters) return `\\${letters[character]}`;
  const isShown = character === ' ' || (SHOWN.test(character) && (encoding === 'utf8' || character < '\x7f'));
  return isShown ? character : escapedBytes(character, encoding);
}

/** A line that neither ends with a blank nor looks like a part of the file. */
function escapedLine(line, encoding, isPart) {
  const text = [...line].map((character) => escapedCharacter(character, encoding)).join('');
  const withEnd = text.replace(/ $/, '\\x20');
  return isPart(withEnd) ? `${escapedBytes(withEnd[0], 'utf8')}${withEnd.slice(1)}` : withEnd;
}

/** Cuts a line between escapes, each piece but the last with a backslash at its end. */
function wrapped(line) {
  const pieces = [''];
  for (const [unit] of line.matchAll(/\\x..|\\.|[^\\]|\\$/g)) {
    if (pieces.at(-1).length + unit.length > MAX_COLUMNS) pieces.push('');
    pieces[pieces.length - 1] += unit;
  }
  return pieces.map((piece) => piece.replace(/ $/, '\\x20')).join('\\\n');
}

/**
 * Whether the bytes read the same as they are: nothing in them is invisible, and they end with the newline of a line that is not blank.
 * @param isPart tells the lines that are a part of the file that holds the text
 */
export function isPlain(bytes, isPart) {
  if (bytes.length === 0) return true;
  const text = textOf(bytes);
  if (text === undefined || !text.endsWith('\n') || /(^|\n)\n$/.test(text)) return false;
  return text
    .slice(0, -1)
    .split('\n')
    .every(
      (line) =>
        !isPart(line) && escapedLine(line.replaceAll('\\', ''), 'utf8', () => false) === line.replaceAll('\\', ''),
    );
}

/** The escaped bytes, as lines. */
export function escaped(bytes, isPart) {
  const text = textOf(bytes);
  const encoding = text === undefined ? 'latin1' : 'utf8';
  const lines = (text ?? Buffer.from(bytes).toString('latin1'))
    .split('\n')
    .map((line) => escapedLine(line, encoding, isPart));
  const last = lines.pop();
  if (last !== '') lines.push(`${last}\\`);
  // A blank line at the end would look like one that is not a part of the bytes.
  else if (lines.at(-1) === '') lines.splice(-1, 1, '\\n\\');
  const isText = text !== undefined && !text.includes('\0');
  return `${(isText ? lines : lines.map(wrapped)).join('\n')}\n`;
}

/**
 * Reads an escaped text as bytes.
 * @throws Error for an escape that does not exist
 */
export function unescaped(text) {
  const joined = text.replace(/\\(\\|\n|[^\n])/g, (whole, next) => (next === '\n' ? '' : whole));
  const parts = [];
  let end = 0;
  for (const { 0: whole, 1: hex, 2: letter, index } of joined.matchAll(ESCAPE)) {
    if (whole === '\\')
      throw new Error(
        `\\${joined[index + 1]} is not an escape; the escapes are \\\\ \\n \\r \\t \\0 and \\x with two digits`,
      );
    parts.push(Buffer.from(joined.slice(end, index)));
    parts.push(hex === undefined ? Buffer.from(bytesByLetter[letter]) : Buffer.from(hex, 'hex'));
    end = index + whole.length;
  }
  return Buffer.concat([...parts, Buffer.from(joined.slice(end))]);
}
