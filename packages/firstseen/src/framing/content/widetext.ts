// Recognizes text in UTF-16 that has no byte order mark.

import type { ForeignContent } from './foreigncontents.js';

/** Bytes by which a text in Latin-1 is recognized: eight characters. */
const MIN_WIDE_BYTES = 16;
/** Bytes by which a text of other scripts is recognized, or all of a shorter one. Even, as each character has two. */
const MAX_WIDE_BYTES = 512;
const NEWLINE = 0x0a;

/** The encodings of text with two bytes for a character, and the index of the high one of the two bytes. */
const wideContents = [
  { high: 1, label: 'utf-16le', content: { what: 'text in UTF-16', command: 'iconv -f UTF-16LE -t UTF-8' } },
  { high: 0, label: 'utf-16be', content: { what: 'text in UTF-16', command: 'iconv -f UTF-16BE -t UTF-8' } },
] as const;

type Wide = (typeof wideContents)[number];

/** Letters, marks, digits, punctuation, symbols and spaces. */
const CHARACTERS = /^[\t\r\n\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\p{Cf}]*$/u;

/** Characters whose high bytes tell a script that has characters of no other high byte, such as Kana and Devanagari. */
const MIN_CHARACTERS = 4;

/** Control characters that no text in UTF-8 has. In UTF-16, they are high bytes of Greek, Cyrillic, Hebrew, Arabic and others. */
export function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;
}

/** Tells if each of the first characters is one of Latin-1; `unknown` while there are too few. */
function isLatin(head: Uint8Array, high: number): boolean | 'unknown' {
  const first = head.subarray(0, MIN_WIDE_BYTES);
  if (!first.every((byte, i) => (byte === 0) === (i % 2 === high))) return false;
  return first.length === MIN_WIDE_BYTES || 'unknown';
}

/** Tells if bytes are characters of two bytes, as far as zeros and newlines show it. */
function areWide(head: Uint8Array, high: number): boolean {
  return head.every((byte, i) => {
    if (byte === 0) return i % 2 === high;
    if (byte !== NEWLINE) return true;
    const partner = i + 2 * high - 1;
    return i % 2 !== high && (partner >= head.length || head[partner] === 0);
  });
}

/** Tells if bytes are text in UTF-8, apart from a last character that is not whole. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    // A decoder of its own: one that is used again throws for the last character that was not whole.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Tells if some characters of UTF-16 have the same high byte, and all others are ASCII. */
function areOfOneScript(bytes: Uint8Array, high: number): boolean {
  const highs = bytes.filter((_, i) => i % 2 === high);
  return highs.length >= MIN_CHARACTERS && new Set(highs.filter((byte) => byte !== 0)).size === 1;
}

/** Tells if bytes are characters of UTF-16, some of them of ASCII, and are not text in UTF-8, or are lines of one script. */
function areCharacters(bytes: Uint8Array, { high, label }: Wide): boolean {
  // The last character may be cut.
  const text = new TextDecoder(label)
    .decode(bytes.subarray(0, bytes.length & ~1))
    .replace(/[\ud800-\udfff\ufffd]$/, '');
  if (!CHARACTERS.test(text) || text.includes('\ufffd') || !/[\t\r\n -~]/.test(text)) return false;
  return !isUtf8(bytes) || (text.includes('\n') && areOfOneScript(bytes, high));
}

/** Tells if the first line, with its newline, has a byte that no text in UTF-8 has. */
function hasSign(bytes: Uint8Array, line: Uint8Array, { newline, high }: { newline: number; high: number }): boolean {
  return line.some(isControl) || (newline !== -1 && bytes[newline + 2 * high - 1] === 0);
}

/**
 * Tells if bytes are characters of two bytes; `unknown` while more bytes may show that they are not. After a first line without bytes that
 * only UTF-16 has, what is there decides, so that the line does not have to wait.
 */
function hasWideCharacters(head: Uint8Array, encoding: Wide, isFinal: boolean): boolean | 'unknown' {
  const { high } = encoding;
  // Not all engines decode shared memory.
  const bytes = head.slice(0, MAX_WIDE_BYTES);
  const newline = bytes.indexOf(NEWLINE);
  const line = newline === -1 ? bytes : bytes.subarray(0, Math.max(0, newline - (1 - high)));
  if (hasSign(bytes, line, { newline, high })) {
    if (bytes.length < MAX_WIDE_BYTES && !isFinal) return 'unknown';
    if (bytes.length % 2 === 1) return false;
    if (newline !== -1 && areWide(bytes, high) && line.some(isControl)) return true;
  }
  return bytes.includes(0) && areCharacters(bytes, encoding);
}

/** The forms of UTF-16, and whether the first bytes of an input are written in them. */
export function wideContentsOf(
  head: Uint8Array,
  isFinal: boolean,
): readonly { content: ForeignContent; isShown: boolean | 'unknown' }[] {
  return wideContents.flatMap((encoding) =>
    [isLatin(head, encoding.high), hasWideCharacters(head, encoding, isFinal)].map((isShown) => ({
      content: encoding.content,
      isShown,
    })),
  );
}
