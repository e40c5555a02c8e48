// Documents of bytes in text form: two hexadecimal digits per byte.

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
