// Documents of bytes, written as text: two hexadecimal digits a byte.

export const encodingNames = ['bytes', 'hex'] as const;
export type EncodingName = (typeof encodingNames)[number];

/** What a byte stands for as a hexadecimal digit; nothing for any other. */
function digitOf(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x61 + 10 : undefined;
}

/**
 * Writes the bytes that an even number of digits stand for to the front of `target`, which may be where the digits are; returns the place
 * of the first byte that is no digit, or -1.
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
