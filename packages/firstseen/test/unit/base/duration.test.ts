import { expect, test } from 'vitest';
import { formatDuration, parseMilliseconds } from '../../../src/base/duration.js';

test.each([
  [3600, '1h'],
  [30, '30s'],
  [90, '90s'],
  [86_400, '1d'],
  [0.5, '500ms'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
  expect(parseMilliseconds(text)).toBe(seconds * 1000);
});
