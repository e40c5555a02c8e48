// The blocked layout: an element keeps to one line of 64 bytes, a cache line, so all it reads and clears costs one miss.

import { cellsBytes, cellsOffset } from './memory';
import { addressHash, draw, reduce } from './random';

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

/** The line of an element. */
export function homeLine(fingerprint: u64): u32 {
  return firstLine + reduce(addressHash(fingerprint, 0), lineCount) * LINE_BYTES;
}

// A place in a line takes 16 bits, so one hash or draw serves four of them, in turn in its low bits. Hash 0 chose the line.

export function lineHash(fingerprint: u64, i: u32): u64 {
  return addressHash(fingerprint, 1 + (i >> 2)) >> <u64>((i & 3) << 4);
}

export function lineDraw(index: u64, i: u32): u64 {
  return draw(index, i >> 2) >> <u64>((i & 3) << 4);
}
