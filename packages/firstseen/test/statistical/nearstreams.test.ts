// Streams of documents that share a template, none of them near another one. What is kept decides what later documents are compared with, so
// an error of one document must not be the error of all that follow.

import { describe, expect, test } from 'vitest';
import { droppedLast, ownBelow } from '../support/templates.js';

/** Documents, and shingles that they share. Fewer documents of more shingles take the same time. */
const rows = [
  [0.8, 8, 20_000],
  [0.8, 14, 8000],
  [0.9, 46, 5000],
  [0.7, 100, 2000],
  [0.8, 400, 400],
] as const;

/** The share of the last tenth of a stream that may be dropped wrongly. */
const MAX_DROPPED = 0.02;

describe('documents of a template that are less similar than asked for', () => {
  test.each(rows)('are kept at %d, with %d shingles in common, of %d', async (similarity, shared, documents) => {
    const own = ownBelow(similarity, shared);
    const stream = { shared, own, documents, seed: 1, options: { similarity, memory: '16MiB' } };
    expect(await droppedLast(stream)).toBeLessThan(MAX_DROPPED);
  });
});
