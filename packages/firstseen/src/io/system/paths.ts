// Names of files that are not UTF-8. On Linux a name is a sequence of bytes. In strings, each byte that is not part of valid UTF-8 is
// one lone surrogate, U+DC80 to U+DCFF, as in Python (PEP 383). So names can be compared, joined and kept in a state like any others,
// and become bytes again where a file is opened.

import { shownName } from '../../base/errors.js';

/** The name of standard input among the inputs, and of standard output as an output. */
export const STANDARD_STREAM = '-';

/** The path of an output; undefined for standard output. */
export function outputPath(path: string | undefined): string | undefined {
  return path === STANDARD_STREAM ? undefined : path;
}

/** The name of an input in messages. */
export function inputName(path: string): string {
  return path === STANDARD_STREAM ? 'standard input' : path;
}

/** No system opens a longer path, so only such a path is cut in messages: the end of the others is the name of the file. */
const MOST_PATH_CHARACTERS = 2 ** 12;

/** A path in messages. */
export function shownPath(path: string): string {
  return path.length <= MOST_PATH_CHARACTERS ? path : shownName(path);
}

const ESCAPE = 0xdc00;
const LONE_SURROGATE = /\p{Surrogate}/u;
const MOST_BYTES_OF_CHARACTER = 4;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes; undefined if they are not valid UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The character at the beginning of bytes; undefined if they are not valid UTF-8. */
function characterAt(bytes: Uint8Array): string | undefined {
  const most = Math.min(MOST_BYTES_OF_CHARACTER, bytes.length);
  for (let length = 1; length <= most; length++) {
    const character = textOf(bytes.subarray(0, length));
    if (character !== undefined) return character;
  }
  return undefined;
}

/** The string for a name. */
export function pathOfBytes(bytes: Uint8Array): string {
  return textOf(bytes) ?? escapedText(bytes);
}

function escapedText(bytes: Uint8Array): string {
  let path = '';
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes.subarray(at));
    path += character ?? String.fromCharCode(ESCAPE + (bytes[at] as number));
    at += character === undefined ? 1 : Buffer.byteLength(character);
  }
  return path;
}

/** The name as the system takes it: the string itself, unless it has escaped bytes. */
export function systemPath(path: string): string | Buffer {
  if (!LONE_SURROGATE.test(path)) return path;
  return Buffer.concat(
    Array.from(path, (character) =>
      LONE_SURROGATE.test(character) ? Buffer.of(character.charCodeAt(0) & 0xff) : Buffer.from(character),
    ),
  );
}
