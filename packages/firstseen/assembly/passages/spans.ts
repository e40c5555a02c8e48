// Writes spans as JSON.

import { ZERO_DIGIT } from '../lib/digits';
import { writeScore } from './scores';

const COMMA: u32 = 0x2c;
/** The bytes of `,[`. */
const BEGIN: u32 = 0x5b2c;
/** The bytes of `,1]`. */
const END: u32 = 0x5d312c;
const END_BYTES: u32 = 3;
const BRACKET: u32 = 0x5d;

/** Writes a number; returns one past it. */
function writeNumber(value: u32, target: u32): u32 {
  let digits: u32 = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) digits++;
  let left = value;
  for (let at = target + digits; at > target; left /= 10) store<u8>(--at, ZERO_DIGIT + (left % 10));
  return target + digits;
}

/** Writes the beginning of a span with a comma before it; returns one past it. */
function beginSpan(start: u32, end: u32, target: u32): u32 {
  store<u16>(target, BEGIN);
  const at = writeNumber(start, target + 2);
  store<u8>(at, COMMA);
  return writeNumber(end, at + 1);
}

/** Writes the span of a passage with the score that was found last; returns one past it. Some bytes more may be written. */
export function writeScoredSpan(start: u32, end: u32, target: u32): u32 {
  let at = beginSpan(start, end, target);
  store<u8>(at, COMMA);
  at = writeScore(at + 1);
  store<u8>(at, BRACKET);
  return at + 1;
}

/** Writes a comma and the span of a passage that was seen as a whole; returns one past it. One byte more may be written. */
export function writeSpan(start: u32, end: u32, target: u32): u32 {
  const at = beginSpan(start, end, target);
  store<u32>(at, END);
  return at + END_BYTES;
}
