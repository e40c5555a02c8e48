// apbf keeps the rate for which its parameters were chosen, and its bound is tight.

import { describe, expect, test } from 'vitest';
import { numberOf } from '../reference/twin.js';
import { createDetector } from '../support/cases.js';
import { standardError } from '../support/rates.js';
import { allDistinct } from '../support/streams.js';

const ELEMENTS = 1_000_000;

/** Share of new elements that are reported duplicate once the ring is full. */
async function measuredRate(options: Parameters<typeof createDetector>[0]) {
  const detector = await createDetector(options);
  const warm = 2 * numberOf(detector.settings, 'W');
  detector.observeBatch(allDistinct(warm));
  let found = 0;
  for (const verdict of detector.observeBatch(allDistinct(ELEMENTS, warm))) found += verdict;
  return { rate: found / ELEMENTS, bound: numberOf(detector.settings, 'FPR') };
}

const memory = 2 ** 17;

describe.each([
  { layout: 'classic', least: 0.6 },
  { layout: 'blocked', least: 0.45 },
] as const)('in the $layout layout', ({ layout, least }) => {
  test.each([
    { fpr: 0.1, refresh: false },
    { fpr: 0.01, refresh: false },
    { fpr: 0.01, refresh: true },
    { fpr: 0.001, refresh: false },
  ])('the rate of %o is met', async ({ fpr, refresh }) => {
    const { rate, bound } = await measuredRate({ layout, fpr, refresh, memory, seed: 3 });
    expect(bound).toBeLessThanOrEqual(fpr);
    expect(rate).toBeLessThanOrEqual(bound + 4 * standardError(bound, ELEMENTS));
    expect(rate).toBeGreaterThanOrEqual(least * bound - 4 * standardError(bound, ELEMENTS));
  });

  test('a requested window keeps its rate', async () => {
    const { rate, bound } = await measuredRate({ layout, window: 25_000, memory, seed: 4 });
    expect(rate).toBeLessThanOrEqual(bound + 4 * standardError(bound, ELEMENTS));
    expect(rate).toBeGreaterThanOrEqual(least * bound - 4 * standardError(bound, ELEMENTS));
  });
});
