import { describe, expect, test } from 'vitest';
import { filterCountForRate } from '../../../src/detectors/filters.js';
import { type DetectorOptions, resolveSettings } from '../../../src/detectors/settings.js';

function resolved(options: DetectorOptions): Record<string, number | string> {
  return resolveSettings({ algorithm: 'bsbf', memory: 4096, ...options }).parameters.values;
}

describe('k for a rate (bera-2012, eq. 6.1)', () => {
  test.each([
    // ln 0.1 / ln(1 - 1/e) is 5.02; its mean with 1 is 3.01.
    [0.1, 3],
    // 10.04 and 5.52.
    [0.01, 6],
    // 1.51 and 1.26.
    [0.5, 1],
    [0.99, 1],
  ])('of %d is %i', (fpr, k) => {
    expect(filterCountForRate(fpr)).toBe(k);
  });

  test('is used if a rate is requested, unless k is given', () => {
    expect(resolved({})).toMatchObject({ k: 2 });
    expect(resolved({ fpr: 0.1 })).toMatchObject({ k: 3 });
    expect(resolved({ fpr: 0.1, parameters: { k: 5 } })).toMatchObject({ k: 5 });
  });
});

describe('s', () => {
  test.each([
    { memory: 4096, layout: 'classic', k: 2, s: 16_384 },
    // 512 words, 170 for each filter.
    { memory: 4096, layout: 'classic', k: 3, s: 170 * 64 },
    { memory: 4103, layout: 'classic', k: 1, s: 512 * 64 },
    // 64 cache lines with 170 bits for each filter.
    { memory: 4096, layout: 'blocked', k: 3, s: 64 * 170 },
    { memory: 4159, layout: 'blocked', k: 64, s: 64 * 8 },
    { memory: 3 * 2 ** 30, layout: 'classic', k: 2, s: 12 * 2 ** 30 },
  ] as const)('is $s for k $k in $memory bytes, $layout', ({ memory, layout, k, s }) => {
    expect(resolved({ memory, layout, parameters: { k } })).toEqual({ k, s });
  });
});

describe('rsbf', () => {
  test('uses by default the rule of the published tables, and k and p* of the papers’ experiments', () => {
    expect(resolved({ algorithm: 'rsbf' })).toMatchObject({ k: 3, variant: 'table', 'p*': 0.03 });
  });

  test.each([
    [{ variant: 'narang' }, 'parameters.variant is "narang", but must be one of table, bera-2012, dutta-2012'],
    [{ 'p*': 1 }, 'parameters.p* is 1, but must be a number between 0 and 1'],
    [{ k: 65 }, 'parameters.k is 65, but must be a whole number from 1 to 64'],
  ])('refuses %j', (parameters, message) => {
    expect(() => resolved({ algorithm: 'rsbf', parameters: parameters as Record<string, number | string> })).toThrow(
      message,
    );
  });
});
