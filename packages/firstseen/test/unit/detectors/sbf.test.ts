import { describe, expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { cellChain } from '../../../src/detectors/cellchain.js';
import { meanMissRate, stableRate, victimsForRate } from '../../../src/detectors/sbf.js';
import { type DetectorOptions, resolveSettings } from '../../../src/detectors/settings.js';

/** Enough cells that 1/m is negligible compared with 1/K, as in the paper. */
const m = 1e7;
const maxChoices = [1, 3, 7];

function resolved(options: DetectorOptions): Record<string, number | string> {
  return resolveSettings({ algorithm: 'sbf', layout: 'classic', ...options }).parameters.values;
}

function binomial(n: number, j: number): number {
  let ways = 1;
  for (let i = 1; i <= j; i++) ways *= (n - j + i) / i;
  return ways;
}

/** deng-2006, eq. 10 and 12: at least Max decrements within `elements` elements. */
function decrementedToZero(elements: number, p: number, Max: number): number {
  let sum = 0;
  for (let j = Max; j <= elements; j++) sum += binomial(elements, j) * p ** j * (1 - p) ** (elements - j);
  return sum;
}

/** deng-2006, eq. 9 to 13, as printed. */
function printedZeroProbability(gap: number, p: number, k: number, Max: number): number {
  let sum = decrementedToZero(gap, p, Max) * (1 - k) ** gap;
  for (let l = Max; l < gap; l++) sum += decrementedToZero(l, p, Max) * (1 - k) ** l * k;
  return sum;
}

describe('P for a rate (deng-2006, eq. 17)', () => {
  test('is rounded up: 10.9 for FPS 0.01, Max 1, K 3, where the paper prints 10', () => {
    expect(victimsForRate(0.01, { Max: 1, K: 3, m })).toBe(11);
    expect(stableRate({ Max: 1, K: 3, P: 10, m })).toBeGreaterThan(0.01);
    expect(stableRate({ Max: 1, K: 3, P: 11, m })).toBeLessThanOrEqual(0.01);
  });

  test('is 5 for FPS 0.1, Max 1, K 2, where the paper uses 4', () => {
    expect(victimsForRate(0.1, { Max: 1, K: 2, m })).toBe(5);
    expect(stableRate({ Max: 1, K: 2, P: 4, m })).toBeGreaterThan(0.1);
  });

  test('is the smallest P that meets the rate, over a grid', () => {
    for (const fps of [0.5, 0.2, 0.1, 0.03, 0.01, 0.001, 1e-6]) {
      for (const Max of maxChoices) {
        for (let K = 1; K <= 10; K++) {
          for (const cells of [168, 1000, 1e5, 1e9]) {
            const P = victimsForRate(fps, { Max, K, m: cells });
            // Rounding can raise a P that is exactly an integer by this little.
            expect(stableRate({ Max, K, P, m: cells })).toBeLessThanOrEqual(fps * (1 + 1e-7));
            expect(stableRate({ Max, K, P: P - 1, m: cells })).toBeGreaterThan(fps);
          }
        }
      }
    }
  });
});

describe('the rate of a P (deng-2006, eq. 8)', () => {
  test('is one minus the stable share of zeros, to the power of K', () => {
    // By hand: m = 10, K = 2, P = 5, Max = 1: zeros 1 / (1 + 1 / (5 * 0.4)) = 2/3.
    expect(stableRate({ Max: 1, K: 2, P: 5, m: 10 })).toBeCloseTo((1 / 3) ** 2, 12);
    expect(stableRate({ Max: 3, K: 1, P: 5, m: 10 / 6 })).toBeCloseTo(1 - (2 / 3) ** 3, 12);
  });

  test('is 1 when nothing is ever decremented', () => {
    expect(stableRate({ Max: 1, K: 3, P: 0, m })).toBe(1);
  });
});

function cellZeroProbability(gap: number, p: number, k: number, Max: number): number {
  return cellChain(p, k, Max)(gap, Max);
}

describe('the chance that a cell is zero after a gap', () => {
  test.each(maxChoices)('is the sum of deng-2006, eq. 9 to 13, for Max %i', (Max) => {
    for (const gap of [1, 2, 3, 5, 8, 20, 41]) {
      for (const [p, k] of [
        [0.3, 0.1],
        [0.05, 0.02],
        [0.9, 0.001],
      ] as const) {
        expect(cellZeroProbability(gap, p, k, Max)).toBeCloseTo(printedZeroProbability(gap, p, k, Max), 12);
      }
    }
  });

  test.each(maxChoices)('is zero for gaps under Max %i', (Max) => {
    expect(cellZeroProbability(Max - 1, 0.5, 0.1, Max)).toBe(0);
    expect(cellZeroProbability(Max, 0.5, 0.1, Max)).toBeGreaterThan(0);
  });

  test.each(maxChoices)('tends to the stable share of zeros of deng-2006, eq. 7, for Max %i', (Max) => {
    const [p, k] = [1e-5, 2e-6];
    const stable = (1 / (1 + 1 / (p * (1 / k - 1)))) ** Max;
    expect(cellZeroProbability(10 ** 9, p, k, Max)).toBeCloseTo(stable, 6);
  });

  test('is the rate of misses of one cell, and that of K cells is higher', () => {
    const one = meanMissRate({ Max: 1, K: 1, P: 10, m: 1000 }, [50], 0);
    expect(one).toBeCloseTo(cellZeroProbability(50, 0.01, 0.001, 1), 12);
    expect(meanMissRate({ Max: 1, K: 2, P: 10, m: 2000 }, [50], 0)).toBeCloseTo(
      1 - (1 - cellZeroProbability(50, 0.005, 0.001, 1)) ** 2,
      12,
    );
  });

  test('is averaged over the gaps', () => {
    const parameters = { Max: 3, K: 2, P: 20, m: 5000 };
    const [near, far] = [10, 1000].map((gap) => meanMissRate(parameters, [gap], 0)) as [number, number];
    expect(meanMissRate(parameters, [10, 1000], 0)).toBeCloseTo((near + far) / 2, 12);
    expect(near).toBeLessThan(far);
  });
});

describe('K without knowledge of the stream', () => {
  test.each([
    { fpr: 0.2, Max: 1, least: 1, most: 2 },
    { fpr: 0.1, Max: 1, least: 2, most: 2 },
    { fpr: 0.1, Max: 3, least: 2, most: 3 },
    { fpr: 0.01, Max: 1, least: 3, most: 3 },
    { fpr: 0.01, Max: 3, least: 4, most: 5 },
  ])('is $least to $most for FPS $fpr and Max $Max, as the paper observes', ({ fpr, Max, least, most }) => {
    for (const memory of ['16KiB', '1MiB', '64MiB', '1GiB']) {
      for (const layout of ['classic', 'blocked'] as const) {
        const K = resolved({ memory, layout, fpr, parameters: { Max } }).K as number;
        expect(K).toBeGreaterThanOrEqual(least);
        expect(K).toBeLessThanOrEqual(most);
      }
    }
  });

  test('implies Max 1, as the paper suggests', () => {
    for (const fpr of [0.2, 0.1, 0.01, 0.001])
      expect(resolved({ memory: '1MiB', fpr })).toMatchObject({ Max: 1, d: 1 });
  });
});

describe('Max from the gaps', () => {
  test.each(['classic', 'blocked'] as const)('is above 1 for short gaps, 1 for long gaps (%s)', (layout) => {
    const cells = 2 ** 20 * 8;
    const short = resolved({ memory: '1MiB', fpr: 0.01, layout, gapsElements: [Math.round(cells / 1000)] });
    const long = resolved({ memory: '1MiB', fpr: 0.01, layout, gapsElements: [cells / 4] });
    expect(short.Max).toBeGreaterThan(1);
    expect(long.Max).toBe(1);
  });

  test('never requires more victims than there are cells or draws', () => {
    // Gaps so short that even K = 1 misses nothing: its P would be 300 for a cache line with 256 such cells.
    const request = { memory: '1MiB', fpr: 0.01, gapsElements: [2] };
    expect(resolved({ ...request, layout: 'classic' })).toMatchObject({ Max: 3, K: 1, P: 298 });
    expect(resolved({ ...request, layout: 'blocked' }).P).toBeLessThanOrEqual(256);
    const parameters = { Max: 7, victims: 'independent' };
    expect(resolved({ memory: '1MiB', fpr: 0.001, parameters, gapsElements: [2] }).P).toBeLessThanOrEqual(1000);
  });

  test('is the one with the fewest misses', () => {
    const gapsElements = [500, 5000, 50_000];
    const chosen = resolved({ memory: '64KiB', fpr: 0.05, gapsElements });
    const missRates = maxChoices.map((Max) => {
      const { K, P, m: cells } = resolved({ memory: '64KiB', fpr: 0.05, gapsElements, parameters: { Max } });
      return meanMissRate({ Max, K: Number(K), P: Number(P), m: Number(cells) }, gapsElements, 0);
    });
    expect(maxChoices[missRates.indexOf(Math.min(...missRates))]).toBe(chosen.Max);
  });
});

describe('resolved settings', () => {
  test('keep the requested rate', () => {
    for (const layout of ['classic', 'blocked'] as const) {
      for (const fpr of [0.5, 0.1, 0.01, 0.001]) {
        expect(resolved({ memory: '1MiB', fpr, layout }).FPS).toBeLessThanOrEqual(fpr * (1 + 1e-7));
      }
    }
  });

  test.each([
    { parameters: { Max: 1 }, layout: 'classic', cells: 64 * 128 },
    { parameters: { Max: 3 }, layout: 'classic', cells: 32 * 128 },
    { parameters: { Max: 7 }, layout: 'classic', cells: 21 * 128 },
    { parameters: { Max: 1 }, layout: 'blocked', cells: 512 },
    { parameters: { d: 3 }, layout: 'blocked', cells: 168 },
  ] as const)('counts the cells of $layout with $parameters', ({ parameters, layout, cells }) => {
    expect(resolved({ memory: 1024, layout, parameters }).m).toBe(cells);
  });

  test('use the given values', () => {
    const given = { Max: 3, K: 6, P: 17, victims: 'independent' };
    expect(resolved({ memory: '1MiB', parameters: given })).toMatchObject({ ...given, d: 2 });
    expect(resolved({ memory: '1MiB', parameters: { d: 2, K: 6 } })).toMatchObject({ Max: 3, d: 2, K: 6 });
  });

  test.each([
    [{ Max: 2 }, 'parameters.Max is 2, but must be 1, 3 or 7 (2^d - 1)'],
    [{ d: 4 }, 'parameters.d is 4, but must be a whole number from 1 to 3'],
    [{ d: 2, Max: 1 }, 'parameters.Max is 1, but must be 2^d - 1 = 3; leave out either it or parameters.d'],
    [{ K: 0 }, 'parameters.K is 0, but must be a whole number from 1 to 64'],
    [{ P: 9000 }, 'parameters.P is 9000, but must be a whole number from 0 to 8192'],
    [{ P: 1001, victims: 'independent' }, 'parameters.P is 1001, but must be a whole number from 0 to 1000'],
    [{ victims: 'all' }, 'parameters.victims is "all", but must be one of adjacent, independent'],
  ])('refuses %j', (parameters, message) => {
    const request = () => resolved({ memory: 1024, parameters: parameters as Record<string, number | string> });
    expect(request).toThrow(FirstseenError);
    expect(request).toThrow(message);
  });

  test('use no more victims than the kernel can count, however many cells there are', () => {
    const request = (P: number) => () => resolved({ memory: '1GiB', parameters: { K: 1, P } });
    expect(request(2 ** 32 - 1)).not.toThrow();
    expect(request(2 ** 32)).toThrow('parameters.P is 4294967296, but must be a whole number from 0 to 4294967295');
  });
});
