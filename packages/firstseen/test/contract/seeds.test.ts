// The seed decides all random choices of a detector, and nothing else does.

import { describe, expect, test } from 'vitest';
import { contentsOf, createDetector, defaultCases, partitionedCases, partitionedKindOf } from '../support/cases.js';
import { coverOf, sampleNote } from '../support/form.js';
import { recency } from '../support/streams.js';

const elements = recency(100, 30);

/** The state after a stream, which depends on all random choices. */
async function stateWithSeed(options: Parameters<typeof createDetector>[0], seed: number | bigint) {
  const detector = await createDetector({ ...options, seed });
  detector.observeBatch(elements);
  return contentsOf(detector);
}

describe.each(coverOf([...defaultCases(), ...partitionedCases()], (entry) => [partitionedKindOf(entry)]))(
  `$name${sampleNote}`,
  ({ options }) => {
    const seeds = [0, 1, 2 ** 32, 2n ** 64n - 1n];

    test.each(seeds)('is reproducible with seed %s', async (seed) => {
      expect(await stateWithSeed(options, seed)).toBe(await stateWithSeed(options, seed));
    });

    test('behaves differently with different seeds, including 0', async () => {
      const states = await Promise.all(seeds.map((seed) => stateWithSeed(options, seed)));
      expect(new Set(states).size).toBe(seeds.length);
    });

    test('accepts a seed as number or bigint', async () => {
      expect(await stateWithSeed(options, 1n)).toBe(await stateWithSeed(options, 1));
    });
  },
);
