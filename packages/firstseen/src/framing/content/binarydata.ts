// Recognizes binary data of which nothing else is known: compressed or encrypted bytes, numbers, programs.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { foreignContentError, type InputName } from './content.js';
import { foreignContents } from './foreigncontents.js';
import { isControl, isUtf8 } from './widetext.js';

/** Bytes that are looked at. */
const LOOKED_AT_BYTES = 4096;

/** Backspace, two kinds of feeds and escape, which logs and mails have. */
const frequent: readonly number[] = [0x08, 0x0b, 0x0c, 0x1b];

/** Different control characters of binary data. Tables have up to three in place of delimiters. */
const MIN_CONTROLS = 4;

/** Tells if bytes have many kinds of control characters, and are not UTF-8. A text in another encoding has at most a few of them. */
function isBinaryData(bytes: Uint8Array): boolean {
  const controls = new Set(bytes.filter((byte) => isControl(byte) && !frequent.includes(byte)));
  return controls.size >= MIN_CONTROLS && !isUtf8(bytes);
}

/** @throws FirstseenError E_INPUT for an input whose first bytes are not text in any encoding. */
export function checkText(head: Uint8Array, input: InputName): void {
  // Not all engines decode shared memory.
  if (!isBinaryData(head.slice(0, LOOKED_AT_BYTES))) return;
  const path = input.path?.toLowerCase() ?? '';
  const named = foreignContents.find(({ bytes, endings = [] }) => !bytes && endings.some((end) => path.endsWith(end)));
  if (named) throw foreignContentError(named, input);
  throw new FirstseenError('E_INPUT', `cannot read ${input.name}: it is binary data, not text`, {
    remedy: phrase`convert it to text, or give ${optionName('format')} to say what its records are, such as u64 or lines`,
  });
}
