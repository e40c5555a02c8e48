// Guarded epoch Bloom filters: "divide the bit array into epochs, rotate the active epoch by clearing whole segments, and keep one extra
// guard epoch" (abstract). This is the queuing construction over Bloom filters, with a whole window.

import type { RivalRequest, RivalRow } from './contract.js';
import { bloomKind, partsOf, queueOf } from './queue.js';
import { around, bestHashes } from './rates.js';

function hashesFor(L: number, request: RivalRequest): number {
  const { bits, elements } = partsOf(L, request);
  return bestHashes(bits, elements);
}

export const epochs: RivalRow = queueOf(bloomKind, {
  name: 'epochs',
  paper: {
    authors: 'Alpay, Sarıoğlu',
    title: 'Guarded Epoch Bloom Filters for Sliding-Window Membership',
    venue: 'arXiv 2606.19210',
    year: 2026,
    source: 'the abstract, and a summary of the evaluation',
  },
  wholeWindows: ['elements'],
  // The evaluation has 8 epochs and the guard.
  published: (request) => ({ L: 9, k: hashesFor(9, request) }),
  candidates: (request) =>
    [2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 20]
      .filter((L) => L <= request.window.length)
      .flatMap((L) => around(hashesFor(L, request), 60, 8).map((k) => ({ L, k }))),
});
