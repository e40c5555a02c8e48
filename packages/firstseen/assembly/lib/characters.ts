// Characters of UTF-8, their classes and the letters to which they are folded.

import { PROPERTIES } from './properties';

/** The numbers of the classes in properties.ts. */
export const CLASS_OTHER: u32 = 0;
export const CLASS_SPACE: u32 = 1;
export const CLASS_LETTER: u32 = 2;
/** A letter of a script that is written without blanks between words. */
export const CLASS_BLANKLESS: u32 = 3;
/** It belongs to the character before it. */
export const CLASS_MARK: u32 = 4;
/** It is not seen, such as a soft hyphen. */
export const CLASS_IGNORED: u32 = 5;

const CLASS_BITS: u32 = 3;
const CLASS_MASK: u32 = 7;

/** Characters whose classes are in the table; the first of them is the first one beyond ASCII. */
const FIRST: u32 = 0x80;
const LISTED: u32 = 0x20000;
/** Planes 2 and 3 have ideographs. */
const IDEOGRAPHS_END: u32 = 0x40000;
const IGNORED_START: u32 = 0xe0000;
const IGNORED_END: u32 = 0xe1000;

/** The result of `characterAt` for a byte that begins no character. */
export const NO_CHARACTER: u32 = 0xffffffff;

/** Runs of letters that are folded by the same distance, at most. */
const MAX_DISTANCES: u32 = 512;
/** The table: for each listed character a class, and the index of its distance in the upper bits; then the distances. */
const DISTANCES_OFFSET: u32 = LISTED << 1;
export const CHARACTER_TABLE_BYTES: u32 = DISTANCES_OFFSET + (MAX_DISTANCES << 2);

let table: u32 = 0;
/** The next byte of the properties. */
let next: usize = 0;
let bytesOfCharacter: u32 = 1;

function nextNumber(): u32 {
  let number: u32 = 0;
  let shift: u32 = 0;
  let byte = <u32>load<u8>(next++);
  for (; byte >= 0x80; byte = <u32>load<u8>(next++)) {
    number |= (byte & 0x7f) << shift;
    shift += 7;
  }
  return number | (byte << shift);
}

function entryAt(character: u32): u32 {
  return table + (character << 1);
}

function readClasses(): void {
  for (let character = FIRST; character < LISTED; ) {
    const run = nextNumber();
    const end = character + (run >> CLASS_BITS);
    for (; character < end; character++) store<u16>(entryAt(character), <u16>(run & CLASS_MASK));
  }
}

function readDistances(): void {
  const runs = nextNumber();
  let character = FIRST;
  for (let run: u32 = 1; run <= runs; run++) {
    const gap = nextNumber();
    const stride = (gap & 1) + 1;
    const count = nextNumber();
    const signed = nextNumber();
    store<i32>(table + DISTANCES_OFFSET + (run << 2), <i32>(signed >> 1) ^ -(<i32>(signed & 1)));
    character += gap >> 1;
    for (let i: u32 = 0; i < count; i++) {
      const entry = entryAt(character + i * stride);
      store<u16>(entry, <u16>(load<u16>(entry) | (run << CLASS_BITS)));
    }
    character += (count - 1) * stride + 1;
  }
}

/** Must be called before the other functions. `at` must have room for CHARACTER_TABLE_BYTES. */
export function placeCharacterTable(at: u32): void {
  table = at;
  next = PROPERTIES;
  store<i32>(table + DISTANCES_OFFSET, 0);
  readClasses();
  readDistances();
}

/** The class of a character beyond ASCII. */
export function classOf(character: u32): u32 {
  if (character < LISTED) return <u32>load<u16>(entryAt(character)) & CLASS_MASK;
  if (character < IDEOGRAPHS_END) return CLASS_BLANKLESS;
  return character - IGNORED_START < IGNORED_END - IGNORED_START ? CLASS_IGNORED : CLASS_OTHER;
}

/** The character beyond ASCII after simple case folding, which may be one of ASCII. */
export function foldedCharacter(character: u32): u32 {
  if (character >= LISTED) return character;
  const run = <u32>load<u16>(entryAt(character)) >> CLASS_BITS;
  return character + load<i32>(table + DISTANCES_OFFSET + (run << 2));
}

/** The lower six bits of a continuation byte; more if it is none. */
function continuation(at: u32): u32 {
  return <u32>load<u8>(at) ^ 0x80;
}

/** The character that begins at `at` with a byte beyond ASCII; NO_CHARACTER if the bytes up to `end` are not valid UTF-8. */
export function characterAt(at: u32, end: u32): u32 {
  const lead = <u32>load<u8>(at);
  bytesOfCharacter = 1;
  if (lead - 0xc2 > 0xf4 - 0xc2) return NO_CHARACTER;
  const bytes: u32 = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (end - at < bytes) return NO_CHARACTER;
  const second = continuation(at + 1);
  if (second > 0x3f) return NO_CHARACTER;
  let character = ((lead & (0x7f >> bytes)) << 6) | second;
  if (bytes > 2) {
    const third = continuation(at + 2);
    if (third > 0x3f) return NO_CHARACTER;
    character = (character << 6) | third;
    // Longer than it must be, half of a pair, or beyond the last character.
    if (bytes == 3 && (character < 0x800 || character - 0xd800 < 0x800)) return NO_CHARACTER;
    if (bytes == 4) {
      const fourth = continuation(at + 3);
      character = (character << 6) | fourth;
      if (fourth > 0x3f || character - 0x10000 > 0xfffff) return NO_CHARACTER;
    }
  }
  bytesOfCharacter = bytes;
  return character;
}

/** Bytes of what `characterAt` found: the character, or the one byte that begins none. */
export function characterBytes(): u32 {
  return bytesOfCharacter;
}

/** Writes a character in UTF-8, and returns the end of it. */
export function writeCharacter(character: u32, to: u32): u32 {
  if (character < 0x80) {
    store<u8>(to, <u8>character);
    return to + 1;
  }
  if (character < 0x800) {
    store<u8>(to, <u8>(0xc0 | (character >> 6)));
  } else {
    if (character < 0x10000) {
      store<u8>(to, <u8>(0xe0 | (character >> 12)));
    } else {
      store<u8>(to++, <u8>(0xf0 | (character >> 18)));
      store<u8>(to, <u8>(0x80 | ((character >> 12) & 0x3f)));
    }
    store<u8>(++to, <u8>(0x80 | ((character >> 6) & 0x3f)));
  }
  store<u8>(to, <u8>(0x80 | (character & 0x3f)), 1);
  return to + 2;
}
