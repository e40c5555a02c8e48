// Numbers and times as texts: none is in the notation of programs that a reader would have to decode.

import { expect, test } from 'vitest';
import { milliseconds, percent, seconds } from '../../../page/format.js';

test.each([
  [0.25, '0.25 ms'],
  [12.3456, '12.3 ms'],
  [100, '100 ms'],
  [999, '999 ms'],
  [1000, '1 s'],
  [12_345, '12.3 s'],
])('%f milliseconds are %s', (value, text) => expect(milliseconds(value)).toBe(text));

test.each([
  [1e-6, '1 µs'],
  [2.5e-4, '250 µs'],
  [0.001, '1 ms'],
  [0.1, '100 ms'],
  [10, '10 s'],
])('%f seconds are %s', (value, text) => expect(seconds(value)).toBe(text));

test('a share that is not known has no number', () =>
  expect([percent(null), percent(0.9999)]).toEqual(['–', '100.0 %']));
