// The Stable Bloom Filter that draws its victims from the lower half of its cells: its predicted rates, and that they differ
// from those of the usual filter.

import { FINE, gridOf, predictionOf, stableCourse, uniformStream } from 'firstseen/internal';
import { expect, test } from 'vitest';
import {
  countErrors,
  falseNegativeRate,
  falsePositiveRate,
  noErrors,
} from '../../../../firstseen/test/support/rates.js';
import { fingerprintOf, UniformStream, universeOf } from '../../../../firstseen/test/support/streams.js';
import { type LowerHalfFilter, lowerHalfCourse, lowerHalfFilter } from '../../../src/measure/lowerhalf.js';

const LENGTH = 500_000;
const MEMORY_BYTES = 2 ** 15;
const universe = universeOf(LENGTH, 0.6);
const grid = gridOf(uniformStream(LENGTH, universe), FINE);

function ratesOf(filter: LowerHalfFilter): { fpr: number; fnr: number } {
  const { elements, truth } = new UniformStream(universe, 3).next(LENGTH);
  const verdicts = new Uint8Array(LENGTH);
  const fingerprints = elements.map((element) => fingerprintOf(Number(element)));
  filter.observe(fingerprints, verdicts, LENGTH);
  const counts = noErrors();
  countErrors(counts, truth, verdicts);
  return { fpr: falsePositiveRate(counts), fnr: falseNegativeRate(counts) };
}

test('has the predicted rates, not those of a filter that draws its victims from all cells', () => {
  const { fpr, fnr } = ratesOf(lowerHalfFilter(MEMORY_BYTES, 1));
  const predicted = predictionOf(lowerHalfCourse(MEMORY_BYTES, grid), grid);
  expect(predicted.fpr / fpr).toBeCloseTo(1, 1.5);
  expect(predicted.fnr / fnr).toBeCloseTo(1, 1.5);
  const shape = { K: 2, P: 4, Max: 1, m: MEMORY_BYTES * 8, victimShare: 1 };
  const asWritten = predictionOf(stableCourse(shape, 1, grid), grid);
  expect(asWritten.fnr / fnr).toBeGreaterThan(1.1);
});
