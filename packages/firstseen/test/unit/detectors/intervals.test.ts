import { describe, expect, test } from 'vitest';
import { betaQuantile, binomialInterval, studentQuantile } from '../../../src/detectors/intervals.js';

/** The probability of k or fewer events in n trials, term by term. */
function binomialDistribution(k: number, n: number, rate: number): number {
  let term = (1 - rate) ** n;
  let sum = term;
  for (let i = 0; i < k; i++) {
    term *= ((n - i) / (i + 1)) * (rate / (1 - rate));
    sum += term;
  }
  return sum;
}

describe('quantiles', () => {
  // From printed tables of Student's distribution, column 0.975.
  test.each([
    [1, 12.706],
    [2, 4.303],
    [5, 2.571],
    [31, 2.04],
    [1000, 1.962],
  ])('of Student with %i degrees of freedom', (degreesOfFreedom, quantile) => {
    expect(studentQuantile(degreesOfFreedom)).toBeCloseTo(quantile, 3);
  });

  test.each([0.001, 0.025, 0.5, 0.975])('of beta distributions with a closed form, %f', (probability) => {
    expect(betaQuantile(probability, 1, 1)).toBeCloseTo(probability, 9);
    expect(betaQuantile(probability, 3, 1)).toBeCloseTo(probability ** (1 / 3), 9);
    expect(betaQuantile(probability, 1, 1e6) / -Math.expm1(Math.log1p(-probability) / 1e6)).toBeCloseTo(1, 7);
    expect(betaQuantile(probability, 0.5, 0.5)).toBeCloseTo(Math.sin((Math.PI * probability) / 2) ** 2, 8);
  });
});

describe('the interval of a rate', () => {
  test.each([
    [1, 10],
    [5, 10],
    [9, 10],
    [3, 500],
    [40, 45],
    [90, 1000],
  ])('leaves 2.5 %% on either side: %i of %i', (events, trials) => {
    const { low, high, estimate } = binomialInterval(events / trials, trials);
    expect(estimate).toBe(events / trials);
    expect(1 - binomialDistribution(events - 1, trials, low)).toBeCloseTo(0.025, 6);
    expect(binomialDistribution(events, trials, high)).toBeCloseTo(0.025, 6);
  });

  test('extends to 0 without events, and to 1 if every trial is one', () => {
    expect(binomialInterval(0, 100)).toMatchObject({ low: 0, high: expect.closeTo(1 - 0.025 ** 0.01, 10) });
    expect(binomialInterval(1, 100)).toMatchObject({ low: expect.closeTo(0.025 ** 0.01, 10), high: 1 });
  });

  test('of many events continues where that of few ends', () => {
    const [few, many] = [99.9, 100.1].map((events) => binomialInterval(events / 1e5, 1e5));
    for (const bound of ['low', 'high'] as const) {
      expect((many?.[bound] as number) / (few?.[bound] as number)).toBeCloseTo(1, 1.5);
    }
    expect(binomialInterval(0.3, 1e12)).toMatchObject({ low: expect.closeTo(0.3, 5), high: expect.closeTo(0.3, 5) });
  });

  test('of a completely known population has no width', () => {
    expect(binomialInterval(0.25, Number.POSITIVE_INFINITY)).toEqual({ estimate: 0.25, low: 0.25, high: 0.25 });
  });

  test.each([0.3, 1e-9])('of less than one trial is nearly the whole range (%f)', (trials) => {
    const { low, high } = binomialInterval(0, trials);
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(0.99);
  });
});
