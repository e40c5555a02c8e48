import { describe, expect, test } from 'vitest';
import { blockedCapacity, blockedRate, bloomCapacity, cacheLineRate } from '../../../src/detectors/bloom.js';
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
    const capacity = layout === 'blocked' ? blockedCapacity : bloomCapacity;
    expect(resolved({ layout, memory })).toMatchObject({ m, n: capacity(m, 7) });
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

test('a line of bits has the rate of words that are filled at random', () => {
  // The numbers of set bits of a word after t hits are a Markov chain.
  const [bits, k] = [64, 24];
  for (const elements of [1, 5, 12]) {
    let set = new Float64Array(bits + 1);
    set[0] = 1;
    for (let hit = 0; hit < (elements * k) / 8; hit++) {
      set = set.map((p, x) => (p * x) / bits + (x > 0 ? ((set[x - 1] as number) * (bits - x + 1)) / bits : 0));
    }
    const ofWord = set.reduce((sum, p, x) => sum + p * (x / bits) ** (k / 8), 0);
    expect(cacheLineRate(k, elements) / ofWord ** 8).toBeCloseTo(1, 1);
  }
  expect(cacheLineRate(7, 0)).toBe(0);
});

test.each([1, 2, 7, 20, 40, 64])('lines with %i hashes are at 2^-k at their capacity', (k) => {
  const [bits, lines] = [2 ** 23, 2 ** 14];
  const n = blockedCapacity(bits, k);
  expect(blockedRate(k, n / lines)).toBeLessThanOrEqual(2 ** -k);
  expect(blockedRate(k, (n + 1) / lines)).toBeGreaterThan(2 ** -k * (1 - 1e-3));
  expect(blockedRate(k, 1e9)).toBeCloseTo(1, 12);
});
