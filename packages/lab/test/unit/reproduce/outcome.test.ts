import { describe, expect, test } from 'vitest';
import { curveOf, intervalOf } from '../../../src/reproduce/outcome.js';
import { outcomeAlong } from './support.js';

describe('intervalOf', () => {
  test('is binomial for one seed', () => {
    const interval = intervalOf([{ events: 200, of: 1000 }]);
    expect(interval?.estimate).toBe(0.2);
    expect(interval?.low).toBeCloseTo(0.1764, 3);
    expect(interval?.high).toBeCloseTo(0.2259, 3);
  });

  test('is wider if seeds differ by more than chance', () => {
    const alike = intervalOf([
      { events: 200, of: 1000 },
      { events: 201, of: 1000 },
    ]);
    const apart = intervalOf([
      { events: 100, of: 1000 },
      { events: 301, of: 1000 },
    ]);
    expect(apart?.estimate).toBe(alike?.estimate);
    expect((apart?.high ?? 0) - (apart?.low ?? 0)).toBeGreaterThan(2 * ((alike?.high ?? 1) - (alike?.low ?? 0)));
  });

  test('is undefined without trials', () => {
    expect(intervalOf([{ events: 0, of: 0 }])).toBeUndefined();
  });
});

test('curveOf gives rates from the start of the stream to each point, and positions at full scale', () => {
  expect(curveOf(outcomeAlong([0.25, 0.5]), 'fnr')).toEqual([
    { positionElements: 2e6, rate: 0.25 },
    { positionElements: 4e6, rate: 0.375 },
  ]);
});
