import { describe, expect, test } from 'vitest';
import { COARSE, gridOf } from '../../../src/plan/grid.js';
import { limitOf, minFnrOf } from '../../../src/plan/limit.js';
import { uniformStream, universeOf } from '../../../src/plan/stream.js';
import { inLongForm, sampleNote, sampleOf } from '../../support/form.js';

const LENGTH = 1_000_000;
const grid = gridOf(uniformStream(LENGTH, universeOf(LENGTH, 0.6 * LENGTH)), COARSE);
const rates = [0, 1e-6, 1e-4, 0.001, 0.01, 0.1, 0.3, 0.9, 1];

describe('the least misses at a mean rate of false positives', () => {
  test.each([1024, 2 ** 17, 2 ** 20])('in %d bits decrease, more and more slowly', (bits) => {
    const least = minFnrOf(grid, bits);
    const misses = rates.map(least);
    const slopes = rates
      .slice(1)
      .map((rate, i) => ((misses[i + 1] as number) - (misses[i] as number)) / (rate - (rates[i] as number)));
    expect(misses).toEqual(misses.toSorted((a, b) => b - a));
    for (const [i, slope] of slopes.slice(1).entries())
      expect(slope).toBeGreaterThanOrEqual((slopes[i] as number) - 1e-6);
  });

  test('in one bit are at most those of a random guess', () => {
    const least = minFnrOf(grid, 1);
    for (const rate of [0.1, 0.3]) {
      expect(least(rate)).toBeLessThanOrEqual(1 - rate);
      expect(least(rate)).toBeGreaterThan((1 - rate) * 0.4);
    }
  });

  test('are zero with enough memory', () => {
    expect(minFnrOf(grid, 64 * LENGTH)(1e-4)).toBe(0);
  });

  const targets = [
    [2 ** 14, 1e-6],
    [2 ** 17, 0.001],
    [2 ** 18, 0.01],
    [2 ** 20, 0.1],
    [2 ** 20, 1],
  ] as const;

  test.each(sampleOf(targets, 2))(
    `in %d bits are those of the least sum with a rate of at most %d${sampleNote}`,
    (bits, maxFpr) => {
      const { fpr, fnr } = limitOf(grid, bits, maxFpr);
      expect(fpr).toBeLessThanOrEqual(maxFpr);
      expect(minFnrOf(grid, bits)(fpr)).toBeLessThanOrEqual(fnr + 1e-9);
      expect(minFnrOf(grid, bits)(fpr)).toBeGreaterThan(fnr - 0.2 * (fpr + fnr));
    },
  );
});

describe('the least sum of both rates', () => {
  const fewNew = gridOf(uniformStream(LENGTH, universeOf(LENGTH, 0.1 * LENGTH)), COARSE);

  test('at a target that the best of all structures meets is that of the best', () => {
    const free = limitOf(fewNew, 200_000);
    expect(free.fpr).toBeGreaterThan(0.01);
    expect(limitOf(fewNew, 200_000, 0.17)).toEqual(free);
  });

  test('rises as the target falls', () => {
    const sums = inLongForm([1, 0.05, 0.01, 1e-3, 1e-6, 1e-12], [1, 0.01, 1e-12]).map((most) => {
      const { fpr, fnr } = limitOf(fewNew, 200_000, most);
      return fpr + fnr;
    });
    expect(sums).toEqual(sums.toSorted((a, b) => a - b));
    expect(sums.at(-1)).toBeLessThanOrEqual(1);
  });
});
