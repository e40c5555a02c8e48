// Parts of keys that rules make equal, as the kernel does it (assembly/scan/equal.ts), for keys that programs make.

import { byteString, bytesOf } from '../base/utf8.js';
import { EQUAL_NUMBERS, EQUAL_ORDER } from '../kernel/abi.js';
import { equalKeyBytes, equalNumber } from '../kernel/keytext.js';
import { type Equality, equalityBits } from './equality.js';

const [QUOTE, OPEN_BRACE, OPEN_BRACKET, MINUS, ZERO, NINE] = [0x22, 0x7b, 0x5b, 0x2d, 0x30, 0x39];

function equalString(token: Uint8Array, rules: number): Uint8Array {
  const content = equalKeyBytes(token.subarray(1, -1), rules);
  const made = new Uint8Array(content.length + 2);
  made[0] = QUOTE;
  made.set(content, 1);
  made[made.length - 1] = QUOTE;
  return made;
}

/** The bytes as a number by its value, if they are one. */
function byValue(bytes: Uint8Array): Uint8Array {
  return bytesOf(equalNumber(byteString(bytes)));
}

/** A part of a key as the rules make it. @param isJson whether it is a JSON value */
export function equalPart(part: Uint8Array, equality: Equality, isJson: boolean): Uint8Array {
  const bits = equalityBits(equality);
  const textBits = bits & ~(EQUAL_NUMBERS | EQUAL_ORDER);
  if (!isJson) {
    const text = textBits === 0 ? part : equalKeyBytes(part, textBits);
    return bits & EQUAL_NUMBERS ? byValue(text) : text;
  }
  const first = part[0] as number;
  if (first === QUOTE) return textBits === 0 ? part : equalString(part, textBits);
  if (first === OPEN_BRACE || first === OPEN_BRACKET)
    return bits & EQUAL_ORDER ? equalKeyBytes(part, EQUAL_ORDER) : part;
  const isNumber = first === MINUS || (first >= ZERO && first <= NINE);
  return bits & EQUAL_NUMBERS && isNumber ? byValue(part) : part;
}
