// Plans that take seconds.

import { describe, expect, test } from 'vitest';
import type { Prediction } from '../../../src/plan/predict.js';
import { uniformStream, universeOf } from '../../../src/plan/stream.js';
import { planSync } from '../../support/plan.js';

describe('a plan', () => {
  test('explains its choice if another family has insignificantly fewer errors', () => {
    const { why, recommended } = planSync({
      memory: '64KiB',
      fpr: 0.01,
      stream: uniformStream(20_000, universeOf(20_000, 3000)),
    });
    expect(recommended.algorithm).toBe('bloom');
    expect(why).toMatch(
      /its FPR \+ FNR, .* is as good as the least, .* by exact, and the blocked layout is the faster/,
    );
  });

  test('counts the values of a bucket with very many elements at once', () => {
    // One by one, this took minutes.
    const long = planSync({ memory: '1MiB', fpr: 1e-3, lengthElements: 1e12 });
    const { prediction } = long.families.find(({ algorithm }) => algorithm === 'sqf') as (typeof long.families)[number];
    expect(prediction.fnr).toBeGreaterThan(0.99);
    expect(prediction.fnr).toBeLessThanOrEqual(1);
  }, 120_000);
});

describe('auto', () => {
  const targets = [
    { memory: '64MiB', fpr: 0.001 },
    { memory: '1GiB', fpr: 0.01 },
    { memory: '1MiB', fpr: 0.3 },
  ];

  test.each(targets)(
    'without hints has at most 3 % more errors than the best that the planner finds for %o',
    (options) => {
      const { recommended, fewestErrors, isAuto } = planSync(options);
      expect(isAuto).toBe(true);
      const errorsOf = ({ fpr, fnr }: Prediction) => fpr + fnr;
      expect(errorsOf(recommended.prediction)).toBeLessThan(1.03 * errorsOf(fewestErrors.prediction));
    },
  );
});
