import { expect, test } from 'vitest';
import { formatCount, formatCounted } from '../../../src/base/count.js';

test('formatCount groups digits', () => expect(formatCount(1234567.4)).toBe('1,234,567'));

test('formatCounted uses the plural except for one', () => {
  expect([0, 1, 2000].map((count) => formatCounted(count, 'record'))).toEqual([
    '0 records',
    '1 record',
    '2,000 records',
  ]);
});
