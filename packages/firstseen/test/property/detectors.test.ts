// The answers and the final state of a detector do not depend on how a stream is cut into batches.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Detector, kernelOf } from '../../src/detectors/detector.js';
import type { DetectorOptions } from '../../src/detectors/settings.js';
import { allCases, chosenCases, contentsOf, createDetector, digestOf, partitionedCases } from '../support/cases.js';
import { inLongForm, sampleNote, sampleSeed } from '../support/form.js';
import { kernelNames } from '../support/kernels.js';
import { allDistinct, recency } from '../support/streams.js';

/** Memory for all elements in an exact detector, but few enough cells that the others make errors. */
const MEMORY_BYTES = 20_001;

function observeInParts(detector: Detector, elements: BigUint64Array, cuts: readonly number[]): Uint8Array {
  const verdicts = new Uint8Array(elements.length);
  const ends = [...cuts, elements.length].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    verdicts.set(detector.observeBatch(elements.subarray(start, end)), start);
    start = end;
  }
  return verdicts;
}

async function expectSameInParts(options: DetectorOptions, elements: BigUint64Array, cuts: readonly number[]) {
  const whole = await createDetector(options);
  const verdicts = whole.observeBatch(elements);
  for (const kernel of kernelNames) {
    const parts = await createDetector(options, kernel);
    expect(digestOf(observeInParts(parts, elements, cuts))).toBe(digestOf(verdicts));
    expect(contentsOf(parts)).toBe(contentsOf(whole));
  }
}

const few = recency(200, 30);
const length = 1500;
const cuts = fc.array(fc.nat(length), { maxLength: 12 });

const cases = chosenCases([...allCases(MEMORY_BYTES), ...partitionedCases(MEMORY_BYTES)]);
describe.each(cases)(`$name${sampleNote}`, ({ options }) => {
  test('answers do not depend on how the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(cuts, fc.integer({ min: 1, max: 500 }), fc.nat(100), async (at, window, seed) => {
        await expectSameInParts(options, recency(length, window, seed), at);
      }),
      { numRuns: inLongForm(6, 1), seed: sampleSeed },
    );
  });

  test('answers are the same one by one', async () => {
    await expectSameInParts(options, few, [...few.keys()]);
  });
});

test('more elements than one kernel batch are answered like several batches', async () => {
  const detector = await createDetector({ memory: '1MiB' });
  const elements = allDistinct(3 * kernelOf(detector).batchCapacity + 5);
  elements.copyWithin(elements.length - 100, 0, 100);
  await expectSameInParts({ memory: '1MiB' }, elements, [1, kernelOf(detector).batchCapacity + 7]);
});
