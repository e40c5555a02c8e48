import { describe, expect, test } from 'vitest';
import { verdictOf } from '../../../src/reproduce/verdict.js';

const rounding = { fpr: 0, fnr: 0 };

function exactly(rate: number) {
  return { estimate: rate, low: rate, high: rate };
}

function verdictFor(published: number, measured: number, more: object = {}) {
  return verdictOf({ published: { fnr: published }, measured: { fnr: exactly(measured) }, rounding, ...more });
}

describe('a rate is reproduced', () => {
  test.each([
    [0.5, 0.514, 'FNR within 2.8 %'],
    [0.5, 0.486, 'FNR within 2.8 %'],
    [0.5, 0.5, 'FNR as printed'],
  ])('when %d is printed and %d measured', (published, measured, text) => {
    expect(verdictFor(published, measured)).toEqual({ kind: 'reproduced', text });
  });

  test('when the printed rate is in the measured interval', () => {
    const measured = { fnr: { estimate: 0.01, low: 0.005, high: 0.02 } };
    const verdict = verdictOf({ published: { fnr: 0.015 }, measured, rounding });
    expect(verdict).toEqual({ kind: 'reproduced', text: 'FNR within chance' });
  });

  test('when the few elements of the paper explain the difference', () => {
    // 100 of 10,000 elements have a standard deviation of 10.
    const far = verdictFor(0.01, 0.0115, { countedElements: { fpr: 1, fnr: 1e6 } });
    expect(far).toMatchObject({ kind: 'differs' });
    const near = verdictFor(0.01, 0.0115, { countedElements: { fpr: 1, fnr: 1e4 } });
    expect(near).toEqual({ kind: 'reproduced', text: 'FNR within chance' });
  });

  test('when the rates differ only by rounding', () => {
    expect(verdictFor(0.04, 0.0449, { rounding: { fpr: 0, fnr: 0.005 } }).text).toBe('FNR as printed');
  });
});

describe('a rate differs', () => {
  test.each([
    [0.5, 0.516, 'FNR 3.2 % higher'],
    [0.5, 0.45, 'FNR 10 % lower'],
    [0.5, 0.1, 'FNR 10 % instead of 50 %'],
    [0, 0.1, 'FNR 10 % instead of 0 %'],
    [0.001, 0.00119, 'FNR 19 % higher'],
    [0, 0.0001, 'FNR 0.01 % instead of 0 %'],
  ])('when %d is printed and %d measured', (published, measured, text) => {
    expect(verdictFor(published, measured)).toEqual({ kind: 'differs', text });
  });

  test('and the text gives the reason if it is known, and the rate that matches', () => {
    const verdict = verdictOf({
      published: { fpr: 0.1, fnr: 0.5 },
      measured: { fpr: exactly(0.101), fnr: exactly(0.6) },
      rounding,
      reason: 'victims differ',
    });
    expect(verdict).toEqual({ kind: 'differs', text: 'FNR 20 % higher, FPR within 1 %: victims differ' });
  });
});

test('a row without a measured rate is not reproducible', () => {
  expect(verdictOf({ published: { fpr: 0.1 }, measured: {}, rounding }).kind).toBe('not reproducible');
});
