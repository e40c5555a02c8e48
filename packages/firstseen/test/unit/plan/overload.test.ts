import { describe, expect, test } from 'vitest';
import type { FirstseenError } from '../../../src/base/errors.js';
import { Detector, kernelOf } from '../../../src/detectors/detector.js';
import { familyNames } from '../../../src/detectors/registry.js';
import { resolveSettings } from '../../../src/detectors/settings.js';
import { planSettings } from '../../../src/plan/autosettings.js';
import { isBoundWithin, OverloadWatch, predictedFpr, targetFprOf } from '../../../src/plan/overload.js';
import { inLongForm } from '../../support/form.js';
import { fingerprintOf } from '../../support/streams.js';

interface WatchedRun {
  detector: Detector;
  targetFpr: number;
  /** Elements of a batch. */
  batch: number;
  elements: (i: number) => bigint;
  length: number;
}

/** Observes as a run does; returns the warnings and the number of elements after each call of the watch. */
function observed({ detector, targetFpr, batch, elements, length }: WatchedRun) {
  const warnings: FirstseenError[] = [];
  const watch = new OverloadWatch(detector, { targetFpr, onWarning: (warning) => warnings.push(warning) });
  for (let start = 0; start < length; start += batch) {
    const count = Math.min(batch, length - start);
    for (let i = 0; i < count; i++) kernelOf(detector).fingerprints[i] = elements(start + i);
    for (let from = 0; from < count; ) {
      const some = Math.min(count - from, watch.elementsAhead());
      detector.observePlaced(some, from);
      from += some;
    }
  }
  return { warnings, overload: watch.atEnd() };
}

const bloom = { algorithm: 'bloom' as const, memory: '4KiB', fpr: 0.01, seed: 1 };

describe('the memory of hints', () => {
  test('is never less than without hints', () => {
    expect(planSettings({ distinctElements: 1e6 }).memoryBytes).toBe(2 ** 26);
    expect(planSettings({ lengthElements: 1000 }).memoryBytes).toBe(2 ** 26);
    expect(planSettings({ gapsElements: [10] }).memoryBytes).toBe(2 ** 26);
  });

  test('is more if they require it, and what was given', () => {
    expect(planSettings({ distinctElements: 1e8 }).memoryBytes).toBeGreaterThan(2 ** 26);
    expect(planSettings({ distinctElements: 1e4, memory: '1MiB' }).memoryBytes).toBe(2 ** 20);
  });

  test('is the least that suffices if that is asked for', () => {
    expect(planSettings({ distinctElements: 1e6, memory: 'auto' }).memoryBytes).toBe(2 ** 22);
    expect(() => planSettings({ memory: 'auto' })).toThrow('memory auto requires distinctElements');
    expect(() => planSettings({ algorithm: 'bloom', memory: 'auto' })).toThrow('memory auto requires algorithm auto');
    expect(() => planSettings({ window: 1000, memory: 'auto' })).toThrow('without window or refresh');
  });
});

describe('the target', () => {
  const settings = resolveSettings({});

  test.each([
    ['the rate that was given', { fpr: 0.01, algorithm: 'bloom' as const }, 0.01],
    ['that of auto', {}, 1e-6],
    ['that of a window', { window: 100 }, 1e-6],
    ['none with an algorithm by name', { algorithm: 'qht' as const }, undefined],
  ])('is %s', (_, asked, target) => expect(targetFprOf(asked, settings)).toBe(target));

  test('is unknown for another family without hints, whose options are unknown', () => {
    expect(targetFprOf({}, resolveSettings({ algorithm: 'rlbsbf' }))).toBeUndefined();
  });
});

describe('the bound of a family', () => {
  const asked = familyNames.flatMap((algorithm) =>
    [0.01, 1e-4, 1e-6].flatMap((fpr) => ['64KiB', '4MiB'].map((memory) => ({ algorithm, fpr, memory }))),
  );

  test('is known for these families, and not for a filter that fills', () => {
    const bounded = familyNames.filter((algorithm) => isBoundWithin(resolveSettings({ algorithm }), 2));
    const ofFingerprints = ['exact', 'buffer', 'exactwindow'];
    const others = ['sbf', 'sqf', 'dsqf', 'qht', 'apbf', 'pocket', 'pocketwindow'];
    expect(bounded.toSorted()).toEqual([...ofFingerprints, ...others].sort());
  });

  test('makes predictions needless: where it is within the target, so is the prediction for every stream', () => {
    let bounded = 0;
    for (const options of asked) {
      let settings: ReturnType<typeof resolveSettings>;
      try {
        settings = resolveSettings(options);
      } catch {
        // This memory is too little for the rate.
        continue;
      }
      if (!isBoundWithin(settings, options.fpr)) continue;
      bounded++;
      for (const elements of inLongForm([1000, 2 ** 20, 2 ** 40], [2 ** 30])) {
        expect(predictedFpr(settings, elements, elements)).toBeLessThanOrEqual(options.fpr);
      }
    }
    expect(bounded).toBeGreaterThan(10);
  });
});

describe('the watch', () => {
  test('finds the element after which the predicted rate exceeds the target, however the stream is cut', async () => {
    const found = [];
    for (const batch of [1, 1000, 16_384]) {
      const detector = await Detector.create(bloom);
      const { warnings, overload } = observed({
        detector,
        targetFpr: 0.01,
        batch,
        elements: (i) => fingerprintOf(i),
        length: 20_000,
      });
      expect(warnings).toHaveLength(1);
      expect(warnings[0]?.code).toBe('E_OVERLOAD');
      found.push(overload);
    }
    expect(found[1]).toEqual(found[0]);
    expect(found[2]).toEqual(found[0]);
    const since = found[0]?.sinceElements ?? 0;
    const { settings } = await Detector.create(bloom);
    expect(predictedFpr(settings, since * 0.98, since * 0.98)).toBeLessThan(0.01);
    expect(predictedFpr(settings, since * 1.02, since * 1.02)).toBeGreaterThan(0.01);
    expect(found[0]?.fpr).toBeGreaterThan(0.1);
  });

  test('warns of nothing when no elements come, and still tells the overload at the end', async () => {
    const detector = await Detector.create({ ...bloom, witness: true });
    observed({ detector, targetFpr: 0.01, batch: 1000, elements: (i) => fingerprintOf(i), length: 20_000 });
    const again = observed({ detector, targetFpr: 0.01, batch: 1000, elements: (i) => fingerprintOf(i), length: 0 });
    expect(again.warnings).toEqual([]);
    expect(again.overload).toMatchObject({ targetFpr: 0.01, sinceElements: 20_000 });
  });

  test('is silent while the stream repeats itself', async () => {
    const detector = await Detector.create(bloom);
    const elements = (i: number) => fingerprintOf(i % 1000);
    expect(observed({ detector, targetFpr: 0.01, batch: 16_384, elements, length: 300_000 })).toEqual({
      warnings: [],
      overload: undefined,
    });
  });

  test('believes the witness where nothing is predicted', async () => {
    // A ring for a rate far above the target.
    const detector = await Detector.create({ window: '1h', memory: '4KiB', fpr: 0.2, witness: true });
    const elements = (i: number) => fingerprintOf(i);
    const { warnings, overload } = observed({ detector, targetFpr: 0.01, batch: 4096, elements, length: 50_000 });
    expect(overload).toMatchObject({ evidence: 'measured', targetFpr: 0.01 });
    expect(warnings[0]?.message).toMatch(/its measured rate, 0\.\d+, of false positives exceeds the target 0\.01/);
  });

  test('takes no noise for an overload: a detector at its target, looked at along many streams', async () => {
    let alarms = 0;
    for (let seed = 0; seed < inLongForm(20, 8); seed++) {
      const options = {
        algorithm: 'fpbuffer' as const,
        memory: '64KiB',
        parameters: { q: 0.001 },
        witness: { memory: '40KiB' },
      };
      const detector = await Detector.create({ ...options, seed });
      const elements = (i: number) => fingerprintOf(i + seed * 1e6);
      const run = observed({ detector, targetFpr: 0.001, batch: 16_384, elements, length: 100_000 });
      alarms += run.warnings.length;
    }
    expect(alarms).toBe(0);
  });
});
