// The ranks of records whose greatest or least is kept (docs/decisions/078-kept-records-and-counts.md): bytes whose order is
// that of the values. A missing value has none. A number is before a text:
//
//   number   1, then its sign (0 negative, 1 zero, 2 positive), its decimal exponent as a u64 with the most significant byte
//            first, and its digits without zeros at both ends: 0.DIGITS * 10^exponent. The exponent and digits of a
//            negative number are complemented, and a byte of ones follows them.
//   text     2, then its bytes
//
// An entry with a rank has the length of the rank in 8 bytes after it, then the rank, padded to 8 bytes.

import {
  decimalExponent,
  decimalStart,
  decimalStop,
  isDecimalNegative,
  POINT,
  readDecimal,
  trimDecimal,
} from '../lib/decimal';
import { RANKED_ENTRY_BYTES } from './entries';

const NUMBER: u8 = 1;
const TEXT: u8 = 2;
const NEGATIVE: u8 = 0;
const ZERO: u8 = 1;
const POSITIVE: u8 = 2;
/** Makes every exponent positive. */
const EXPONENT_BIAS: i64 = 1 << 62;
/** Bytes that a rank can have more than its text. */
export const MAX_RANK_EXTRA_BYTES: u32 = 16;

/** Writes the rank of the number that was last read; returns its length. */
function writeNumber(target: u32): u32 {
  trimDecimal();
  store<u8>(target, NUMBER);
  if (decimalStart == decimalStop) {
    store<u8>(target, ZERO, 1);
    return 2;
  }
  store<u8>(target, isDecimalNegative ? NEGATIVE : POSITIVE, 1);
  const flipped: u64 = isDecimalNegative ? ~(<u64>0) : 0;
  store<u64>(target, bswap<u64>(<u64>(decimalExponent + EXPONENT_BIAS) ^ flipped), 2);
  let written = target + 10;
  for (let at = decimalStart; at < decimalStop; at++) {
    const byte = load<u8>(at);
    if (byte != POINT) store<u8>(written++, byte ^ <u8>flipped);
  }
  if (isDecimalNegative) store<u8>(written++, 0xff);
  return written - target;
}

/** Writes the rank of the text [start, end) to `target`; returns its length, 0 without a text. */
export function writeRank(start: u32, end: u32, target: u32): u32 {
  if (start == end) return 0;
  if (readDecimal(start, end)) return writeNumber(target);
  store<u8>(target, TEXT);
  memory.copy(target + 1, start, end - start);
  return 1 + end - start;
}

/** Bytes of an entry with a rank of this length. */
export function rankedBytes(length: u32): u32 {
  return RANKED_ENTRY_BYTES + ((length + 7) & ~7);
}

/** Tells if a rank is above another, or below it if `isLeast`. Every rank is above and below one that has no bytes. */
export function isBetter(rank: u32, length: u32, other: u32, otherLength: u32, isLeast: bool): bool {
  if (length == 0 || otherLength == 0) return length > otherLength;
  const order = memory.compare(rank, other, min(length, otherLength));
  if (order == 0) return isLeast ? length < otherLength : length > otherLength;
  return isLeast ? order < 0 : order > 0;
}
