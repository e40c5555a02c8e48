import { expect, test } from 'vitest';
import { alignRows, formatCount, formatCounted, formatParameters, wrapText } from '../../../src/cli/text.js';

test('formatCount groups digits', () => expect(formatCount(1234567.4)).toBe('1,234,567'));

test('formatCounted has a plural but for one', () => {
  expect([0, 1, 2000].map((count) => formatCounted(count, 'record'))).toEqual([
    '0 records',
    '1 record',
    '2,000 records',
  ]);
});

test('formatParameters keeps whole numbers whole', () => {
  expect(formatParameters({ k: 2, s: 268435456, FPS: 0.0099123456789, variant: 'table' })).toBe(
    'k=2 s=268435456 FPS=0.00991235 variant=table',
  );
});

test('alignRows pads the labels', () => {
  expect(
    alignRows([
      ['a', 'one'],
      ['longer', 'two'],
      ['b', ''],
    ]),
  ).toEqual(['a       one', 'longer  two', 'b']);
});

test('wrapText breaks between words only', () => {
  expect(wrapText('one two three unbreakable-as-it-is four', 9)).toEqual([
    'one two',
    'three',
    'unbreakable-as-it-is',
    'four',
  ]);
});
