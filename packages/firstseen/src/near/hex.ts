// Documents of bytes in text form: two hexadecimal digits per byte.

import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import type { encoding } from '../options/near.js';

export type EncodingName = (typeof encoding.words)[number];

/** The value of a hexadecimal digit; undefined for another byte. */
function digitOf(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lowercase = byte | 0x20;
  return lowercase >= 0x61 && lowercase <= 0x66 ? lowercase - 0x61 + 10 : undefined;
}

/**
 * Decodes an even number of digits to the front of `target`, which may overlap them. Returns the index of the first byte that is
 * not a digit, or -1.
 */
export function decodeHex(digits: Uint8Array, target: Uint8Array): number {
  for (let at = 0; at < digits.length; at += 2) {
    const high = digitOf(digits[at] as number);
    const low = digitOf(digits[at + 1] as number);
    if (high === undefined) return at;
    if (low === undefined) return at + 1;
    target[at / 2] = 16 * high + low;
  }
  return -1;
}

/**
 * Decodes a document of fixed length in hexadecimal digits.
 * @throws FirstseenError E_RECORD for another length, and for what is not such a digit.
 */
export function decodeDocument(digits: Uint8Array, target: Uint8Array, documentBytes: number): void {
  const expected = `${2 * documentBytes} hexadecimal digits`;
  if (digits.length !== 2 * documentBytes) {
    const size = formatCounted(digits.length, 'byte');
    throw new FirstseenError('E_RECORD', `a document has ${size}, but must have ${expected}`);
  }
  const wrong = decodeHex(digits, target);
  if (wrong === -1) return;
  throw new FirstseenError(
    'E_RECORD',
    `byte ${wrong + 1} of a document is not a hexadecimal digit, but it must have ${expected}`,
  );
}
