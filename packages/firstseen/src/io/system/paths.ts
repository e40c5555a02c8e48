// Names of files that are not UTF-8. On Linux a name is a sequence of bytes. In strings, each byte that is not part of valid UTF-8 is
// escaped (bytetext.ts). So names can be compared, joined and kept in a state like any others, and become bytes again where a
// file is opened.

import { shownName } from '../../base/errors.js';
import { bytesOfText, hasEscapedBytes, textOfBytes } from './bytetext.js';

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

/** The longest path that a system opens. Messages cut only longer ones, because a path ends with the name of the file. */
const MAX_PATH_CHARACTERS = 2 ** 12;

/** A path in messages. */
export function shownPath(path: string): string {
  return path.length <= MAX_PATH_CHARACTERS ? path : shownName(path);
}

/** The string for a name. */
export function pathOfBytes(bytes: Uint8Array): string {
  return textOfBytes(bytes);
}

/** The name as the system takes it: the string itself, unless it has escaped bytes. */
export function systemPath(path: string): string | Buffer {
  return hasEscapedBytes(path) ? bytesOfText(path) : path;
}
