// Compares every detector with its twin for several seeds and sizes, for more elements than it has room for, and for elements that are
// only tested.

import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../src/detectors/settings.js';
import { type Case, createDetector, defaultCases, kindOf, partitionedCases } from '../support/cases.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { kernelNames } from '../support/kernels.js';
import { allDistinct, recency, uniform } from '../support/streams.js';
import { expectTwinAnswers } from '../support/twins.js';

const seeds = [0n, 1n, 2n ** 32n, 2n ** 64n - 1n];
const sizes = [1025, 10 ** 6 + 1, 3 * 2 ** 20];

const drawn = uniform(600, 400);
const recent = recency(600, 500);
const many = recency(inLongForm(6000, 2500), 400);
const added = allDistinct(100);
const tested = allDistinct(inLongForm(2000, 300));

describe(`every family${sampleNote}`, () => {
  test.each(coverOf(partitionedCases(), (entry) => [kindOf(entry)]))(
    '$name answers like its twin: more elements than a partition has bits',
    async (entry) => {
      await expectTwinAnswers(entry, many);
    },
  );

  const seeded = defaultCases().flatMap((entry) => seeds.map((seed) => ({ ...entry, seed })));
  test.each(coverOf(seeded, (entry) => [kindOf(entry), `${entry.options.layout} ${entry.seed}`]))(
    'seed $seed: $name answers like its twin',
    async ({ seed, ...entry }) => {
      await expectTwinAnswers({ ...entry, options: { ...entry.options, seed } }, drawn);
    },
  );

  const sized = sizes.flatMap((memory) => defaultCases(memory));
  const [smallest] = sizes;
  const demandsOf = (entry: Case) => {
    const { layout, memory } = entry.options;
    // The twins of large detectors take most of the time, so the short form has one in each layout.
    return [`${layout} ${memory}`, ...(memory === smallest ? [kindOf(entry)] : [])];
  };
  test.each(coverOf(sized, demandsOf))('$options.memory bytes: $name answers like its twin', async (entry) => {
    await expectTwinAnswers(entry, recent);
  });

  test.each(defaultCases())('$name tests an element that was not added like its twin', async ({ row, options }) => {
    const twin = row.create(resolveSettings(options));
    for (const element of added) twin.observe(element);
    const expected = Uint8Array.from(tested, (element) => twin.test(element));
    for (const kernel of kernelNames) {
      const detector = await createDetector(options, kernel);
      detector.observeBatch(added);
      expect(detector.testBatch(tested)).toEqual(expected);
    }
  });
});
