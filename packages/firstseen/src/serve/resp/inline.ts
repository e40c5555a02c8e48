// Inline commands: a line of words, as a person types it. Quoted words are replaced in place by what they mean, which is never longer.

const [TAB, CR, SPACE, QUOTE, APOSTROPHE, BACKSLASH, LOWERCASE_X] = [9, 13, 32, 34, 39, 92, 120];

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || (byte !== undefined && byte >= TAB && byte <= CR);
}

/** The byte that a backslash at an offset begins, and the offset after it. */
function unescaped(bytes: Uint8Array, at: number): [byte: number, next: number] {
  const letter = bytes[at + 1] as number;
  const digits = String.fromCharCode(bytes[at + 2] as number, bytes[at + 3] as number);
  if (letter === LOWERCASE_X && /^[0-9a-f]{2}$/i.test(digits)) return [Number.parseInt(digits, 16), at + 4];
  const meant = escapes[String.fromCharCode(letter)];
  return [meant === undefined ? letter : meant.charCodeAt(0), at + 2];
}

/** A word in a line, from its first byte on. The word is written from there on as what it means. */
interface Word {
  end: number;
  next: number;
}

/** Reads the word at an offset; undefined if a quote is not closed, or something follows the closing one. */
function readWord(bytes: Uint8Array, from: number, lineEnd: number): Word | undefined {
  let [at, end, quote] = [from, from, 0];
  while (at < lineEnd) {
    const byte = bytes[at] as number;
    if (quote === 0 && isBlank(byte)) break;
    if (quote === 0 && (byte === QUOTE || byte === APOSTROPHE)) {
      quote = byte;
      at++;
    } else if (quote !== 0 && byte === quote) {
      at++;
      return at === lineEnd || isBlank(bytes[at]) ? { end, next: at } : undefined;
    } else if (quote === QUOTE && byte === BACKSLASH && at + 1 < lineEnd) {
      const [meant, next] = unescaped(bytes, at);
      bytes[end++] = meant;
      at = next;
    } else if (quote === APOSTROPHE && byte === BACKSLASH && bytes[at + 1] === APOSTROPHE && at + 1 < lineEnd) {
      bytes[end++] = APOSTROPHE;
      at += 2;
    } else {
      bytes[end++] = byte;
      at++;
    }
  }
  return quote === 0 ? { end, next: at } : undefined;
}

/**
 * Gives the words of a line to `onWord`, as spans of the buffer.
 * @returns false if a quote is not closed, or something follows the closing one
 */
export function splitWords(
  bytes: Uint8Array,
  lineStart: number,
  lineEnd: number,
  onWord: (start: number, end: number) => void,
): boolean {
  let at = lineStart;
  for (;;) {
    while (at < lineEnd && isBlank(bytes[at])) at++;
    if (at === lineEnd) return true;
    const word = readWord(bytes, at, lineEnd);
    if (word === undefined) return false;
    onWord(at, word.end);
    at = word.next;
  }
}
