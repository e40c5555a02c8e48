// Plans by measurement of long streams, compared with runs over the same streams.

import { describe, expect, test } from 'vitest';
import { COARSE, FINE, gridOf } from '../../../src/plan/grid.js';
import { limitOf, minFnrOf } from '../../../src/plan/limit.js';
import { planMeasured, predictMeasured } from '../../../src/plan/measured.js';
import type { Prediction } from '../../../src/plan/predict.js';
import { uniformStream } from '../../../src/plan/stream.js';
import { planText } from '../../../src/plan/text.js';
import { candidates, expectNear, ratesOf, sampled } from '../../support/measured.js';
import { fingerprintOf, hotAmongOthers, Random, recency, uniform } from '../../support/streams.js';

/** Two keys make two fifths of the stream; the others repeat more or less often. */
function skewed(length: number): BigUint64Array<ArrayBuffer> {
  const random = new Random(11);
  return BigUint64Array.from({ length }, () => {
    const kind = random.below(5);
    return fingerprintOf(kind < 2 ? kind : 2 + Math.floor(400_000 * (random.below(2 ** 20) / 2 ** 20) ** 2));
  });
}

/** Repeats of the last tenth, then almost only new elements, of which a few repeat at once. */
function quietEnd(length: number): BigUint64Array<ArrayBuffer> {
  const random = new Random(13);
  const lively = recency((2 / 3) * length, length / 10);
  const end = (_: unknown, i: number) => fingerprintOf(length + (random.below(10) > 0 ? i : -Math.ceil(i / 100)));
  return BigUint64Array.from([...lively, ...Array.from({ length: length / 3 }, end)]);
}

describe('rates that are measured on a sample', () => {
  test.each([1, 2])(
    'of one element in sixteen are near those of a run, whatever very common keys do (stream %i)',
    async (which) => {
      const elements = which === 1 ? skewed(1_000_000) : recency(1_000_000, 100_000);
      const memory = 2 ** 17;
      const predictions = await predictMeasured({ stream: sampled(elements, 16), memory }, candidates.slice(0, 6));
      for (const [i, candidate] of candidates.slice(0, 6).entries()) {
        const { fpr, fnr } = await ratesOf(elements, { ...candidate, memory });
        expectNear(`FPR of ${candidate.algorithm}`, predictions[i]?.fpr ?? -1, fpr, 0.15);
        expectNear(`FNR of ${candidate.algorithm}`, predictions[i]?.fnr ?? -1, fnr, 0.15);
      }
    },
  );
});

/** The rates are the means of several runs, which differ, so that one seed alone would have other rates. */
function expectMeanOfSeeds({ fpr, fnr, bySeed }: Prediction): void {
  expect(bySeed?.seeds).toBe(5);
  for (const [mean, { low, high }] of [
    [fpr, bySeed?.fpr ?? { low: 1, high: 0 }],
    [fnr, bySeed?.fnr ?? { low: 1, high: 0 }],
  ] as const) {
    expect(mean).toBeGreaterThanOrEqual(low);
    expect(mean).toBeLessThanOrEqual(high);
  }
  expect(
    Math.max((bySeed?.fpr.high ?? 0) - (bySeed?.fpr.low ?? 0), (bySeed?.fnr.high ?? 0) - (bySeed?.fnr.low ?? 0)),
  ).toBeGreaterThan(0);
}

describe('a measured plan', () => {
  test('of partitions is computed', async () => {
    const stream = sampled(uniform(20_000, 8000));
    const plan = await planMeasured({ stream, partitions: 2, memory: 2 ** 14, fpr: 0.1 });
    expect(plan.measured).toBeUndefined();
    expect(plan.limit?.fpr).toBeGreaterThan(0);
  });

  test('on hot keys among others has no detector below its limit, which knows how often keys come', async () => {
    const elements = hotAmongOthers(200_000, 1000);
    const memory = 2560;
    const plan = await planMeasured({ stream: sampled(elements), memory, fpr: 0.5 });
    expect(plan.measured).toEqual({ elements: 200_000, oneIn: 1 });
    const sum = ({ fpr, fnr }: { fpr: number; fnr: number }) => fpr + fnr;
    const [limit, recencyLimit] = [plan.limitAtAnyFpr, plan.recencyLimitAtAnyFpr].map((one) => (one ? sum(one) : -1));
    // 20 bits for each of a thousand keys tell them from others; without counts, most bits go to keys that never come back.
    expect(limit).toBeGreaterThan(0);
    expect(limit).toBeLessThan(0.01);
    expect(recencyLimit).toBeGreaterThan(0.05);
    for (const { prediction } of plan.families) {
      if (prediction.refusesAfterElements === undefined) expect(sum(prediction)).toBeGreaterThan(limit as number);
    }
    expect(planText(plan)).toContain(
      'no structure that goes by how long ago an element came and how often has FPR + FNR',
    );
    expect(planText(plan)).toContain('measured on 200,000 elements of the stream, all of them');
    // Common elements are kept by an entry depth, which goes by whether an element came again.
    const { algorithm, layout, parameters } = plan.recommended;
    expect({ algorithm, ...parameters }).toMatchObject({ algorithm: 'qht', eviction: 'lru', j: expect.any(Number) });
    const rates = await ratesOf(elements, { algorithm, layout, parameters, memory, seed: 9 });
    expect(sum(rates)).toBeLessThan((recencyLimit as number) * 0.8);
    expectMeanOfSeeds(plan.recommended.prediction);
    expect(planText(plan)).toContain('means of 5 seeds that chose no parameters, from the lowest to the highest:');
  });

  test.each([
    ['by all of the stream, not by its end', quietEnd(600_000), 2 ** 14, 'qht', { s: 4, k: 2 }],
    ['among pockets with few quotients', recency(250_000, 30_000), 2 ** 15, 'pocket', { r: 8, k: 82 }],
  ] as const)('is chosen %s', async (_name, elements, memory, algorithm, parameters) => {
    // One layout has half of the candidates.
    const layout = algorithm === 'qht' ? 'classic' : 'blocked';
    const plan = await planMeasured({ stream: sampled(elements), memory, fpr: 0.5, layout });
    const { fpr, fnr } = plan.recommended.prediction;
    const other = await ratesOf(elements, { algorithm, layout, memory, parameters });
    expect(fpr + fnr).toBeLessThan(1.1 * (other.fpr + other.fnr));
  });
});

describe('the limit of a sampled stream', () => {
  test('of uniform draws is that of the uniform model', () => {
    const [length, universe] = [400_000, 180_000];
    const model = limitOf(gridOf(uniformStream(length, universe), FINE), 2 ** 18);
    for (const oneIn of [1, 8]) {
      const { fpr, fnr } = limitOf(gridOf(sampled(uniform(length, universe), oneIn), COARSE), 2 ** 18, undefined, [
        'recency',
      ]);
      expect((fpr + fnr) / (model.fpr + model.fnr)).toBeCloseTo(1, 1);
    }
  });

  test('is below what a detector reaches on repeats of a window', async () => {
    const elements = recency(1_000_000, 100_000);
    const grid = gridOf(sampled(elements), COARSE);
    const { fpr, fnr } = await ratesOf(elements, { algorithm: 'qht', memory: 125_000, parameters: { s: 9 } });
    const limit = limitOf(grid, 1_000_000);
    expect(limit.fpr + limit.fnr).toBeLessThan(fpr + fnr);
    expect(minFnrOf(grid, 1_000_000)(fpr)).toBeLessThan(fnr);
  });
});

test('a measured plan lets timers run', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await planMeasured({ stream: sampled(recency(40_000, 2000)), memory: '16KiB', fpr: 0.01 });
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(10);
}, 60_000);
