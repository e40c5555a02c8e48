// The names that a detector can have.

import { FirstseenError, shownValue } from '../../base/errors.js';

/** The character that a text has in place of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';
/** Control characters, and ends of lines and paragraphs. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** Anything but spaces, and characters that have no width. */
const visible = /[^\p{Z}\p{C}]/u;
/** Segments of a path that clients of HTTP take out of it. */
const pathWords: readonly string[] = ['.', '..'];

/** Why a detector cannot have a name, and what to give; undefined if it can. */
function problemOf(name: string, maxBytes: number): [problem: string, remedy: string] | undefined {
  // All bytes that are not UTF-8 are read as this character, so two names would be one.
  if (name.includes(REPLACEMENT)) return ['is not UTF-8', 'give another name'];
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > maxBytes) return [`has ${bytes} bytes`, `give a name of 1 to ${maxBytes} bytes`];
  if (unprintable.test(name))
    return ['has a control character', 'give a name without line breaks and control characters'];
  if (!visible.test(name)) return ['has only spaces', 'give a name with a visible character'];
  if (pathWords.includes(name)) return ['cannot be in the path of a request', 'give another name'];
  return undefined;
}

/** @throws FirstseenError E_USAGE for a name that no new detector can have */
export function checkName(name: string, maxBytes: number): void {
  const found = problemOf(name, maxBytes);
  if (found === undefined) return;
  const [problem, remedy] = found;
  throw new FirstseenError('E_USAGE', `the name ${shownValue(name)} ${problem}`, { remedy });
}
