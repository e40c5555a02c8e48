// Bytes as text that keeps bytes which are not UTF-8. Each of these is one lone surrogate, U+DC80 to U+DCFF, as in Python (PEP 383), so
// that different bytes are different texts.

import { isUtf8 } from 'node:buffer';

const ESCAPE = 0xdc00;
const LONE_SURROGATE = /\p{Surrogate}/u;
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The length of a character in UTF-8 by its first byte. */
function characterLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

function isCharacterAt(bytes: Uint8Array, at: number, length: number): boolean {
  return at + length <= bytes.length && (length === 1 || isUtf8(bytes.subarray(at, at + length)));
}

function escapedText(bytes: Uint8Array): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number;
    const length = characterLength(first);
    if (isCharacterAt(bytes, at, length)) {
      at += length;
      continue;
    }
    text += utf8.decode(bytes.subarray(from, at)) + String.fromCharCode(ESCAPE + first);
    at += 1;
    from = at;
  }
  return text + utf8.decode(bytes.subarray(from));
}

/** The text of bytes. */
export function textOfBytes(bytes: Uint8Array): string {
  return isUtf8(bytes) ? utf8.decode(bytes) : escapedText(bytes);
}

/** Tells if a text has bytes that are not UTF-8. */
export function hasEscapedBytes(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/** The inverse of `textOfBytes`. */
export function bytesOfText(text: string): Buffer {
  return Buffer.concat(
    Array.from(text, (character) =>
      LONE_SURROGATE.test(character) ? Buffer.of(character.charCodeAt(0) & 0xff) : Buffer.from(character),
    ),
  );
}
