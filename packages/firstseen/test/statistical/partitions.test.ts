// Compares the planner's predictions for detectors of partitions with measurements.

import { describe, expect, test } from 'vitest';
import { Detector } from '../../src/detectors/detector.js';
import { sampleNote, sampleOf } from '../support/form.js';
import { planSync } from '../support/plan.js';
import { countErrors, falseNegativeRate, falsePositiveRate, noErrors } from '../support/rates.js';
import { UniformStream, universeOf } from '../support/streams.js';

const LENGTH = 500_000;
const DISTINCT_SHARE = 0.4;
const drawn = new UniformStream(universeOf(LENGTH, DISTINCT_SHARE), 5).next(LENGTH);

/** A tenth of the rate, or one in 1,000 elements: the gaps within a partition vary more than the model has them. */
function expectNear(what: string, measured: number, predicted: number): void {
  const allowed = Math.max(0.1 * measured, 0.001);
  expect(Math.abs(predicted - measured), `${what}: ${predicted} predicted, ${measured} measured`).toBeLessThan(allowed);
}

// With 256 partitions of 2 KiB, a partition takes about 2,000 elements: their spread shows.
describe.each(sampleOf([16, 256], 1))(`%i partitions${sampleNote}`, (partitions) => {
  const memory = '512KiB';
  const { families } = planSync({
    memory,
    partitions,
    fpr: 0.01,
    lengthElements: LENGTH,
    distinctElements: DISTINCT_SHARE * LENGTH,
  });

  test.each(families)(
    '$algorithm has the predicted error rates',
    async ({ algorithm, layout, parameters, prediction }) => {
      if (prediction.refusesAfterElements !== undefined) return;
      const detector = await Detector.create({ algorithm, layout, parameters, memory, partitions, seed: 9 });
      const counts = noErrors();
      countErrors(counts, drawn.truth, detector.observeBatch(drawn.elements));
      expectNear('FPR', falsePositiveRate(counts), prediction.fpr);
      expectNear('FNR', falseNegativeRate(counts), prediction.fnr);
      expectNear('load', detector.stats().load, prediction.load);
    },
  );
});
