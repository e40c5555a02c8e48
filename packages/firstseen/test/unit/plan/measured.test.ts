// Plans by measurement, compared with runs over the same streams and with the exact model of uniform draws. measured.long.test.ts does so
// for long streams.

import { describe, expect, test } from 'vitest';
import { runAtOnce } from '../../../src/base/steps.js';
import { resolveSettings } from '../../../src/detectors/settings.js';
import { FINE, gridOf } from '../../../src/plan/grid.js';
import { planMeasured, predictMeasured } from '../../../src/plan/measured.js';
import { predictionOf } from '../../../src/plan/predict.js';
import { familyPlans } from '../../../src/plan/registry.js';
import { replayOf } from '../../../src/plan/replay.js';
import { uniformStream } from '../../../src/plan/stream.js';
import { planText } from '../../../src/plan/text.js';
import { MAX_OCCURRENCES, sliceHash, type Trace, Tracer } from '../../../src/plan/trace.js';
import { candidates, expectNear, ratesOf, sampled } from '../../support/measured.js';
import { hotAmongOthers, recency, uniform } from '../../support/streams.js';

describe('rates that are measured on a sample', () => {
  test('of uniform draws are those of the uniform model', async () => {
    const [length, universe, memory] = [400_000, 180_000, 2 ** 15];
    const stream = sampled(uniform(length, universe));
    const grid = gridOf(uniformStream(length, universe), FINE);
    const predictions = await predictMeasured({ stream, memory }, candidates);
    for (const [i, { algorithm, layout, parameters }] of candidates.entries()) {
      const family = familyPlans.find(({ name }) => name === algorithm);
      const settings = resolveSettings({ algorithm, layout, parameters, memory });
      const model = family && predictionOf(family.course(settings, grid), grid);
      expectNear(`FPR of ${algorithm}`, predictions[i]?.fpr ?? -1, model?.fpr ?? 0, 0.1);
      expectNear(`FNR of ${algorithm}`, predictions[i]?.fnr ?? -1, model?.fnr ?? 0, 0.1);
    }
  });

  test('of all elements are those of a run', async () => {
    const elements = hotAmongOthers(100_000, 1000);
    const memory = 2 ** 13;
    const predictions = await predictMeasured({ stream: sampled(elements), memory }, candidates);
    for (const [i, candidate] of candidates.entries()) {
      const { fpr, fnr } = await ratesOf(elements, { ...candidate, memory });
      if (fpr > 0.001) expect(predictions[i]?.fpr, `FPR of ${candidate.algorithm}`).toBeCloseTo(fpr, 12);
      if (fnr > 0.001) expect(predictions[i]?.fnr, `FNR of ${candidate.algorithm}`).toBeCloseTo(fnr, 12);
    }
  });

  test('have misses by gap and over time', async () => {
    const elements = recency(200_000, 50_000);
    const [prediction] = await predictMeasured({ stream: sampled(elements), memory: 2 ** 14 }, [candidates[3]]);
    const { byGap, overTime, fnr } = prediction ?? { byGap: [], overTime: [], fnr: -1 };
    expect(byGap.at(-1)?.toElements).toBe(200_000);
    expect(overTime.at(-1)?.positionElements).toBe(200_000);
    expect(overTime.at(-1)?.load).toBeGreaterThan(0.9);
    expect(byGap.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(byGap.reduce((sum, { share, fnr: missed }) => sum + share * missed, 0)).toBeCloseTo(fnr, 9);
  });
});

test('a long trace of few elements follows all of them, in bounded memory', () => {
  const tracer = new Tracer(1);
  const length = 2 * MAX_OCCURRENCES;
  // Half of the hash space has neither of these keys.
  const keys = Array.from({ length: 100 }, (_, i) => i).filter((low) => sliceHash(low, 7) >= 2 ** 31);
  for (let i = 0; i < length; i++) tracer.add(keys[i % 2] as number, 7);
  expect(tracer.followed).toBe(2);
  expect(tracer.weight).toBe(1);
  const { occurrences, elements, positionOf } = tracer.trace();
  expect(occurrences.length).toBe(MAX_OCCURRENCES);
  expect(elements).toBe(length);
  expect(positionOf(MAX_OCCURRENCES - 1)).toBeLessThanOrEqual(length);
});

test('a stretch of a replay begins with those seen before it, twice if they were repeated', () => {
  const stream = sampled(BigUint64Array.of(1n, 2n, 1n, 3n, 2n, 4n, 1n, 5n));
  const { fingerprints } = runAtOnce(replayOf(stream.trace as Trace, { maxOccurrences: 4 }));
  const stretches = [[1n], [1n, 2n, 1n], [1n, 1n, 3n, 2n], [2n, 2n, 4n, 1n]];
  expect([...fingerprints]).toEqual(stretches.flat());
});

describe('a measured plan', () => {
  test('is computed for a stream that is longer than the sample, and tells no limit', async () => {
    const stream = sampled(recency(20_000, 1000));
    const plan = await planMeasured({ stream, lengthElements: 40_000, memory: 4096, fpr: 0.1 });
    expect(plan.measured).toBeUndefined();
    expect(plan).not.toHaveProperty('limit');
    const text = planText(plan);
    expect(text).toContain('limit       unknown: nothing is known of the stream beyond 20,000 elements');
    expect(text).toContain('computed, and extrapolated from the first 20,000 elements');
  });
});
