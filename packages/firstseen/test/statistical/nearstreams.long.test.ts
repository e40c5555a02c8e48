// The long form of nearstreams.test.ts: 20,000 documents of each template.

import { describe, expect, test } from 'vitest';
import { droppedLast, ownBelow } from '../support/templates.js';

const templates = [8, 10, 14, 20, 31, 46, 62, 90, 124, 160, 248, 300, 460];
const rows = [0.7, 0.8, 0.9].flatMap((similarity) =>
  templates.flatMap((shared) => [1, 2, 3, 4, 5].map((seed) => [similarity, shared, seed] as const)),
);

/** The share of the last tenth of a stream that may be dropped wrongly. */
const MAX_DROPPED = 0.02;

describe('20,000 documents of a template that are less similar than asked for', () => {
  test.each(rows)('are kept at %d, with %d shingles in common, seed %d', async (similarity, shared, seed) => {
    const own = ownBelow(similarity, shared);
    const stream = { shared, own, documents: 20_000, seed, options: { similarity, memory: '16MiB' } };
    expect(await droppedLast(stream)).toBeLessThan(MAX_DROPPED);
  });
});
