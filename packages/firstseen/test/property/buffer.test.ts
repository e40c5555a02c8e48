// LRU buffering remembers exactly the C most recently used elements: compares the buffer with this definition.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDetector } from '../support/cases.js';
import { inLongForm } from '../support/form.js';
import { kernelNames } from '../support/kernels.js';
import { recency, uniform } from '../support/streams.js';

/**
 * The number of other distinct elements since the previous occurrence of the element at `position`; Infinity if there
 * is none.
 */
function distinctBetween(elements: BigUint64Array, position: number): number {
  const between = new Set<bigint>();
  for (let earlier = position - 1; earlier >= 0; earlier--) {
    if (elements[earlier] === elements[position]) return between.size;
    between.add(elements[earlier] as bigint);
  }
  return Number.POSITIVE_INFINITY;
}

const length = 1200;
const streams = fc.oneof(
  fc.record({ window: fc.integer({ min: 1, max: 400 }), seed: fc.nat(1000) }).map(({ window, seed }) => {
    return recency(length, window, seed);
  }),
  fc.record({ universe: fc.integer({ min: 1, max: 400 }), seed: fc.nat(1000) }).map(({ universe, seed }) => {
    return uniform(length, universe, seed);
  }),
);

describe.each(kernelNames)('with the %s kernel', (kernel) => {
  test.each(['all', 'entries64'])(
    'an LRU buffer with counting %s finds exactly the elements that it should',
    async (counting) => {
      await fc.assert(
        fc.asyncProperty(streams, fc.integer({ min: 1024, max: 2000 }), async (elements, memory) => {
          const detector = await createDetector({ algorithm: 'buffer', memory, parameters: { counting } }, kernel);
          const capacity = Number(detector.stats().parameters.C);
          const expected = elements.map((_, i) => BigInt(distinctBetween(elements, i) < capacity));
          expect(detector.observeBatch(elements)).toEqual(Uint8Array.from(expected, Number));
        }),
        { seed: 3, numRuns: inLongForm(25, 6) },
      );
    },
  );
});
