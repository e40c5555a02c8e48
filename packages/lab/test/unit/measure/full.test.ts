// The memory is far too small for the stream. Every bit is set, and predictions must not fail from rounding errors.

import { COARSE, familyPlans, gridOf, predictionOf, resolveSettings } from 'firstseen/internal';
import { families } from 'firstseen/plan';
import { describe, expect, test } from 'vitest';
import { resolveStream } from '../../../src/streams/registry.js';

const lengthElements = 3_000_000;
const settings = { universeElements: 10 * lengthElements, distinctShare: 0.6 };
const resolved = await resolveStream({ kind: 'zipf', lengthElements, seed: 1, settings });
const grid = gridOf(await resolved.model(), COARSE);

describe('in 1 KiB for 3 million draws of Zipf', () => {
  test.each(familyPlans)('the predicted rates of $name are from 0 to 1', ({ name, course }) => {
    const [layout] = families.find((family) => family.name === name)?.layouts ?? [];
    const detector = resolveSettings({ algorithm: name, ...(layout ? { layout } : {}), memory: 1024 });
    const { fpr, fnr } = predictionOf(course(detector, grid), grid);
    expect(fpr).toBeGreaterThanOrEqual(0);
    expect(fpr).toBeLessThanOrEqual(1 + 1e-9);
    expect(fnr).toBeGreaterThanOrEqual(0);
    expect(fnr).toBeLessThanOrEqual(1 + 1e-9);
  });
});
