import { checkWhole } from '../base/check.js';
import { BITS_ROW_BYTES, BITS_ROW_GROUP, BITS_TABLE_BYTES } from '../kernel/abi.js';
import { hashes } from '../options/near.js';
import type { LshFamily } from './contract.js';

/** A hash counts bits in 29 bits. */
const MAX_DOCUMENT_BYTES = 2 ** 26;

export const bits: LshFamily = {
  name: 'bits',
  title: 'Bit sampling',
  source: 'Indyk and Motwani 1998',
  measure: '1 - d / n for documents of n bits at Hamming distance d',
  rowBytes: BITS_ROW_BYTES,
  rowGroup: BITS_ROW_GROUP,
  tableBytesPerRow: BITS_TABLE_BYTES,
  defaultHashes: hashes.default,
  variants: ['sampling'],
  hasSketches: false,
  defaultShingle: undefined,
  // Indyk and Motwani 1998.
  agreement: (similarity) => similarity,
  similarity: (agreement) => agreement,
  kernel: ({ hashes, documentBytes }) => [
    hashes,
    8 * checkWhole('documentBytes', documentBytes, { least: 1, most: MAX_DOCUMENT_BYTES }),
  ],
};
