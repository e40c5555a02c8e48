// The blocked layout: an element keeps to one line of 64 bytes, a cache line, so all it reads and clears costs one miss.

import { cellsBytes, cellsOffset } from './memory';
import { addressHash, draw, GOLDEN, mix64, reduce } from './random';

export const LINE_BYTES: u32 = 64;
export const LINE_BITS: u32 = 512;
export const LINE_WORDS: u32 = 8;

let firstLine: u32 = 0;
let lineCount: u32 = 0;

/** Takes the lines from the detector's cells; returns how many there are. */
export function configureLines(): u32 {
  firstLine = cellsOffset();
  lineCount = cellsBytes() / LINE_BYTES;
  return lineCount;
}

/** The hash of an element from which its line and its places in the line come; a bijection of the fingerprint. */
export function lineAnchor(fingerprint: u64): u64 {
  return addressHash(fingerprint, 0);
}

export function homeLine(anchor: u64): u32 {
  return firstLine + reduce(anchor, lineCount) * LINE_BYTES;
}

// A place in a line takes 16 bits, so one hash or draw serves four of them, in turn in its low bits: the loops over places
// hand the hash before to the next. The first four come from the anchor by one multiplication; the line used its upper
// bits, which are folded onto the lower ones before.

export function lineHash(before: u64, anchor: u64, i: u32): u64 {
  if (i & 3) return before >> 16;
  return i == 0 ? (anchor ^ (anchor >> 32)) * GOLDEN : mix64(anchor + <u64>(i >> 2) * GOLDEN);
}

export function lineDraw(before: u64, index: u64, i: u32): u64 {
  return i & 3 ? before >> 16 : draw(index, i >> 2);
}
