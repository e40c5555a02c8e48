// The header of a pocket (pockets.ts): for each quotient, in order, a one for each of its entries, then a zero. Entry number i, whose
// quotient is q, has its one at bit i + q.
//
// The searches and moves that take all words choose without branches. Where an entry is cannot be predicted, and a wrong
// prediction costs more than some words.

import { bitAt, maskBetween } from './bits';
import { FAMILY_TABLES_OFFSET } from './memory';

/** For each byte b and number i: the position of the one number i in b. */
const SELECT_TABLE: u32 = FAMILY_TABLES_OFFSET;
export const SELECT_BYTES: u32 = 8 * 256;

let headerWords: u32 = 0;
let headerBits: u32 = 0;
/** k. */
let maxEntries: u32 = 0;

/** Lays out headers of this number of bytes, for at most `slots` entries. */
export function configureHeader(headerBytes: u32, slots: u32): void {
  maxEntries = slots;
  headerWords = (headerBytes + 7) >> 3;
  headerBits = headerBytes << 3;
  for (let byte: u32 = 0; byte < 256; byte++) {
    let ones: u32 = 0;
    for (let bit: u32 = 0; bit < 8; bit++) {
      if ((byte >> bit) & 1) store<u8>(SELECT_TABLE + (ones++ << 8) + byte, bit);
    }
  }
}

/** The position in a word of its one number `index`, counted from 0. The word must have more ones than that. */
function selectOne(word: u64, index: u32): u32 {
  const low: u64 = 0x0101010101010101;
  const high: u64 = 0x8080808080808080;
  let ones = word - ((word >> 1) & 0x5555555555555555);
  ones = (ones & 0x3333333333333333) + ((ones >> 2) & 0x3333333333333333);
  // Byte i: the ones of bytes 0 to i.
  const upTo = ((ones + (ones >> 4)) & 0x0f0f0f0f0f0f0f0f) * low;
  const before = (<u32>popcnt((((<u64>index * low) | high) - upTo) & high)) << 3;
  const inByte = index - (<u32>((upTo << 8) >> <u64>before) & 0xff);
  return before + <u32>load<u8>(SELECT_TABLE + (inByte << 8) + (<u32>(word >> <u64>before) & 0xff));
}

function headerWord(pocket: u32, word: u32): u64 {
  return load<u64>(pocket + (word << 3));
}

/** The position in the header of its one number `index`; of its zero number `index` if `flip` flips all bits. */
function selectInHeader(pocket: u32, index: u32, flip: u64): u32 {
  let total: u32 = 0;
  let before: u32 = 0;
  let chosen: u32 = 0;
  for (let word: u32 = 0; word < headerWords; word++) {
    total += <u32>popcnt(headerWord(pocket, word) ^ flip);
    const isPassed = index >= total;
    before = isPassed ? total : before;
    chosen += u32(isPassed);
  }
  return (chosen << 6) + selectOne(headerWord(pocket, chosen) ^ flip, index - before);
}

/** The bit where the header has the end of the entries of a quotient. */
export function selectEnd(pocket: u32, quotient: u32): u32 {
  return selectInHeader(pocket, quotient, ~(<u64>0));
}

/** The bit where the header has the one of an entry. */
export function selectEntry(pocket: u32, slot: u32): u32 {
  return selectInHeader(pocket, slot, 0);
}

/** Ones of the header below a bit. */
function onesBelow(pocket: u32, bit: u32): u32 {
  let ones: u32 = 0;
  for (let word: u32 = 0; word < bit >> 6; word++) ones += <u32>popcnt(headerWord(pocket, word));
  return bit & 63 ? ones + <u32>popcnt(headerWord(pocket, bit >> 6) & maskBetween(0, bit & 63)) : ones;
}

/** Entries of a pocket. */
export function pocketEntries(pocket: u32): u32 {
  return onesBelow(pocket, headerBits);
}

/** Tells if an entry has a quotient. Beyond the last entry there are only zeros. */
export function hasQuotient(pocket: u32, slot: u32, quotient: u32): bool {
  const bit = slot + quotient;
  return bitAt(pocket + ((bit >> 6) << 3), bit & 63) != 0 && onesBelow(pocket, bit) == slot;
}

/** Takes bit `out` from the header and inserts a one, which becomes bit `into`. The bits between move by one. */
export function moveHeader(pocket: u32, into: u32, out: u32): void {
  if (out > into) moveHeaderUp(pocket, into, out);
  else moveHeaderDown(pocket, out, into);
  const at = pocket + ((into >> 6) << 3);
  store<u64>(at, load<u64>(at) | ((<u64>1) << (<u64>(into & 63))));
}

/** The bits from `from` to the last of a word, and those from the first to `to`, where these are in this word. */
function bitsFrom(word: u32, from: u32): u64 {
  return word == from >> 6 ? ~(<u64>0) << (<u64>(from & 63)) : ~(<u64>0);
}

function bitsTo(word: u32, to: u32): u64 {
  return word == to >> 6 ? ~(<u64>0) >> <u64>(63 - (to & 63)) : ~(<u64>0);
}

/** Moves the bits of the header from `from` to the one before `to` up by one. */
function moveHeaderUp(pocket: u32, from: u32, to: u32): void {
  const first = from >> 6;
  for (let word = to >> 6; word > first; word--) {
    const at = pocket + (word << 3);
    const bits = load<u64>(at);
    const moved = (bits << 1) | (load<u64>(at - 8) >> 63);
    store<u64>(at, bits ^ ((bits ^ moved) & bitsTo(word, to)));
  }
  const at = pocket + (first << 3);
  const bits = load<u64>(at);
  store<u64>(at, bits ^ ((bits ^ (bits << 1)) & bitsFrom(first, from) & bitsTo(first, to)));
}

/** Moves the bits of the header from the one after `from` up to `to` down by one. */
function moveHeaderDown(pocket: u32, from: u32, to: u32): void {
  const last = to >> 6;
  for (let word = from >> 6; word <= last; word++) {
    const at = pocket + (word << 3);
    const bits = load<u64>(at);
    const moved = (bits >> 1) | (load<u64>(at + 8) << 63);
    store<u64>(at, bits ^ ((bits ^ moved) & bitsFrom(word, from) & bitsTo(word, to)));
  }
}

/** Tells if a loaded pocket is valid: its header has a zero for each quotient and at most k ones, and nothing after them. */
export function isPocket(pocket: u32, quotients: u32): bool {
  const entries = pocketEntries(pocket);
  return entries <= maxEntries && onesBelow(pocket, min(quotients + entries, headerBits)) == entries;
}
