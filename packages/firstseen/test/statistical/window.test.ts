// apbf keeps the rate for which its parameters were chosen, and its bound is tight.

import { describe, expect, test } from 'vitest';
import { numberOf } from '../reference/twin.js';
import { createDetector } from '../support/cases.js';
import { standardError } from '../support/rates.js';
import { allDistinct, Random } from '../support/streams.js';

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

describe.each([
  { algorithm: 'pocket', layout: 'blocked' },
  { algorithm: 'apbf', layout: 'classic' },
  { algorithm: 'apbf', layout: 'blocked' },
] as const)('$algorithm in the $layout layout, while the time stands still', (family) => {
  const length = 300_000;
  // A new element and a repeat of one of the last 1,000 new ones, in turn.
  const random = new Random(5);
  const elements = BigUint64Array.from({ length }, (_, i) => {
    const fresh = i >> 1;
    return allDistinct(1, i % 2 === 0 || i < 2000 ? i : 2 * (fresh - random.below(1000)))[0] as bigint;
  });

  test.each([false, true])('loses no more than its rate, and finds recent repeats, refresh %s', async (refresh) => {
    const options = { ...family, refresh, window: '1h', fpr: 0.001, memory: '64KiB', seed: 6 } as const;
    const detector = await createDetector(options);
    detector.advance(1.7e12);
    const seen = new Set<bigint>();
    const verdicts = detector.observeBatch(elements);
    const counts = { fresh: 0, lost: 0, missed: 0 };
    for (const [i, element] of elements.entries()) {
      const isNew = !seen.has(element);
      seen.add(element);
      if (isNew) counts.fresh++;
      if (isNew && verdicts[i] === 1) counts.lost++;
      if (!isNew && verdicts[i] === 0) counts.missed++;
    }
    const bound = numberOf(detector.settings, 'FPR');
    expect(counts.fresh).toBeGreaterThan(140_000);
    expect(counts.lost / counts.fresh).toBeLessThanOrEqual(bound + 4 * standardError(bound, counts.fresh));
    // An element that was lost is not added, so its repeat may pass; and pockets do not store two in a million.
    expect(counts.missed).toBeLessThanOrEqual(counts.lost + 3);
    expect(detector.stats().shortened).toBeGreaterThan(5);
  });
});
