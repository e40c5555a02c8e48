// The characters of a text in UTF-8: how many there are, and to which part of a word each belongs.

import { CLASS_IGNORED, CLASS_LETTER, CLASS_MARK, CLASS_SPACE, classOf } from '../lib/characters';

const LANES: u32 = 16;
/** The largest byte that continues a character, as a signed number. */
const LAST_CONTINUATION: i8 = -65;

const MIDDLE_DOT: u32 = 0xb7;
const RIGHT_QUOTE: u32 = 0x2019;

/** The classes of characters by which a text is cut into words. */
export const BLANK: u32 = 0;
export const LETTER: u32 = 1;
export const DIGIT: u32 = 2;
/** A word of its own: a sign, or a letter of a script without blanks between words. */
export const SINGLE: u32 = 3;
/** Signs that are inside a word between letters, between digits, and between either. */
export const MID_LETTER: u32 = 4;
export const MID_DIGIT: u32 = 5;
export const MID_BOTH: u32 = 6;
/** A mark, or a character that is not seen: it belongs to the one before it. */
export const ATTACHED: u32 = 7;

/** The number of code points in [start, end). Up to 15 bytes after it may be read. */
export function countCharacters(start: u32, end: u32): u32 {
  const last = i8x16.splat(LAST_CONTINUATION);
  let count: u32 = 0;
  let at = start;
  for (; end - at >= LANES; at += LANES) count += popcnt(i8x16.bitmask(i8x16.gt_s(v128.load(at), last)));
  const rest = (1 << (end - at)) - 1;
  return count + popcnt(i8x16.bitmask(i8x16.gt_s(v128.load(at), last)) & rest);
}

/** The first place in [position, end) of `length` bytes that are those at `wanted`, or `end`. Up to 15 bytes after `end` may be read. */
export function findBytes(position: u32, end: u32, wanted: u32, length: u32): u32 {
  const first = i8x16.splat(load<i8>(wanted));
  for (let at = position; at < end; at += LANES) {
    let mask = i8x16.bitmask(i8x16.eq(v128.load(at), first));
    while (mask) {
      const found = at + <u32>ctz(mask);
      if (found + length > end) return end;
      if (length == 1 || memory.compare(found, wanted, length) == 0) return found;
      mask &= mask - 1;
    }
  }
  return end;
}

/** The code points before the byte that `findCounting` found. */
export let charactersBefore: u32 = 0;

/** As `findBytes` for one byte; also counts the code points before it. */
export function findCounting(position: u32, end: u32, byte: u32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  const last = i8x16.splat(LAST_CONTINUATION);
  charactersBefore = 0;
  for (let at = position; at < end; at += LANES) {
    const bytes = v128.load(at);
    const length = min(min(<u32>ctz(i8x16.bitmask(i8x16.eq(bytes, wanted))), LANES), end - at);
    charactersBefore += popcnt(i8x16.bitmask(i8x16.gt_s(bytes, last)) & ((1 << length) - 1));
    if (length < LANES) return at + length;
  }
  return end;
}

/** The bytes of the character at `at`. */
export function characterBytes(at: u32): u32 {
  const byte = <u32>load<u8>(at);
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function classOfAscii(byte: u32): u32 {
  if ((byte | 0x20) - 0x61 < 26 || byte == 0x5f) return LETTER;
  if (byte - 0x30 < 10) return DIGIT;
  if (byte == 0x20 || byte - 0x09 < 5) return BLANK;
  if (byte == 0x27 || byte == 0x2e) return MID_BOTH;
  if (byte == 0x3a) return MID_LETTER;
  return byte == 0x2c || byte == 0x3b ? MID_DIGIT : SINGLE;
}

/** The character of more than one byte at `at`, whose bytes are valid UTF-8. */
function characterOf(at: u32, byte: u32): u32 {
  const second = <u32>load<u8>(at, 1) & 0x3f;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | second;
  const third = <u32>load<u8>(at, 2) & 0x3f;
  if (byte < 0xf0) return ((byte & 0x0f) << 12) | (second << 6) | third;
  return ((byte & 0x07) << 18) | (second << 12) | (third << 6) | (<u32>load<u8>(at, 3) & 0x3f);
}

/** The class of a character beyond ASCII. */
function classOfProperties(character: u32): u32 {
  if (character == MIDDLE_DOT) return MID_LETTER;
  if (character == RIGHT_QUOTE) return MID_BOTH;
  const found = classOf(character);
  if (found == CLASS_LETTER) return LETTER;
  if (found == CLASS_SPACE) return BLANK;
  return found == CLASS_MARK || found == CLASS_IGNORED ? ATTACHED : SINGLE;
}

/** The class of the character at `at`. */
export function characterClass(at: u32): u32 {
  const byte = <u32>load<u8>(at);
  return byte < 0x80 ? classOfAscii(byte) : classOfProperties(characterOf(at, byte));
}

/** Tells if [start, end) has nothing but blanks. */
export function isBlank(start: u32, end: u32): bool {
  for (let at = start; at < end; at += characterBytes(at)) if (characterClass(at) != BLANK) return false;
  return true;
}
