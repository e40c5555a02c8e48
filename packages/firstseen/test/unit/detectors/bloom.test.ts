import { describe, expect, test } from 'vitest';
import { bloomCapacity } from '../../../src/detectors/bloom.js';
import { type DetectorOptions, resolveSettings } from '../../../src/detectors/settings.js';

function resolved(options: DetectorOptions): Record<string, number | string> {
  return resolveSettings({ algorithm: 'bloom', memory: '1MiB', ...options }).parameters.values;
}

describe('k of a Bloom filter', () => {
  test.each([
    [0.5, 1],
    [0.25, 2],
    [0.1, 4],
    [0.01, 7],
    [0.001, 10],
  ])('for the rate %d is %i: a half full array keeps it, one hash less does not', (fpr, k) => {
    expect(resolved({ fpr }).k).toBe(k);
    expect(0.5 ** k).toBeLessThanOrEqual(fpr);
    expect(0.5 ** (k - 1)).toBeGreaterThan(fpr);
  });

  test('is 7 by default, otherwise the given value', () => {
    expect(resolved({})).toMatchObject({ k: 7, m: 2 ** 23 });
    expect(resolved({ fpr: 0.1, parameters: { k: 64 } })).toMatchObject({ k: 64 });
  });

  test.each([
    ['classic', 1087, 135 * 64],
    ['blocked', 1087, 16 * 512],
    ['blocked', 1088, 17 * 512],
  ] as const)('decides n, with the bits of the layout %s in %i bytes', (layout, memory, m) => {
    expect(resolved({ layout, memory })).toMatchObject({ m, n: bloomCapacity(m, 7) });
  });

  test('is refused outside 1 to 64', () => {
    expect(() => resolved({ parameters: { k: 65 } })).toThrow(
      'parameters.k is 65, but must be a whole number from 1 to 64',
    );
    expect(() => resolved({ fpr: 1e-30 })).toThrow('parameters.k is 100, but must be a whole number from 1 to 64');
  });
});

test('at its capacity half of the bits are set', () => {
  const [bits, k] = [10 ** 6, 5];
  const elements = bloomCapacity(bits, k);
  expect(Math.exp((-k * elements) / bits)).toBeCloseTo(0.5, 4);
});
