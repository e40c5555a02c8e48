import { describe, expect, test } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import { bundledSlices, cacheLinesRead, maxAdds, runRate } from '../../../src/detectors/ring.js';
import { type DetectorOptions, ownParameters, resolveSettings } from '../../../src/detectors/settings.js';
import { load } from '../../../src/snapshot/load.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { numberOf } from '../../reference/twin.js';
import { fingerprintOf } from '../../support/streams.js';

const resolved = (options: DetectorOptions) => resolveSettings({ algorithm: 'apbf', ...options });
const problem = (options: DetectorOptions) => () => resolved(options);

/** r_i as defined in the paper, section on false positives. */
function paperShares(k: number, l: number): number[] {
  return Array.from({ length: k + l }, (_, i) => (i < k ? (i + 1) / (2 * k) : 0.5));
}

/** F as defined in the paper. */
function paperRate(k: number, l: number, shares: readonly number[], a = 0, i = 0): number {
  if (a === k) return 1;
  if (i > l + a) return 0;
  const share = shares[i] as number;
  return share * paperRate(k, l, shares, a + 1, i + 1) + (1 - share) * paperRate(k, l, shares, 0, i + 1);
}

describe('the rate of false positives', () => {
  test.each([
    [1, 1],
    [3, 5],
    [4, 3],
    [6, 9],
  ])('is F(0, 0) of the paper for k = %i, l = %i', (k, l) => {
    expect(runRate(k, paperShares(k, l))).toBeCloseTo(paperRate(k, l, paperShares(k, l)), 12);
  });

  // The pairs that the paper recommends for each rate.
  test.each([
    [0.1, 4, 3],
    [0.1, 5, 7],
    [0.1, 6, 14],
    [0.01, 7, 5],
    [0.01, 8, 8],
    [0.01, 10, 25],
    [0.001, 10, 7],
    [0.001, 13, 23],
    [0.0001, 14, 11],
    [0.0001, 17, 37],
  ])('is near %d for the pair k = %i, l = %i of the paper', (fpr, k, l) => {
    expect(runRate(k, paperShares(k, l)) / fpr).toBeGreaterThan(0.75);
    expect(runRate(k, paperShares(k, l)) / fpr).toBeLessThan(1.25);
  });
});

describe('the lines that an element reads', () => {
  const shape = (k: number, l: number, parts = 1) => ({ k, l, bits: 64, parts });

  test.each([
    { k: 1, l: 63, bundled: 8, cacheLines: 8 },
    { k: 10, l: 52, bundled: 4, cacheLines: 17 },
    { k: 8, l: 24, bundled: 4, cacheLines: 8 },
    { k: 8, l: 23, bundled: 2, cacheLines: 16 },
    { k: 4, l: 3, bundled: 1, cacheLines: 7 },
  ])('are $lines in the classic layout for k = $k, l = $l', ({ k, l, bundled, cacheLines }) => {
    expect(bundledSlices(shape(k, l))).toBe(bundled);
    expect(cacheLinesRead(shape(k, l))).toBe(cacheLines);
  });

  test('are one line in the blocked layout', () => {
    expect(cacheLinesRead(shape(6, 9, 1000))).toBe(1);
  });

  test.each([0.1, 0.01, 0.001, 1e-6])('are fewer for at most a twentieth of the window at %d', (fpr) => {
    const memoryBytes = 2 ** 20;
    const settings = resolved({ layout: 'classic', memory: memoryBytes, fpr });
    const [k, l, W] = ['k', 'l', 'W'].map((letter) => numberOf(settings, letter)) as [number, number, number];
    expect(cacheLinesRead(shape(k, l))).toBeLessThanOrEqual(14);
    for (let young = 1; young <= 32; young++) {
      for (let older = young; young + older <= 64; older += young) {
        const bits = Math.floor(memoryBytes / 8 / (young + older)) * 64;
        const window = older * maxAdds({ ...shape(young, older), bits }, fpr);
        expect(W).toBeGreaterThanOrEqual(Math.floor(0.95 * window));
      }
    }
  });
});

describe('parameters of apbf', () => {
  test.each(['classic', 'blocked'] as const)('cover the requested window in %s', (layout) => {
    for (const window of [1, 999, 20_000]) {
      const settings = resolved({ layout, memory: '1MiB', window });
      expect(numberOf(settings, 'l') * numberOf(settings, 'g')).toBeGreaterThanOrEqual(window);
      expect(numberOf(settings, 'l') * (numberOf(settings, 'g') - 1)).toBeLessThan(window);
    }
  });

  test.each(['classic', 'blocked'] as const)('keep the rate over the largest window in %s', (layout) => {
    for (const fpr of [0.1, 0.01, 1e-4, 1e-6]) {
      const settings = resolved({ layout, memory: '1MiB', fpr });
      const [k, l, g] = ['k', 'l', 'g'].map((letter) => numberOf(settings, letter)) as [number, number, number];
      expect(numberOf(settings, 'FPR')).toBeLessThanOrEqual(fpr);
      const more = resolved({ layout, memory: '1MiB', parameters: { k, l, g: g + 5 } });
      expect(numberOf(more, 'FPR')).toBeGreaterThan(fpr);
    }
  });

  test('give a smaller window for a smaller rate, and a larger one for more memory', () => {
    const windowOf = (options: DetectorOptions) => numberOf(resolved(options), 'W');
    expect(windowOf({ fpr: 1e-6 })).toBeLessThan(windowOf({ fpr: 1e-3 }));
    expect(windowOf({ memory: '128MiB' })).toBeGreaterThan(1.99 * windowOf({ memory: '64MiB' }));
  });

  test('define a window in time with a clock', () => {
    const settings = resolved({ window: '1h' });
    expect(numberOf(settings, 't')).toBe(Math.ceil(3_600_000 / numberOf(settings, 'l')));
    expect(settings.parameters.isTimed).toBe(true);
    expect(resolved({ window: '1e3' })).toEqual(resolved({ window: 1000 }));
    expect(resolved({ window: '1000' }).parameters).toMatchObject({ isTimed: false, values: { t: 0 } });
  });

  test('are implied by a window or by refresh', () => {
    expect(resolveSettings({ window: 1000 }).family.name).toBe('apbf');
    expect(resolveSettings({ refresh: false }).family.name).toBe('apbf');
    expect(resolved({ refresh: true }).parameters.values.refresh).toBe('yes');
    expect(resolved({}).parameters.values.refresh).toBe('no');
  });

  test('create the same detector when they are passed again', () => {
    for (const options of [{ window: 5000, fpr: 0.001 }, { window: '3d' }, { refresh: true }]) {
      const settings = resolved({ memory: '1MiB', ...options });
      expect(resolved({ memory: '1MiB', parameters: ownParameters(settings) })).toEqual(settings);
    }
  });
});

describe('impossible requests', () => {
  test('report the largest window for the memory, and another layout that holds more', () => {
    expect(problem({ window: 10_000_000, fpr: 1e-6 })).toThrow(
      /^64MiB in the blocked layout holds a window of 3,681,500 elements at a rate of 0.000001, but 10,000,000 was asked for; .* or layout classic, which holds 10,666,086$/,
    );
    expect(problem({ window: 3_681_500, fpr: 1e-6 })).not.toThrow();
    expect(problem({ fpr: 1e-300, memory: 1024 })).toThrow(/^1KiB in the blocked layout holds a window of 0 elements/);
  });

  test.each<[DetectorOptions, string]>([
    [{ window: 0 }, 'window is 0, but must be a whole number of elements'],
    [{ window: 1.5 }, 'window is 1.5, but must'],
    [{ window: '1w' }, 'window is "1w", but must'],
    [{ window: '0.1ms' }, 'window is "0.1ms", but must'],
    [{ window: '0.00001m' }, 'window is "0.00001m", but must'],
    [{ window: '100%' }, 'window is "100%", but must'],
    [
      { window: '10M' },
      'window is "10M", which could be minutes or millions of elements; write 10m for minutes, or 10e6 for millions',
    ],
    [{ refresh: 'yes' as unknown as boolean }, 'refresh is "yes", but must be true or false'],
    [
      { algorithm: 'bloom', window: 5 },
      'window was given, but bloom has no window; leave it out, or choose algorithm apbf',
    ],
    [
      { algorithm: 'bloom', refresh: true },
      'refresh was given, but bloom has no window; leave it out, or choose algorithm apbf',
    ],
    [
      { refresh: true, parameters: { refresh: 'no' } },
      'parameters.refresh is "no", but must be the same as refresh; leave one of them out',
    ],
    [
      { window: 100, parameters: { l: 3, g: 33 } },
      'parameters.g is 33, but must be at least 34 for a window of 100 elements over l = 3 generations; leave out either it or window',
    ],
    [
      { window: 100, parameters: { t: 5 } },
      'parameters.t is 5, but must be 0 for a window of elements; leave out either it or window',
    ],
    [
      { window: '1h', parameters: { l: 3, t: 1000 } },
      'parameters.t is 1000, but must be at least 1200000 for this window over l = 3 generations; leave out either it or window',
    ],
    [{ parameters: { k: 10, l: 6 } }, 'parameters.l is 6, but must be a whole number from 1 to 5'],
    [{ layout: 'classic', parameters: { k: 64 } }, 'parameters.k is 64, but must be a whole number from 1 to 63'],
  ])('%j is refused', (options, message) => {
    expect(problem(options)).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
    expect(problem(options)).toThrow(message);
  });
});

test.each([['10k'], ['10K'], ['1e4'], ['10,000']])('a window of %s is one of 10,000 elements', (window) => {
  expect(resolveSettings({ window, memory: '1MiB' })).toEqual(resolveSettings({ window: 10_000, memory: '1MiB' }));
});

describe('the clock', () => {
  const hour = 3_600_000;
  const options: DetectorOptions = { window: '1h', memory: 4096, seed: 3 };

  test('forgets by time only', async () => {
    const detector = await Detector.create(options);
    detector.advance(10 * hour);
    expect(detector.observe('a')).toBe('distinct');
    detector.advance(11 * hour);
    expect(detector.test('a')).toBe('duplicate');
    detector.advance(13 * hour);
    expect(detector.observe('a')).toBe('distinct');
  });

  test('never goes back', async () => {
    const detector = await Detector.create(options);
    detector.advance(10 * hour);
    detector.observe('a');
    detector.advance(3 * hour);
    expect(detector.observe('a')).toBe('duplicate');
    detector.advance(11 * hour);
    expect(detector.test('a')).toBe('duplicate');
  });

  test('is part of a snapshot', async () => {
    const detector = await Detector.create(options);
    for (let i = 0; i < 300; i++) {
      detector.advance(i * 100_000);
      detector.observe(`key ${i}`);
    }
    const later = await load(await save(detector), { clock: 'manual' });
    for (let i = 270; i < 400; i++) {
      for (const each of [detector, later]) each.advance(i * 100_000);
      expect(later.observe(`key ${i}`)).toBe(detector.observe(`key ${i}`));
    }
    expect(await save(later)).toEqual(await save(detector));
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 10 ** 14, '5' as unknown as number])(
    'refuses %s',
    async (time) => {
      const detector = await Detector.create(options);
      expect(() => detector.advance(time)).toThrow(
        `timeMilliseconds is ${JSON.stringify(time) === '"5"' ? '"5"' : time}, but must be a number of milliseconds since 1970`,
      );
    },
  );

  test('is refused for a window of elements', async () => {
    const detector = await Detector.create({ window: 100, memory: 4096 });
    expect(() => detector.advance(1)).toThrow(
      'a time was given, but the window of this apbf is not a duration; create the detector with window 1h, or another duration',
    );
  });
});

describe('how sharp a window is', () => {
  const window = { window: 1000, memory: '1MiB', fpr: 0.01 };

  test('follows from its slices', () => {
    const { values, band } = resolveSettings(window).parameters;
    const [k, l, g] = [Number(values.k), Number(values.l), Number(values.g)];
    expect(band).toEqual({ fromElements: l * g, toElements: (k + l) * g });
    const timed = resolveSettings({ window: '1h', memory: '1MiB' }).parameters;
    expect(timed.band).toEqual({
      fromMilliseconds: Number(timed.values.l) * Number(timed.values.t),
      toMilliseconds: (Number(timed.values.k) + Number(timed.values.l)) * Number(timed.values.t),
    });
  });

  test.each([0.5, 0.1, 0.02])('is at most the slack %d', (windowSlack) => {
    const { parameters, layout } = resolveSettings({ ...window, windowSlack });
    const { fromElements, toElements } = parameters.band as { fromElements: number; toElements: number };
    expect(toElements - fromElements).toBeLessThanOrEqual(windowSlack * fromElements);
    expect(layout).toBe('classic');
    expect(Number(parameters.values.FPR)).toBeLessThanOrEqual(0.01);
  });

  test('holds for the detector: nothing is lost before the band, nothing is kept after it', async () => {
    const detector = await Detector.create({ ...window, fpr: 1e-4, windowSlack: 0.1 });
    const { band } = detector.settings.parameters;
    const { fromElements, toElements } = band as { fromElements: number; toElements: number };
    const stream = BigUint64Array.from({ length: 3 * toElements }, (_, i) => fingerprintOf(i));
    detector.observeBatch(stream);
    const age = (elements: number) => stream.subarray(stream.length - elements);
    expect(detector.testBatch(age(fromElements)).every((verdict) => verdict === 1)).toBe(true);
    const kept = detector.testBatch(stream.subarray(0, stream.length - toElements)).filter((verdict) => verdict === 1);
    expect(kept.length).toBeLessThan(5);
  });

  test('is refused where a ring has too few slices, or the memory is too small', () => {
    expect(() => resolveSettings({ ...window, layout: 'blocked', windowSlack: 0.02 })).toThrow(
      'windowSlack is 0.02, but must be at least 0.071, because a ring in the blocked layout has at most 15 slices',
    );
    expect(() => resolveSettings({ ...window, memory: '16KiB', windowSlack: 0.02 })).toThrow(
      /16KiB in the classic layout holds .* give windowSlack 0\.\d+, more memory or a higher fpr/,
    );
    expect(() => resolveSettings({ algorithm: 'qht', windowSlack: 0.02 })).toThrow('but qht has no window');
  });
});
