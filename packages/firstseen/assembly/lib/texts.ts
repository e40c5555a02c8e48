// The lengths of texts that the host encoded as one: it knows how many UTF-16 units each has, and here they become bytes of UTF-8.
// The chunks do not depend on where texts end, so that the work for one text overlaps with that for the next.

import { TEXT_KEY } from './fingerprint';
import { RECORD_CLASSES_OFFSET, RECORD_ENDS_OFFSET } from './memory';

const CHUNK_BYTES: u32 = 16;
/** The largest byte that continues a character, as a signed number. */
const LAST_CONTINUATION: i8 = -65;
/** The least first byte of a character of two units. */
const FIRST_OF_TWO: i8 = <i8>0xf0;
/** The bytes of U+FFFD, which the encoder writes for a lone surrogate: the first one, and the two after it. */
const REPLACEMENT_FIRST: u8 = 0xef;
const REPLACEMENT_REST: u16 = 0xbdbf;

function beginsCharacter(chunk: v128): v128 {
  return i8x16.gt_s(chunk, i8x16.splat(LAST_CONTINUATION));
}

function beginsTwo(chunk: v128): v128 {
  return i8x16.ge_u(chunk, i8x16.splat(FIRST_OF_TWO));
}

/** The units of the characters that begin in the chunk at `at`. */
function unitsIn(at: u32): u32 {
  const chunk = v128.load(at);
  return popcnt(i8x16.bitmask(beginsCharacter(chunk))) + popcnt(i8x16.bitmask(beginsTwo(chunk)));
}

/** For each byte of a chunk, the units of the characters that begin in the chunk up to this byte. */
function unitsUpTo(chunk: v128): v128 {
  const none = i8x16.splat(0);
  let units = i8x16.sub(i8x16.sub(none, beginsCharacter(chunk)), beginsTwo(chunk));
  units = i8x16.add(units, i8x16.shuffle(none, units, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30));
  units = i8x16.add(units, i8x16.shuffle(none, units, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29));
  units = i8x16.add(units, i8x16.shuffle(none, units, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return i8x16.add(units, i8x16.shuffle(none, units, 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23));
}

/** Tells if U+FFFD is in [start, end). */
function hasReplacement(start: u32, end: u32): bool {
  let firsts = i8x16.splat(0);
  for (let at = start; at < end; at += CHUNK_BYTES) {
    firsts = v128.or(firsts, i8x16.eq(v128.load(at), i8x16.splat(REPLACEMENT_FIRST)));
  }
  if (!v128.any_true(firsts)) return false;
  for (let at = start; at < end; at++) {
    if (load<u8>(at) == REPLACEMENT_FIRST && load<u16>(at, 1) == REPLACEMENT_REST) return true;
  }
  return false;
}

/** The batch of `measureTexts`; returns whether no text ends inside a character. */
function measureUnits(start: u32, count: u32): bool {
  let chunk = start;
  let unitsBefore: u32 = 0;
  let unitsThrough = unitsIn(chunk);
  let textStart = start;
  let textUnits: u32 = 0;
  let split = i8x16.splat(0);
  for (let i: u32 = 0; i < count; i++) {
    if (load<u8>(RECORD_CLASSES_OFFSET + i) != TEXT_KEY) continue;
    const length = RECORD_ENDS_OFFSET + (i << 2);
    textUnits += load<u32>(length);
    while (unitsThrough <= textUnits) {
      chunk += CHUNK_BYTES;
      unitsBefore = unitsThrough;
      unitsThrough += unitsIn(chunk);
    }
    const bytes = v128.load(chunk);
    const units = unitsUpTo(bytes);
    const unitsOfText = i8x16.splat(<i8>(textUnits - unitsBefore));
    const textEnd = chunk + popcnt(i8x16.bitmask(i8x16.le_s(units, unitsOfText)));
    const next = i8x16.add(unitsOfText, i8x16.splat(1));
    split = v128.or(split, v128.and(beginsTwo(bytes), i8x16.eq(units, next)));
    store<u32>(length, textEnd - textStart);
    textStart = textEnd;
  }
  return !v128.any_true(split);
}

/**
 * For the host: replaces the lengths of the texts of a batch, which are in [start, end) without anything between them, by those in
 * bytes. The host writes a byte of ASCII after them. Returns 0 if there may be lone surrogates: there is a U+FFFD, or a text ends
 * inside a character, because two lone surrogates became one.
 */
export function measureTexts(start: u32, end: u32, count: u32): u32 {
  return u32(measureUnits(start, count) && !hasReplacement(start, end));
}
