import { SIMHASH_ROW_BYTES, SIMHASH_ROW_GROUP, SIMHASH_TABLE_BYTES } from '../kernel/abi.js';
import { hashes } from '../options/near.js';
import type { LshFamily } from './contract.js';

export const simhash: LshFamily = {
  name: 'simhash',
  title: 'SimHash',
  source: 'Charikar 2002, section 3',
  measure: 'cosine of the vectors of shingle counts',
  rowBytes: SIMHASH_ROW_BYTES,
  rowGroup: SIMHASH_ROW_GROUP,
  tableBytesPerRow: SIMHASH_TABLE_BYTES,
  defaultHashes: hashes.default,
  variants: ['hyperplanes'],
  hasSketches: false,
  defaultShingle: { unit: 'auto', length: 1 },
  // Charikar 2002, section 3: 1 - angle / pi.
  agreement: (similarity) => 1 - Math.acos(similarity) / Math.PI,
  // Counts of shingles are not negative, so no angle exceeds a right angle.
  similarity: (agreement) => Math.cos(Math.PI * Math.min(0.5, 1 - agreement)),
  kernel: ({ hashes }) => [hashes],
};
