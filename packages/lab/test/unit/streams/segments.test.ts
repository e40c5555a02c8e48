import fc from 'fast-check';
import { expect, test } from 'vitest';
import { segmentsOf, seriesOf } from '../../../src/streams/segments.js';

test('segments cover all ranks without gaps, and none is longer than a 64th of its first rank', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (universe) => {
      let next = 1;
      for (const { first, length } of segmentsOf(universe)) {
        expect(first).toBe(next);
        expect(length).toBeLessThanOrEqual(Math.max(1, first / 64));
        next += length;
      }
      expect(next).toBe(universe + 1);
    }),
    { numRuns: 50 },
  );
});

test.each([0.1, 0.5, 1, 2, 10])('the series gives powers with exponent %d over the length of a segment', (exponent) => {
  for (const x of [0, 1 / 1000, 1 / 128, 1 / 64]) {
    const value = 1 + seriesOf(exponent).reduceRight((sum, term) => x * (term + sum), 0);
    expect(Math.abs(value / (1 + x) ** -exponent - 1)).toBeLessThan(1e-9);
  }
});
