import {
  MINHASH_ONE_PERMUTATION,
  MINHASH_PERMUTATIONS,
  MINHASH_ROW_BYTES,
  MINHASH_ROW_GROUP,
  MINHASH_TABLE_BYTES,
} from '../kernel/abi.js';
import { hashes } from '../options/near.js';
import type { LshFamily } from './contract.js';

const variants = ['permutations', 'one-permutation'] as const;

export const minhash: LshFamily = {
  name: 'minhash',
  title: 'MinHash',
  source: 'Broder 1997; one permutation: Li, Owen and Zhang 2012 with the optimal densification of Shrivastava 2017',
  measure: 'Jaccard similarity of the sets of shingles',
  rowBytes: MINHASH_ROW_BYTES,
  rowGroup: MINHASH_ROW_GROUP,
  tableBytesPerRow: MINHASH_TABLE_BYTES,
  defaultHashes: hashes.default,
  variants,
  hasSketches: true,
  defaultShingle: { unit: 'auto', length: 5 },
  // Broder 1997.
  agreement: (similarity) => similarity,
  similarity: (agreement) => agreement,
  kernel: ({ hashes, variant }) => [
    hashes,
    variant === 'one-permutation' ? MINHASH_ONE_PERMUTATION : MINHASH_PERMUTATIONS,
  ],
};
