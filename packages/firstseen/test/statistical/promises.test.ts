// Every family that promises a rate keeps it, in each of its layouts.

import { describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { poissonAtLeast } from '../../src/plan/poisson.js';
import { numberOf } from '../reference/twin.js';
import { createDetector } from '../support/cases.js';
import { allDistinct } from '../support/streams.js';

const ELEMENTS = 1_000_000;
/** With this probability, a detector at its rate fails one of the tests. */
const SIGNIFICANCE = 1e-6;

/** The fingerprints after those that filled the detector. */
const probes = (seed: number) => allDistinct(ELEMENTS, 2 ** 40 + seed * ELEMENTS);

function expectRate(found: number, trials: number, fpr: number): void {
  // Rare events: the binomial distribution is below Poisson's.
  expect(poissonAtLeast(found, trials * fpr), `${found} of ${trials} at ${fpr}`).toBeGreaterThan(SIGNIFICANCE);
}

function count(verdicts: Uint8Array): number {
  let found = 0;
  for (const verdict of verdicts) found += verdict;
  return found;
}

describe.each(['classic', 'blocked'] as const)('a Bloom filter in %s, filled to its capacity', (layout) => {
  test.each([0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6])('keeps %d', async (fpr) => {
    let found = 0;
    const seeds = [1, 2, 3];
    for (const seed of seeds) {
      const detector = await createDetector({ algorithm: 'bloom', layout, fpr, memory: '256KiB', seed });
      detector.observeBatch(allDistinct(numberOf(detector.settings, 'n'), seed * 2 ** 30));
      found += count(detector.testBatch(probes(seed)));
    }
    expectRate(found, seeds.length * ELEMENTS, fpr);
  });
});

const steady = families
  .filter(({ falsePositives, comparesFingerprints }) => falsePositives.kind === 'bounded' && !comparesFingerprints)
  .filter(({ name }) => name !== 'bloom')
  .flatMap(({ name, layouts }) => layouts.map((layout) => ({ algorithm: name, layout })));

test('most families promise a rate', () => expect(steady.length).toBeGreaterThan(8));

describe.each(steady)('$algorithm in $layout, on elements that are all new', ({ algorithm, layout }) => {
  test.each([0.1, 0.049, 0.01, 1e-3, 1e-4])('keeps %d', async (fpr) => {
    const detector = await createDetector({ algorithm, layout, fpr, memory: '64KiB', seed: 3 });
    detector.observeBatch(allDistinct(300_000));
    expectRate(count(detector.observeBatch(probes(3))), ELEMENTS, fpr);
  });
});
