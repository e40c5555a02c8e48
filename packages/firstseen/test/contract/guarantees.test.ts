// Checks each family's guarantees about its errors on several streams.

import { describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { type DetectorOptions, resolveSettings } from '../../src/detectors/settings.js';
import { twinOf } from '../reference/twins.js';
import { allCases, chosenProduct, createDetector } from '../support/cases.js';
import { inLongForm, sampleNote } from '../support/form.js';
import { countErrors, type ErrorCounts, noErrors, standardError } from '../support/rates.js';
import { denseIntegers, exactVerdicts, recency, uniform } from '../support/streams.js';

/** Memory for every element of the streams below, even in an exact set. */
const MEMORY_BYTES = inLongForm(2 ** 18, 2 ** 16);
const LENGTH = inLongForm(30_000, 7500);

const streams = {
  uniform: uniform(LENGTH, LENGTH / 2),
  recency: recency(LENGTH, 1000),
  integers: denseIntegers(LENGTH, 0.4 * LENGTH),
};
type StreamName = keyof typeof streams;
const names = Object.keys(streams) as StreamName[];
const truths = Object.fromEntries(names.map((name) => [name, exactVerdicts(streams[name])])) as Record<
  StreamName,
  Uint8Array
>;

function guaranteed(kind: string, promise: 'falsePositives' | 'falseNegatives') {
  const cases = allCases(MEMORY_BYTES).filter(
    ({ options }) => families.find(({ name }) => name === options.algorithm)?.[promise].kind === kind,
  );
  return chosenProduct(cases, names);
}

async function errorsOf(options: DetectorOptions, stream: StreamName): Promise<ErrorCounts> {
  const counts = noErrors();
  countErrors(counts, truths[stream], (await createDetector(options)).observeBatch(streams[stream]));
  return counts;
}

describe(`every family${sampleNote}`, () => {
  test.each(guaranteed('never', 'falseNegatives'))('$name misses no duplicate: $value', async ({ options, value }) => {
    const { falseNegatives, duplicates } = await errorsOf(options, value);
    expect(duplicates).toBeGreaterThan(LENGTH / 4);
    expect(falseNegatives).toBe(0);
  });

  test.each(guaranteed('bounded', 'falsePositives'))(
    '$name keeps to its bound on false positives: $value',
    async ({ options, row, value }) => {
      const { distinct, falsePositives } = await errorsOf(options, value);
      const bound = row.falsePositiveBound?.(resolveSettings(options), distinct) ?? Number.NaN;
      expect(falsePositives / distinct).toBeLessThanOrEqual(bound + 4 * standardError(bound, distinct));
    },
  );
});

test('every family that bounds its false positives has a bound in its twin', () => {
  const bounded = families.filter(({ falsePositives }) => falsePositives.kind === 'bounded');
  for (const { name } of bounded) expect(twinOf(name).falsePositiveBound).toBeTypeOf('function');
  expect(bounded.length).toBeGreaterThan(0);
});
