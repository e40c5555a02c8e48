// Every family that promises a rate keeps it, in each of its layouts.

import { describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { poissonAtLeast } from '../../src/plan/poisson.js';
import { numberOf } from '../reference/twin.js';
import { createDetector } from '../support/cases.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { randomElements } from '../support/streams.js';

const ELEMENTS = inLongForm(1_000_000, 300_000);
/** With this probability, a detector at its rate fails one of the tests. */
const SIGNIFICANCE = 1e-6;

/** Elements that are in none of the streams that fill a detector. */
const probes = [1, 2, 3].map((seed) => randomElements(ELEMENTS, seed));
const filling = randomElements(inLongForm(300_000, 100_000), 4);

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
    for (const [i, elements] of probes.entries()) {
      const detector = await createDetector({ algorithm: 'bloom', layout, fpr, memory: '256KiB', seed: i + 1 });
      detector.observeBatch(randomElements(numberOf(detector.settings, 'n'), 5 + i));
      found += count(detector.testBatch(elements));
    }
    expectRate(found, probes.length * ELEMENTS, fpr);
  });
});

const steady = families
  .filter(({ falsePositives, comparesFingerprints }) => falsePositives.kind === 'bounded' && !comparesFingerprints)
  .filter(({ name }) => name !== 'bloom')
  .flatMap(({ name, layouts }) => layouts.map((layout) => ({ algorithm: name, layout })));

test('most families promise a rate', () => expect(steady.length).toBeGreaterThan(8));

const rates = [0.1, 0.049, 0.01, 1e-3, 1e-4];
const rows = steady.flatMap((kind) => rates.map((fpr) => ({ ...kind, fpr })));

describe(`on elements that are all new${sampleNote}`, () => {
  test.each(coverOf(rows, ({ algorithm, layout, fpr }) => [`${algorithm} ${layout}`, `${layout} ${fpr}`]))(
    '$algorithm in $layout keeps $fpr',
    async ({ algorithm, layout, fpr }) => {
      const detector = await createDetector({ algorithm, layout, fpr, memory: '64KiB', seed: 3 });
      detector.observeBatch(filling);
      expectRate(count(detector.observeBatch(probes[2] as BigUint64Array)), ELEMENTS, fpr);
    },
  );
});
