// Text and bytes as strings of JSON.

import { end, makeRoom, putByte, putHex, setEnd } from './output';

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** The bytes of the character of UTF-8 that begins at `at`; 0 if none does. */
function characterBytes(at: usize, left: u32): u32 {
  const first = <u32>load<u8>(at);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const bytes: u32 = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (left < bytes) return 0;
  for (let i: u32 = 1; i < bytes; i++) if ((load<u8>(at + i) & 0xc0) != 0x80) return 0;
  const second = <u32>load<u8>(at + 1);
  // Longer forms than needed, surrogates, and what is beyond U+10FFFF.
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  return first == 0xf4 && second > 0x8f ? 0 : bytes;
}

/** Tells which of 16 bytes are not written as they are: a bit for each. */
function special(block: v128): u32 {
  // Taken as signed, bytes from 0x80 on are below the space too.
  const low = i8x16.lt_s(block, i8x16.splat(0x20));
  const quote = i8x16.eq(block, i8x16.splat(0x22));
  const backslash = i8x16.eq(block, i8x16.splat(0x5c));
  return i8x16.bitmask(v128.or(low, v128.or(quote, backslash)));
}

function putEscaped(byte: u32): void {
  putByte(BACKSLASH);
  if (byte == QUOTE || byte == BACKSLASH) putByte(byte);
  else if (byte == 8) putByte(0x62);
  else if (byte == 9) putByte(0x74);
  else if (byte == 10) putByte(0x6e);
  else if (byte == 12) putByte(0x66);
  else if (byte == 13) putByte(0x72);
  else {
    putByte(0x75);
    putHex(byte, 4);
  }
}

/** Writes text. A byte that is not UTF-8 is an escape, `\udc80` to `\udcff`. */
export function putText(from: usize, length: u32): void {
  makeRoom(length + 18);
  putByte(QUOTE);
  for (let done: u32 = 0; done < length; ) {
    // The slack of each buffer may be read and written.
    const block = v128.load(from + done);
    v128.store(end, block);
    const left = min<u32>(length - done, 16);
    const plain = min(ctz(special(block) | (1 << left)), left);
    setEnd(end + plain);
    done += plain;
    if (plain == left) continue;
    makeRoom(length - done + 24);
    const byte = <u32>load<u8>(from + done);
    const bytes = byte < 0x80 ? 0 : characterBytes(from + done, length - done);
    if (bytes == 0) {
      if (byte < 0x80) putEscaped(byte);
      else {
        putByte(BACKSLASH);
        putByte(0x75);
        putHex(0xdc00 + byte, 4);
      }
      done++;
      continue;
    }
    // Characters that are not ASCII often follow one another.
    store<u32>(end, load<u32>(from + done));
    setEnd(end + bytes);
    done += bytes;
  }
  makeRoom(1);
  putByte(QUOTE);
}

function base64Digit(number: u32): u32 {
  if (number < 26) return 65 + number;
  if (number < 52) return 71 + number;
  if (number < 62) return number - 4;
  return number == 62 ? 0x2b : 0x2f;
}

/** Writes bytes in base64. */
export function putBase64(from: usize, length: u32): void {
  makeRoom(((<usize>length + 2) / 3) * 4 + 2);
  putByte(QUOTE);
  for (let at: u32 = 0; at < length; at += 3) {
    const left = length - at;
    const second = left > 1 ? <u32>load<u8>(from + at + 1) : 0;
    const third = left > 2 ? <u32>load<u8>(from + at + 2) : 0;
    const bits = ((<u32>load<u8>(from + at)) << 16) | (second << 8) | third;
    putByte(base64Digit(bits >> 18));
    putByte(base64Digit((bits >> 12) & 63));
    putByte(left > 1 ? base64Digit((bits >> 6) & 63) : 0x3d);
    putByte(left > 2 ? base64Digit(bits & 63) : 0x3d);
  }
  putByte(QUOTE);
}

/** Writes 16 bytes as a UUID. */
export function putUuid(from: usize): void {
  makeRoom(38);
  putByte(QUOTE);
  for (let i: u32 = 0; i < 16; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) putByte(0x2d);
    putHex(load<u8>(from + i), 2);
  }
  putByte(QUOTE);
}
