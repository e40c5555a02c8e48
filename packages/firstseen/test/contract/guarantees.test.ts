// Checks each family's guarantees about its errors on several streams.

import { describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { resolveSettings } from '../../src/detectors/settings.js';
import { twinOf } from '../reference/twins.js';
import { allCases, createDetector } from '../support/cases.js';
import { countErrors, type ErrorCounts, noErrors, standardError } from '../support/rates.js';
import { denseIntegers, exactVerdicts, recency, uniform } from '../support/streams.js';

/** Memory for every element of the streams below, even in an exact set. */
const MEMORY_BYTES = 2 ** 18;
const LENGTH = 30_000;

const streams = {
  uniform: uniform(LENGTH, 15_000),
  recency: recency(LENGTH, 1000),
  integers: denseIntegers(LENGTH, 12_000),
};
const truths = Object.entries(streams).map(([name, elements]) => ({ name, elements, truth: exactVerdicts(elements) }));

const cases = allCases(MEMORY_BYTES);
const guaranteed = (kind: string, promise: 'falsePositives' | 'falseNegatives') =>
  cases.filter(({ options }) => families.find(({ name }) => name === options.algorithm)?.[promise].kind === kind);

async function errorsOf(
  options: (typeof cases)[number]['options'],
  elements: BigUint64Array,
  truth: Uint8Array,
): Promise<ErrorCounts> {
  const counts = noErrors();
  countErrors(counts, truth, (await createDetector(options)).observeBatch(elements));
  return counts;
}

describe.each(truths)('on a stream of kind $name', ({ elements, truth }) => {
  test.each(guaranteed('never', 'falseNegatives'))('$name misses no duplicate', async ({ options }) => {
    const { falseNegatives, duplicates } = await errorsOf(options, elements, truth);
    expect(duplicates).toBeGreaterThan(LENGTH / 4);
    expect(falseNegatives).toBe(0);
  });

  test.each(guaranteed('bounded', 'falsePositives'))('$name keeps to its bound on false positives', async (entry) => {
    const { distinct, falsePositives } = await errorsOf(entry.options, elements, truth);
    const bound = entry.row.falsePositiveBound?.(resolveSettings(entry.options), distinct) ?? Number.NaN;
    expect(falsePositives / distinct).toBeLessThanOrEqual(bound + 4 * standardError(bound, distinct));
  });
});

test('every family that bounds its false positives has a bound in its twin', () => {
  const bounded = families.filter(({ falsePositives }) => falsePositives.kind === 'bounded');
  for (const { name } of bounded) expect(twinOf(name).falsePositiveBound).toBeTypeOf('function');
  expect(bounded.length).toBeGreaterThan(0);
});
