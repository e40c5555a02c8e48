import { describe, expect, test } from 'vitest';
import type { ClaimForm } from '../../../src/published/contract.js';
import { judgeClaim, stableFrom, subjectsOf } from '../../../src/reproduce/claims.js';
import { curveOf, type Outcome } from '../../../src/reproduce/outcome.js';
import { outcomeAlong, outcomeWith } from './support.js';

const than = { algorithm: 'sbf', memoryBytes: 1024 };
const rising = outcomeAlong([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]);
const steady = outcomeAlong([0.1, 0.5, 0.51, 0.49, 0.5, 0.5, 0.5, 0.5]);

const cases: [string, ClaimForm, Outcome[], string][] = [
  [
    'range',
    { kind: 'range', rate: 'fpr', lowPercent: 1, highPercent: 2, roundingPercent: 0 },
    [outcomeWith(1.5, 0)],
    'reproduced',
  ],
  [
    'range',
    { kind: 'range', rate: 'fpr', lowPercent: 1, highPercent: 2, roundingPercent: 0 },
    [outcomeWith(2.1, 0)],
    'differs',
  ],
  [
    'rounded range',
    { kind: 'range', rate: 'fpr', lowPercent: 2, highPercent: 2, roundingPercent: 0.5 },
    [outcomeWith(2.4, 0)],
    'reproduced',
  ],
  ['times', { kind: 'times', rate: 'fnr', than, times: 2 }, [outcomeWith(1, 40), outcomeWith(1, 19)], 'reproduced'],
  ['times', { kind: 'times', rate: 'fnr', than, times: 2 }, [outcomeWith(1, 40), outcomeWith(1, 30)], 'differs'],
  [
    'times at least',
    { kind: 'times', rate: 'fnr', than, times: 2, isAtLeast: true },
    [outcomeWith(1, 40), outcomeWith(1, 1)],
    'reproduced',
  ],
  [
    'exceeds',
    { kind: 'exceeds', rate: 'fpr', than, points: 3, roundingPercent: 0.5 },
    [outcomeWith(8.2, 0), outcomeWith(5, 0)],
    'reproduced',
  ],
  [
    'exceeds',
    { kind: 'exceeds', rate: 'fpr', than, points: 3, roundingPercent: 0.5 },
    [outcomeWith(15, 0), outcomeWith(5, 0)],
    'differs',
  ],
  ['trend', { kind: 'trend', rate: 'fnr', direction: 'rises' }, [rising], 'reproduced'],
  ['trend', { kind: 'trend', rate: 'fnr', direction: 'falls' }, [rising], 'differs'],
  ['stable', { kind: 'stable', rate: 'load', fromElements: 4e6 }, [steady], 'reproduced'],
  ['stable', { kind: 'stable', rate: 'load', fromElements: 4e6 }, [rising], 'differs'],
  ['not stable', { kind: 'stable', rate: 'load', fromElements: 4e6, isDenied: true }, [rising], 'reproduced'],
  ['stable before', { kind: 'stableBefore', rate: 'load', than }, [steady, rising], 'reproduced'],
  ['stable before', { kind: 'stableBefore', rate: 'load', than }, [rising, steady], 'differs'],
  ['at most', { kind: 'atMost', rate: 'fpr', than }, [outcomeWith(1, 0), outcomeWith(2, 0)], 'reproduced'],
  ['at most', { kind: 'atMost', rate: 'fpr', than }, [outcomeWith(3, 0), outcomeWith(2, 0)], 'differs'],
  ['near', { kind: 'near', rate: 'fpr', than, points: 0.5 }, [outcomeWith(1, 0), outcomeWith(1.4, 0)], 'reproduced'],
  ['near', { kind: 'near', rate: 'fpr', than, points: 0.5 }, [outcomeWith(1, 0), outcomeWith(1.6, 0)], 'differs'],
  [
    'gains',
    { kind: 'gains', rate: 'fnr', fromBytes: 1, thanAlgorithm: 'sbf' },
    [10, 30, 20, 30].map((fnr) => outcomeWith(1, fnr)),
    'reproduced',
  ],
  [
    'gains',
    { kind: 'gains', rate: 'fnr', fromBytes: 1, thanAlgorithm: 'sbf' },
    [20, 30, 10, 30].map((fnr) => outcomeWith(1, fnr)),
    'differs',
  ],
];

describe('a claim', () => {
  test.each(cases)('of kind %s', (_name, form, outcomes, kind) => {
    const verdict = judgeClaim(form, outcomes);
    expect(verdict.kind, verdict.text).toBe(kind);
    expect(subjectsOf(than, form)).toHaveLength(outcomes.length);
  });
});

test('a curve is stable from the point after which it stays near its last value', () => {
  expect(stableFrom(curveOf(steady, 'load'))).toBe(4e6);
  expect(stableFrom(curveOf(rising, 'load'))).toBeUndefined();
});
