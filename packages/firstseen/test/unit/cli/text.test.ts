import { expect, test } from 'vitest';
import { alignRows, formatParameters, wrapText } from '../../../src/cli/text.js';

test('formatParameters prints integers without decimals', () => {
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

test('wrapText breaks only between words', () => {
  expect(wrapText('one two three unbreakable-as-it-is four', 9)).toEqual([
    'one two',
    'three',
    'unbreakable-as-it-is',
    'four',
  ]);
});
