import { describe, expect, test } from 'vitest';
import { betaQuantile, binomialInterval, countInterval, studentQuantile } from '../../../src/detectors/intervals.js';

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

describe('the bounds of a count', () => {
  test.each([
    [3, 500],
    [40, 900],
    [420, 500],
  ])('of equal weights are those of as many trials: %i of %i', (events, trials) => {
    const { low, high } = binomialInterval(events / trials, trials);
    const weight = 32;
    const variance = weight ** 2 * events * (1 - events / trials);
    const bounds = countInterval({ events: weight * events, variance, missedWeight: weight }, weight * trials);
    expect(bounds.low).toBeCloseTo(low, 6);
    expect(bounds.high).toBeCloseTo(high, 6);
  });

  test('of no events reach as far as a missed event allows', () => {
    const { low, high } = countInterval({ events: 0, variance: 0, missedWeight: 50 }, 1e6);
    expect(low).toBe(0);
    expect(high * 1e6).toBeCloseTo(-50 * Math.log(0.025), 1);
  });

  test('of events that were all seen allow missed ones', () => {
    const { low, high } = countInterval({ events: 7, variance: 0, missedWeight: 32 }, 1e6);
    expect(low * 1e6).toBeCloseTo(7, 9);
    expect(high * 1e6).toBeGreaterThan(7 + 3 * 32);
  });

  test('widen with the variance, and are those of the complement beyond one half', () => {
    const few = countInterval({ events: 3000, variance: 300_000, missedWeight: 100 }, 1e6);
    const more = countInterval({ events: 3000, variance: 600_000, missedWeight: 100 }, 1e6);
    expect(more.low).toBeLessThan(few.low);
    expect(more.high).toBeGreaterThan(few.high);
    const others = countInterval({ events: 997_000, variance: 300_000, missedWeight: 100 }, 1e6);
    expect(others.low).toBeCloseTo(1 - few.high, 9);
    expect(others.high).toBeCloseTo(1 - few.low, 9);
  });
});
