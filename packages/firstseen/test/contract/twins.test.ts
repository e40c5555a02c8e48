// Compares every detector with its twin: the same verdicts bit for bit and the same number of ones, for both builds of
// the kernel.

import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../src/detectors/settings.js';
import type { Twin } from '../reference/twin.js';
import {
  type Answers,
  allCases,
  answersOf,
  type Case,
  createDetector,
  defaultCases,
  partitionedCases,
} from '../support/cases.js';
import { kernelNames } from '../support/kernels.js';
import { allDistinct, allEqual, denseIntegers, extremes, recency, uniform } from '../support/streams.js';

type Stream = BigUint64Array;

function twinAnswers(twin: Twin, elements: Stream): Answers {
  const verdicts: number[] = [];
  for (const element of elements) {
    try {
      verdicts.push(twin.observe(element));
    } catch {
      return { verdicts: Uint8Array.from(verdicts), isRefused: true };
    }
  }
  return { verdicts: Uint8Array.from(verdicts), isRefused: false };
}

async function expectTwinAnswers({ options, row }: Case, elements: Stream): Promise<void> {
  const twin = row.create(resolveSettings(options));
  const expected = twinAnswers(twin, elements);
  for (const kernel of kernelNames) {
    const detector = await createDetector(options, kernel);
    expect(answersOf(detector, elements)).toEqual(expected);
    expect(detector.stats().load).toBeCloseTo(twin.load(), 12);
  }
}

const streams: Record<string, Stream> = {
  'uniform draws of 40': uniform(300, 40),
  'uniform draws of 1500': uniform(1500, 1500),
  'new elements only': allDistinct(600),
  'one element over and over': allEqual(300),
  'repeats of recent elements': recency(1000, 60),
  'small integers': denseIntegers(800, 500),
  'lowest and highest fingerprints': extremes(300),
};

describe.each([...allCases(), ...partitionedCases()])('$name', (entry) => {
  test.each(Object.entries(streams))('answers like its twin: %s', async (_name, elements) => {
    await expectTwinAnswers(entry, elements);
  });
});

test.each(partitionedCases())('$name answers like its twin: more elements than a partition has bits', async (entry) => {
  await expectTwinAnswers(entry, recency(6000, 400));
});

describe.each([0n, 1n, 2n ** 32n, 2n ** 64n - 1n])('seed %s', (seed) => {
  test.each(defaultCases())('$name answers like its twin', async ({ name, row, options }) => {
    await expectTwinAnswers({ name, row, options: { ...options, seed } }, uniform(600, 400));
  });
});

describe.each([1025, 10 ** 6 + 1, 3 * 2 ** 20])('%i bytes', (memory) => {
  test.each(defaultCases(memory))('$name answers like its twin', async (entry) => {
    await expectTwinAnswers(entry, recency(600, 500));
  });
});

test.each(defaultCases())('$name tests an element that was not added like its twin', async ({ row, options }) => {
  const twin = row.create(resolveSettings(options));
  const added = allDistinct(100);
  for (const element of added) twin.observe(element);
  const asked = allDistinct(2000);
  const expected = Uint8Array.from(asked, (element) => twin.test(element));
  for (const kernel of kernelNames) {
    const detector = await createDetector(options, kernel);
    detector.observeBatch(added);
    expect(detector.testBatch(asked)).toEqual(expected);
  }
});
