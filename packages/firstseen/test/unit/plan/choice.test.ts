// What `auto` chooses keeps its rate on every stream, and is chosen with few predictions.

import { describe, expect, test, vi } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import { DEFAULT_TARGET_FPR } from '../../../src/options/detector.js';
import { askedOf, type PlannedOptions } from '../../../src/plan/auto.js';
import { planSettings } from '../../../src/plan/autosettings.js';
import { boundOf } from '../../../src/plan/bound.js';
import { familyPlans } from '../../../src/plan/registry.js';
import { allDistinct } from '../../support/streams.js';

const requests: PlannedOptions[] = [
  { distinctElements: 100_003, memory: '1MiB' },
  { distinctElements: 1000, memory: '64MiB' },
  { distinctElements: 1e6, memory: 'auto', fpr: 0.01 },
  { distinctElements: 1e6, memory: '512KiB', fpr: 0.01 },
  { distinctElements: 1e9, memory: '64MiB' },
  { lengthElements: 1e6, distinctElements: 1000, memory: '64KiB', fpr: 0.3 },
  { lengthElements: 1e8, fpr: 1e-4 },
  { gapsElements: [10, 1000, 100_000], memory: '256KiB' },
  { distinctElements: 1e6, partitions: 8 },
  { layout: 'classic', memory: '1MiB' },
  { layout: 'classic', memory: '1MiB', fpr: 1e-9 },
  { distinctElements: 1e5, memory: '16KiB', fpr: 1e-12 },
];

/** Counts the predictions of a task. */
function predictionsOf(task: () => unknown): number {
  const courses = familyPlans.map((plan) => vi.spyOn(plan, 'course'));
  task();
  const count = courses.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  vi.restoreAllMocks();
  return count;
}

describe.each(requests)('auto for %o', (request) => {
  test('keeps the rate on every stream, and repeats its choice without a prediction', () => {
    const count = predictionsOf(() => planSettings(request));
    expect(count).toBeGreaterThan(0);
    // A prediction takes about half a millisecond.
    expect(count).toBeLessThan(200);
    const settings = planSettings(request);
    expect(boundOf(settings)).toBeLessThanOrEqual(request.fpr ?? DEFAULT_TARGET_FPR);
    expect(settings.family.name).not.toBe('exact');
    expect(predictionsOf(() => planSettings({ ...request, seed: 3 }))).toBe(0);
  });
});

test('a wrong hint loses no new elements', async () => {
  const detector = await Detector.ofSettings(planSettings({ distinctElements: 100_003, memory: '1MiB' }));
  const verdicts = detector.observeBatch(allDistinct(2_000_000));
  // At 1e-6, more than 20 false positives among two million come with probability 1e-13.
  expect(verdicts.reduce((sum, verdict) => sum + verdict, 0)).toBeLessThan(20);
});

test('without hints, nothing is predicted', () => {
  for (const fpr of [1e-8, 1e-6, 1e-3, 0.01, 0.3]) {
    expect('settings' in askedOf({ fpr })).toBe(true);
    expect(predictionsOf(() => planSettings({ fpr }))).toBe(0);
    expect(boundOf(planSettings({ fpr }))).toBeLessThanOrEqual(Math.min(fpr, 0.01));
  }
});

test('a detector whose rate is watched may rely on the hints', () => {
  const hints = { distinctElements: 100_003, memory: '1MiB' };
  expect(planSettings(hints, 'expected stream').family.name).toBe('bloom');
  expect(planSettings(hints).family.name).not.toBe('bloom');
});

test('the kept plans are bounded, and a plan that was dropped is made again', () => {
  const request = (n: number) => ({ distinctElements: 1000 + n, memory: '64KiB' });
  for (let n = 0; n < 70; n++) planSettings(request(n));
  expect(predictionsOf(() => planSettings(request(69)))).toBe(0);
  expect(predictionsOf(() => planSettings(request(0)))).toBeGreaterThan(0);
});
