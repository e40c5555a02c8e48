// Plans by measurement, compared with runs over the same streams and with the exact model of uniform draws.

import { describe, expect, test } from 'vitest';
import { runAtOnce } from '../../../src/base/steps.js';
import { Detector } from '../../../src/detectors/detector.js';
import { resolveSettings } from '../../../src/detectors/settings.js';
import { COARSE, FINE, gridOf } from '../../../src/plan/grid.js';
import { leastFnrOf, limitOf } from '../../../src/plan/limit.js';
import { planMeasured, predictMeasured } from '../../../src/plan/measured.js';
import { type Prediction, predictionOf } from '../../../src/plan/predict.js';
import { familyPlans } from '../../../src/plan/registry.js';
import { replayOf } from '../../../src/plan/replay.js';
import { GapSample } from '../../../src/plan/sample.js';
import { uniformStream } from '../../../src/plan/stream.js';
import { planText } from '../../../src/plan/text.js';
import { MOST_OCCURRENCES, sliceHash, type Trace, Tracer } from '../../../src/plan/trace.js';
import { countErrors, falseNegativeRate, falsePositiveRate, noErrors } from '../../support/rates.js';
import { fingerprintOf, hotAmongOthers, Random, recency, uniform } from '../../support/streams.js';

function sampled(elements: BigUint64Array, oneIn = 1) {
  const sample = new GapSample({ oneIn });
  sample.addBatch(elements);
  return sample.stream('as in a test');
}

function truthOf(elements: BigUint64Array): Uint8Array {
  const seen = new Set<bigint>();
  return Uint8Array.from(elements, (element) => {
    const isDuplicate = seen.has(element);
    seen.add(element);
    return isDuplicate ? 1 : 0;
  });
}

async function ratesOf(elements: BigUint64Array, options: Parameters<typeof Detector.create>[0]) {
  const counts = noErrors();
  countErrors(counts, truthOf(elements), (await Detector.create(options)).observeBatch(elements));
  return { fpr: falsePositiveRate(counts), fnr: falseNegativeRate(counts) };
}

function expectNear(what: string, predicted: number, measured: number, relative: number): void {
  const allowed = Math.max(relative * measured, 0.0005);
  expect(Math.abs(predicted - measured), `${what}: ${predicted} for ${measured}`).toBeLessThan(allowed);
}

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

const candidates = [
  { algorithm: 'bloom', layout: 'blocked', parameters: { k: 2 } },
  { algorithm: 'sbf', layout: 'classic', parameters: { K: 2, Max: 1, P: 3 } },
  { algorithm: 'rlbsbf', layout: 'blocked', parameters: { k: 2 } },
  { algorithm: 'qht', layout: 'classic', parameters: { s: 7, k: 4, eviction: 'fifo' } },
  { algorithm: 'qht', layout: 'blocked', parameters: { s: 10, eviction: 'lru' } },
  { algorithm: 'sqf', layout: 'classic', parameters: { r: 4, "r'": 2, k: 4 } },
  { algorithm: 'apbf', layout: 'classic', parameters: { k: 3, l: 2, g: 12_000 } },
] as const;

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
  const length = 2 * MOST_OCCURRENCES;
  // Half of the hash space has neither of these keys.
  const keys = Array.from({ length: 100 }, (_, i) => i).filter((low) => sliceHash(low, 7) >= 2 ** 31);
  for (let i = 0; i < length; i++) tracer.add(keys[i % 2] as number, 7);
  expect(tracer.followed).toBe(2);
  expect(tracer.weight).toBe(1);
  const { occurrences, elements, positionOf } = tracer.trace();
  expect(occurrences.length).toBe(MOST_OCCURRENCES);
  expect(elements).toBe(length);
  expect(positionOf(MOST_OCCURRENCES - 1)).toBeLessThanOrEqual(length);
});

test('a stretch of a replay begins with those seen before it, twice if they were repeated', () => {
  const stream = sampled(BigUint64Array.of(1n, 2n, 1n, 3n, 2n, 4n, 1n, 5n));
  const { fingerprints } = runAtOnce(replayOf(stream.trace as Trace, { mostOccurrences: 4 }));
  const stretches = [[1n], [1n, 2n, 1n], [1n, 1n, 3n, 2n], [2n, 2n, 4n, 1n]];
  expect([...fingerprints]).toEqual(stretches.flat());
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

  test('is computed for a stream that is longer than the sample, and tells no limit', async () => {
    const stream = sampled(recency(20_000, 1000));
    const plan = await planMeasured({ stream, lengthElements: 40_000, memory: 4096, fpr: 0.1 });
    expect(plan.measured).toBeUndefined();
    expect(plan).not.toHaveProperty('limit');
    const text = planText(plan);
    expect(text).toContain('limit       unknown: nothing is known of the stream beyond 20,000 elements');
    expect(text).toContain('computed, and extrapolated from the first 20,000 elements');
  });

  test('of partitions is computed', async () => {
    const stream = sampled(uniform(20_000, 8000));
    const plan = await planMeasured({ stream, partitions: 2, memory: 2 ** 14, fpr: 0.1 });
    expect(plan.measured).toBeUndefined();
    expect(plan.limit?.fpr).toBeGreaterThan(0);
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
    expect(leastFnrOf(grid, 1_000_000)(fpr)).toBeLessThan(fnr);
  });
});
