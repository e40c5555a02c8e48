// Bit sampling: row i of a signature is one bit of the document, at a position drawn once when the family is
// configured. Two documents of n bits at Hamming distance d agree in a row with probability 1 - d / n (Indyk and
// Motwani 1998). All documents have the same length. A row is one byte, 0 or 1.

import { GOLDEN, mix64, reduce, streamKey } from '../lib/random';
import { SignatureRule, signDocuments } from './documents/batch';

/** Bytes of a row in a signature, and of the table for each row. */
export const BITS_ROW_BYTES: u32 = 1;
export const BITS_TABLE_BYTES: u32 = 4;
/** Rows that two signatures are compared by at once. */
export const BITS_ROW_GROUP: u32 = 16;

const SAMPLE_STREAM: u64 = 0xc0ac29b7c97c50dd;

let rows: u32 = 0;
let positions: u32 = 0;

/** `positionsOffset` must have room for BITS_TABLE_BYTES per row. */
export function bitsConfigure(rowCount: u32, bitCount: u32, positionsOffset: u32): void {
  rows = rowCount;
  positions = positionsOffset;
  const key = streamKey(SAMPLE_STREAM);
  for (let row: u32 = 0; row < rows; row++) {
    store<u32>(positions + (row << 2), reduce(mix64(key + (<u64>row + 1) * GOLDEN), bitCount));
  }
}

/**
 * Stores at `target` the signature of the document that begins at `start`. Bit 0 is the lowest bit of the first byte.
 */
export function bitsSign(start: u32, _end: u32, target: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const position = load<u32>(positions + (row << 2));
    store<u8>(target + row, (<u32>load<u8>(start + (position >> 3)) >> (position & 7)) & 1);
  }
}

class Bits extends SignatureRule {
  sign(start: u32, end: u32, target: u32): void {
    bitsSign(start, end, target);
  }
}

/** Signs a batch of documents, as `signDocuments` says. */
export function bitsSignBatch(spans: u32, count: u32, signatures: u32, stride: u32, elements: u32): void {
  signDocuments<Bits>(spans, count, signatures, stride, elements);
}
