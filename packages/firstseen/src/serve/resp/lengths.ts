// Lengths in the bytes of commands, and bytes that come again.

const [LF, CR, MINUS, DIGIT_0, DIGIT_9] = [10, 13, 45, 48, 57];

/** Without its sign, the lowest negative number of 64 bits. */
const MAX_NEGATIVE = 2 ** 63;

/** A length that is not a number, or is out of range. */
export const INVALID = -3;

/** The number of one or two digits that begins at an offset, and whose line ends after it; -1 for any other bytes. */
export function shortNumber(bytes: Uint8Array, at: number): number {
  const first = (bytes[at] as number) - DIGIT_0;
  if (!(first >= 0 && first <= 9)) return -1;
  if (bytes[at + 1] === CR) return bytes[at + 2] === LF ? first : -1;
  const second = (bytes[at + 1] as number) - DIGIT_0;
  if (first === 0 || !(second >= 0 && second <= 9) || bytes[at + 2] !== CR || bytes[at + 3] !== LF) return -1;
  return 10 * first + second;
}

/** Tells if the bytes at two offsets are equal. Four at a time take half as long as one at a time. */
export function areEqual(view: DataView, one: number, other: number, count: number): boolean {
  let i = 0;
  for (; i + 4 <= count; i += 4) if (view.getInt32(one + i) !== view.getInt32(other + i)) return false;
  for (; i < count; i++) if (view.getUint8(one + i) !== view.getUint8(other + i)) return false;
  return true;
}

/** A whole number in ASCII, as Redis reads it: without leading zeros, and -1 for every negative one. */
export function wholeNumber(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS;
  const first = isNegative ? start + 1 : start;
  if (first === end) return INVALID;
  if (bytes[first] === DIGIT_0 && end - start > 1) return INVALID;
  let value = 0;
  for (let i = first; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte < DIGIT_0 || byte > DIGIT_9) return INVALID;
    value = value * 10 + byte - DIGIT_0;
  }
  if (!isNegative) return value;
  return value > MAX_NEGATIVE ? INVALID : -1;
}
