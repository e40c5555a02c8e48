// Compares every detector with its twin: the same verdicts bit for bit and the same number of ones, for both builds of
// the kernel.

import { describe, test } from 'vitest';
import { allCases, chosenProduct, partitionedCases } from '../support/cases.js';
import { sampleNote } from '../support/form.js';
import { allDistinct, allEqual, denseIntegers, extremes, recency, uniform } from '../support/streams.js';
import { expectTwinAnswers } from '../support/twins.js';

const streams = {
  'uniform draws of 40': uniform(300, 40),
  'uniform draws of 1500': uniform(1500, 1500),
  'new elements only': allDistinct(600),
  'one element over and over': allEqual(300),
  'repeats of recent elements': recency(1000, 60),
  'small integers': denseIntegers(800, 500),
  'lowest and highest fingerprints': extremes(300),
};
const names = Object.keys(streams) as (keyof typeof streams)[];

describe(`every family${sampleNote}`, () => {
  test.each(chosenProduct([...allCases(), ...partitionedCases()], names))(
    '$name answers like its twin: $value',
    async (entry) => {
      await expectTwinAnswers(entry, streams[entry.value]);
    },
  );
});
