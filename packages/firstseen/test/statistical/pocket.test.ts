// The generations of pockets follow the stream.

import { expect, test } from 'vitest';
import { createDetector } from '../support/cases.js';
import { allDistinct, Random } from '../support/streams.js';

test('after a long phase of repeats, seven tenths of the slots are remembered again', async () => {
  const detector = await createDetector({ algorithm: 'pocket', memory: '256KiB', fpr: 1e-4, seed: 1 });
  const capacity = Number(detector.settings.parameters.values.k) * 2048;
  const half = Math.floor(capacity / 2);
  detector.observeBatch(allDistinct(2 * capacity));
  const few = allDistinct(half, 2 * capacity);
  // Hits of few elements fill a generation slowly, and few entries get its oldest age, so generations grow.
  for (let round = 0; round < 100; round++) detector.observeBatch(few);
  let next = 2 * capacity + half;
  const missedOf = (count: number) => {
    detector.observeBatch(allDistinct(count, next));
    next += count;
    const back = Math.floor(0.7 * capacity);
    return detector.testBatch(allDistinct(1000, next - back)).filter((verdict) => verdict === 0).length;
  };
  const missed = Array.from({ length: 20 }, () => missedOf(half));
  expect(missed.slice(2, 6).some((count) => count > 20)).toBe(true);
  // At 0.7 of the slots, the model has less than one miss in 10,000.
  expect(missed.slice(14)).toEqual([0, 0, 0, 0, 0, 0]);
});

test.each([
  [0, 0.7],
  [4, 0.5],
])('the bound holds with entry age %d where many elements come round and round', async (j, share) => {
  const detector = await createDetector({
    algorithm: 'pocket',
    memory: '16KiB',
    seed: 1,
    parameters: { r: 8, k: 47, j },
  });
  const { k, FPR } = detector.settings.parameters.values;
  const capacity = Number(k) * 128;
  const round = Math.floor(0.7 * capacity);
  const random = new Random(2);
  let [next, turn] = [round, 0];
  const elements = allDistinct(14 * capacity);
  const known = elements.slice();
  for (const i of elements.keys()) {
    elements[i] = known[random.below(10) < 10 * share ? turn++ % round : next++] as bigint;
  }
  detector.observeBatch(elements);
  const tested = 2_000_000;
  const found = detector.testBatch(allDistinct(tested, known.length)).reduce((sum, verdict) => sum + verdict, 0);
  // A quarter of the entries in their second pocket would give 0.81 of the bound.
  expect(found / tested).toBeGreaterThan(0.85 * Number(FPR));
  expect(found / tested).toBeLessThan(Number(FPR));
});
