import type { LshFamily } from './contract.js';

/** The index is the number that the kernel uses. */
const variants = ['permutations', 'one-permutation'] as const;

export const minhash: LshFamily = {
  name: 'minhash',
  title: 'MinHash',
  source: 'Broder 1997; one permutation: Li, Owen and Zhang 2012 with the optimal densification of Shrivastava 2017',
  measure: 'Jaccard similarity of the sets of shingles',
  rowBytes: 4,
  rowGroup: 16,
  tableBytesPerRow: 8,
  defaultHashes: 128,
  variants,
  defaultShingle: { unit: 'words', length: 5 },
  // Broder 1997.
  agreement: (similarity) => similarity,
  similarity: (agreement) => agreement,
  kernel: ({ hashes, variant }) => [hashes, variants.indexOf(variant as (typeof variants)[number])],
};
