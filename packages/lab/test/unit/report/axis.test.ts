import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { axisOf, axisText, onAxis } from '../../../src/report/axis.js';
import { measuredText, tickText } from '../../../src/report/numbers.js';

const MIB = 2 ** 20;

describe('a linear axis', () => {
  test('starts at zero unless that would leave the values too close together', () => {
    expect(axisOf([2, 5], { scale: 'linear' }).domain).toEqual([0, 5]);
    expect(axisOf([4, 5], { scale: 'linear' }).domain).toEqual([4, 5]);
    expect(axisOf([-1, 5], { scale: 'linear' }).domain).toEqual([-1, 5]);
    expect(axisOf([7, 7], { scale: 'linear' }).domain).toEqual([0, 7]);
    expect(axisOf([-7, -7], { scale: 'linear' }).domain).toEqual([-7, 0]);
    expect(axisOf([0, 0], { scale: 'linear' }).domain).toEqual([0, 1]);
  });
});

describe('a logarithmic axis', () => {
  test.each([
    [
      [0.01, 1000],
      [0.01, 0.1, 1, 10, 100, 1000],
    ],
    [
      [0.5, 40],
      [1, 3, 10, 30],
    ],
    [
      [1e-9, 1],
      [1e-9, 1e-7, 1e-5, 0.001, 0.1],
    ],
    [
      [8, 512],
      [10, 30, 100, 300],
    ],
    [
      [2.1, 2.9],
      [2.08, 2.47, 2.93],
    ],
  ])('of %j has ticks at %j', (values, ticks) => {
    expect(axisOf(values, { scale: 'log' }).ticks).toEqual(ticks);
  });

  test('of memory sizes has powers of two, in units such as MiB', () => {
    const textsOf = (values: number[]) => {
      const axis = axisOf(values, { scale: 'log', isBytes: true });
      return axis.ticks?.map((tick) => axisText(tick, axis));
    };
    expect(textsOf([64 * MIB, 512 * MIB])).toEqual(['64MiB', '128MiB', '256MiB', '512MiB']);
    expect(textsOf([2048, 16 * MIB])).toEqual(['2KiB', '8KiB', '32KiB', '128KiB', '512KiB', '2MiB', '8MiB']);
  });

  test('shows zero below all other values', () => {
    const axis = axisOf([0, 1, 100], { scale: 'log' });
    expect(onAxis(0, axis)).toBe(axis.zeroAt);
    expect(axis.zeroAt).toBeLessThan(1);
    expect(onAxis(1, axis)).toBe(1);
    expect([0, 1].map((value) => axisText(onAxis(value, axis), axis))).toEqual(['0', '1']);
  });

  test('contains all values and has two to nine ticks', () => {
    const positive = fc.double({ min: 1e-12, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1 }), (values) => {
        const { domain, ticks = [] } = axisOf(values, { scale: 'log' });
        expect(domain[0]).toBeLessThanOrEqual(Math.min(...values));
        expect(domain[1]).toBeGreaterThanOrEqual(Math.max(...values));
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(9);
      }),
    );
  });
});

describe('numbers', () => {
  test.each([
    [2_000_000, '2M'],
    [1e9, '1B'],
    [1500, '1500'],
    [0.25, '0.25'],
    [1e-7, '1e-7'],
    [0, '0'],
  ])('the tick at %d reads %s', (value, text) => {
    expect(tickText(value)).toBe(text);
  });

  test('have as many digits as their interval supports', () => {
    const text = (estimate: number, half: number) => {
      const { estimate: shown, range } = measuredText({ estimate, low: estimate - half, high: estimate + half });
      return `${shown} ${range}`;
    };
    expect(text(0.123456, 0.01)).toBe('12.3 11.3–13.3');
    expect(text(0.123456, 0.0001)).toBe('12.35 12.34–12.36');
    expect(text(0.123456, 0.0005)).toBe('12.35 12.3–12.4');
    expect(text(0.123456, 1e-9)).toBe('12.346 12.346–12.346');
    expect(measuredText({ estimate: 0, low: 0, high: 0 })).toEqual({ estimate: '0' });
    expect(measuredText({ estimate: 0, low: 0, high: 0.001 })).toEqual({ estimate: '0', range: '0–0.1' });
  });
});
