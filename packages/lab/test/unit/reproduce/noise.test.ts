import { describe, expect, test } from 'vitest';
import { countedRate, isAlike, isBelow, maxApart, ratioOf } from '../../../src/reproduce/noise.js';

/** 20 % of a thousand: a standard deviation of 1.26 points, of the difference of two 1.79 points, and 95 % within 3.5. */
const of = (share: number) => countedRate(share, 1000);

describe('two rates of a thousand elements', () => {
  test.each([
    [0.2, 0.24, true],
    [0.2, 0.23, false],
    [0.2, 0.2, false],
    [0.24, 0.2, false],
    [0, 0, false],
  ])('%d is below %d: %s', (lower, higher, isSo) => {
    expect(isBelow(of(lower), of(higher))).toBe(isSo);
  });

  test('are apart by at most their difference and the bound', () => {
    expect(maxApart(of(0.2), of(0.23))).toBeCloseTo(0.03 + 0.036, 2);
    expect(maxApart(of(0.23), of(0.2))).toBeCloseTo(0.03 + 0.036, 2);
  });

  test('have a ratio with the relative widths of both', () => {
    const { estimate, low, high } = ratioOf(of(0.4), of(0.2));
    expect(estimate).toBe(2);
    // Relative 95 % widths of 7.6 % and 12.4 % make 14.5 %.
    expect(low).toBeCloseTo(1.72, 1);
    expect(high).toBeCloseTo(2.29, 1);
  });
});

test.each([
  [1000, true],
  [1e6, false],
])('a printed rate counted over %d elements is explained by chance: %s', (elements, isSo) => {
  expect(isAlike(of(0.2), 0.23, elements)).toBe(isSo);
});
