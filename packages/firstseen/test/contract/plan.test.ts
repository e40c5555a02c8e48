import { describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { resolveSettings } from '../../src/detectors/settings.js';
import { COARSE, gridOf } from '../../src/plan/grid.js';
import { predictionOf } from '../../src/plan/predict.js';
import { familyPlans } from '../../src/plan/registry.js';
import { uniformStream } from '../../src/plan/stream.js';

const LENGTH = 100_000;
const stream = uniformStream(LENGTH, 60_000);
const grid = gridOf(stream, COARSE);
const goal = { memoryBytes: 2 ** 17, fpr: 0.05, distinctElements: stream.distinctIn(LENGTH) };

describe('the registry of plans', () => {
  test('has the same families as the registry of detectors, in the same order', () => {
    expect(familyPlans.map(({ name }) => name)).toEqual(families.map(({ name }) => name));
  });

  test.each(familyPlans)('$name has candidates that make detectors, in every layout of the family', (family) => {
    const candidates = [...family.candidates(goal)];
    const layouts = families.find(({ name }) => name === family.name)?.layouts ?? [];
    expect([...new Set(candidates.map(({ layout }) => layout))].sort()).toEqual([...layouts].sort());
    for (const candidate of candidates) {
      const settings = resolveSettings({ algorithm: family.name, memory: goal.memoryBytes, ...candidate });
      expect(settings.parameters.values).toMatchObject(candidate.parameters);
    }
  });

  test.each(familyPlans)('$name predicts only rates from 0 to 1', (family) => {
    for (const candidate of [...family.candidates(goal)].slice(0, 6)) {
      const settings = resolveSettings({ algorithm: family.name, memory: goal.memoryBytes, ...candidate });
      const { fpr, fnr, load, byGap, overTime } = predictionOf(family.course(settings, grid), grid);
      const rates = [fpr, fnr, load, ...byGap.map((row) => row.fnr), ...overTime.flatMap((row) => [row.load, row.fpr])];
      for (const rate of rates) {
        expect(rate).toBeGreaterThanOrEqual(0);
        expect(rate).toBeLessThanOrEqual(1);
      }
      expect(byGap.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
      expect(byGap.at(-1)?.toElements).toBe(LENGTH);
    }
  });
});
