import { describe, expect, test } from 'vitest';
import type { ClaimForm } from '../../../src/published/contract.js';
import { judgeClaim, subjectsOf } from '../../../src/reproduce/claims.js';
import { stableFrom } from '../../../src/reproduce/convergence.js';
import { curveOf, type Outcome } from '../../../src/reproduce/outcome.js';
import { outcomeAlong, outcomeWith } from './support.js';

const than = { algorithm: 'sbf', memoryBytes: 1024 };
const rising = outcomeAlong([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
const steady = outcomeAlong([0.1, 0.5, 0.51, 0.49, 0.5, 0.5, 0.5, 0.5]);
/** Rises by less than chance explains. */
const flat = outcomeAlong([0.2, 0.2, 0.2, 0.2, 0.201, 0.201, 0.202, 0.202]);
const range = (lowPercent: number, highPercent: number, roundingPercent = 0): ClaimForm => ({
  ...{ kind: 'range', rate: 'fpr', lowPercent, highPercent, roundingPercent },
});
const stable = (fromElements: number, byElements: number): ClaimForm => ({
  ...{ kind: 'stable', rate: 'load', fromElements, byElements },
});
const threshold = (memory: 'enough' | 'too little' | 'just enough'): ClaimForm => ({
  ...{ kind: 'threshold', rate: 'fpr', percent: 2, memory },
});
const times = (factor: number): ClaimForm => ({ kind: 'times', rate: 'fnr', than, times: factor });
const below: ClaimForm = { kind: 'below', rate: 'fnr', than };
const falls: ClaimForm = { kind: 'trend', rate: 'fnr', direction: 'falls' };
const rises: ClaimForm = { kind: 'trend', rate: 'fnr', direction: 'rises' };
const near: ClaimForm = { kind: 'near', rate: 'fpr', than, points: 0.5 };
const exceeds: ClaimForm = { kind: 'exceeds', rate: 'fpr', than, points: 3, roundingPercent: 0.5 };
const gains: ClaimForm = { kind: 'gains', rate: 'fnr', fromBytes: 1, thanAlgorithm: 'sbf' };
const loadBefore: ClaimForm = { kind: 'stableBefore', rate: 'load', than };

/** Outcomes with these FPRs, in percent. */
function fprs(...percents: number[]): Outcome[] {
  return percents.map((percent) => outcomeWith(percent, 0));
}

/** Outcomes with these FNRs, in percent. */
function fnrs(...percents: number[]): Outcome[] {
  return percents.map((percent) => outcomeWith(1, percent));
}

/** Outcomes of short streams, whose rates have wide intervals. */
function noisy(...shares: number[]): Outcome[] {
  return shares.map((share) => outcomeWith(100 * share, 100 * share, 1000));
}

const cases: [string, ClaimForm, Outcome[], 'reproduced' | 'differs'][] = [
  ['in a range', range(1, 2), fprs(1.5), 'reproduced'],
  ['above a range', range(1, 2), fprs(2.05), 'differs'],
  ['above a range by its rounding', range(1, 2, 0.5), fprs(2.4), 'reproduced'],
  ['in a range, but its interval is not', range(19, 100), noisy(0.2), 'differs'],
  ['about a number', range(45, 45, 0.5), fprs(46.8), 'reproduced'],
  ['not about a number', range(45, 45, 0.5), fprs(46.9), 'differs'],
  ['enough memory', threshold('enough'), fprs(1.99), 'reproduced'],
  ['not enough memory by little', threshold('enough'), fprs(2.01), 'differs'],
  ['too little memory', threshold('too little'), fprs(2.01), 'reproduced'],
  ['too little memory, within chance', threshold('too little'), noisy(0.021), 'differs'],
  ['just enough memory', threshold('just enough'), fprs(2.27, 2.5, 1.9), 'reproduced'],
  ['memory that is not nearly enough', threshold('just enough'), fprs(2.27, 2.5, 2.01), 'differs'],
  ['memory that is more than enough', threshold('just enough'), fprs(1.81, 1.99, 1.6), 'differs'],
  ['times', times(2), fnrs(40, 19), 'reproduced'],
  ['fewer times', times(2), fnrs(40, 22), 'differs'],
  ['points more', exceeds, fprs(8.2, 5), 'reproduced'],
  ['many points more', exceeds, fprs(15, 5), 'differs'],
  ['a rise', rises, [rising], 'reproduced'],
  ['a rise that is a fall', falls, [rising], 'differs'],
  ['a rise that chance explains', rises, [flat], 'differs'],
  ['stable', stable(4e6, 4e6), [steady], 'reproduced'],
  ['never stable', stable(4e6, 4e6), [rising], 'differs'],
  ['stable much earlier', stable(14e6, 15e6), [steady], 'differs'],
  ['stable by a position', { kind: 'stable', rate: 'load', byElements: 15e6 }, [steady], 'reproduced'],
  ['not yet stable', { kind: 'unstable', rate: 'load', atElements: 16e6 }, [rising], 'reproduced'],
  ['not stable, though it is', { kind: 'unstable', rate: 'load', atElements: 16e6 }, [steady], 'differs'],
  ['stable before', loadBefore, [steady, rising], 'reproduced'],
  ['stable after', loadBefore, [rising, steady], 'differs'],
  ['stable one step before', loadBefore, [steady, outcomeAlong([0.1, 0.3, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])], 'differs'],
  ['below', below, fnrs(1, 2), 'reproduced'],
  ['below, though it is above', below, fnrs(3, 2), 'differs'],
  ['below, though both are 0', below, fnrs(0, 0), 'differs'],
  ['below, within chance', below, noisy(0.2, 0.201), 'differs'],
  ['near', near, fprs(1, 1.4), 'reproduced'],
  ['not near', near, fprs(1, 1.6), 'differs'],
  ['near, but chance allows more', near, noisy(0.2, 0.201), 'differs'],
  ['a larger gain', gains, fnrs(10, 30, 20, 30), 'reproduced'],
  ['a smaller gain', gains, fnrs(20, 30, 10, 30), 'differs'],
];

describe('a claim', () => {
  test.each(cases)('%s', (_name, form, outcomes, kind) => {
    const verdict = judgeClaim(form, outcomes);
    expect(verdict.kind, verdict.text).toBe(kind);
    expect(subjectsOf(than, form)).toHaveLength(outcomes.length);
  });
});

test('a curve is stable from the point after which it stays near its last value', () => {
  expect(stableFrom(curveOf(steady, 'load'))).toBe(4e6);
  expect(stableFrom(curveOf(rising, 'load'))).toBeUndefined();
});
