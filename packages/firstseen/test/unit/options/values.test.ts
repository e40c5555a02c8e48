import { describe, expect, test } from 'vitest';
import { checkDuration } from '../../../src/base/check.js';
import { parseMilliseconds } from '../../../src/base/duration.js';
import { addParameter, parseChoice, parseGaps, parseNumber, parseSeed } from '../../../src/options/values.js';

const check = (text: string) => checkDuration('--checkpoint', text, 'E_USAGE');

describe('a duration', () => {
  test.each([
    ['500ms', 0.5],
    ['30s', 30],
    ['1.5m', 90],
    ['1h', 3600],
    ['1d', 86_400],
    ['5 s', 5],
    ['1h30m', 5400],
    ['2 minutes', 120],
    ['1e3s', 1000],
  ])('%s is %d seconds', (text, seconds) => {
    check(text);
    expect(parseMilliseconds(text)).toBeCloseTo(1000 * seconds, 9);
  });

  test.each(['', '1', '7', '-1s', 's', '5w', '5M', '1h30', 'Infinity'])('%j is refused', (text) => {
    expect(() => check(text)).toThrow(`--checkpoint is "${text}", but must be a duration`);
  });
});

test('a duration of 0 is refused as such', () => {
  expect(() => check('0s')).toThrow('--checkpoint is "0s", but must be a duration above 0, such as 500ms or 30s');
});

describe('parseNumber', () => {
  test.each([
    ['0.01', 0.01],
    ['1e-6', 1e-6],
    ['.5', 0.5],
    ['-3', -3],
    ['+3', 3],
    ['1_000_000', 1e6],
    ['1,000,000', 1e6],
    ['1.5M', 1.5e6],
    ['10k', 10_000],
    ['2G', 2e9],
    ['0.1%', 0.001],
    ['29 %', 0.29],
  ])('%s', (text, number) => expect(parseNumber(text, '--fpr')).toBe(number));

  test.each(['', ' ', 'x', '0x10', '1,5', '1,00', '0,800', '1__0', '1_', '1,000,00', '5x', 'NaN', 'Infinity'])(
    '%j is refused',
    (text) => {
      expect(() => parseNumber(text, '--fpr')).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
    },
  );
});

describe('parseSeed', () => {
  test('keeps every digit', () => expect(parseSeed('18446744073709551615', '--seed')).toBe(2n ** 64n - 1n));
  test.each([['1_000'], ['1,000'], ['1e3'], ['1k'], ['1000.0']])('reads %s as 1000', (text) => {
    expect(parseSeed(text, '--seed')).toBe(1000n);
  });
  test('accepts seed 0', () => expect(parseSeed('0', '--seed')).toBe(0n));
  test.each(['', '-1', '1.5', '1e19', '0x1f', 'x'])('%j is refused', (text) => {
    expect(() => parseSeed(text, '--seed')).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
  });
  test('an error says how large numbers must be written', () => {
    expect(() => parseSeed('1e19', '--seed')).toThrow('from 0 to 2^64 - 1, in digits from 2^53 on');
  });
});

describe('parseGaps', () => {
  test('integers separated by commas', () => expect(parseGaps('5,10,2000', '--gaps')).toEqual([5, 10, 2000]));
  test('each in any notation', () => expect(parseGaps('1e3, 1_000,2k', '--gaps')).toEqual([1000, 1000, 2000]));
  test.each(['', '5,', '5;6', '1.5', '-3'])('%j is refused', (text) => {
    expect(() => parseGaps(text, '--gaps')).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
  });
});

describe('addParameter', () => {
  test('converts numbers and keeps other values as text', () => {
    const parameters = ['K=2', 'p*=0.03', 'variant=bera-2012', 'x=1e3', 'y=a=b'].reduce(
      (before: ReturnType<typeof addParameter>, text) => addParameter(text, '--param', before),
      {},
    );
    expect(parameters).toEqual({ K: 2, 'p*': 0.03, variant: 'bera-2012', x: 1000, y: 'a=b' });
  });

  test('a repeated name is refused', () => {
    expect(() => addParameter('K=3', '--param', { K: 2, P: 1 })).toThrow(expect.objectContaining({ code: 'E_USAGE' }));
  });

  test.each(['', 'K', '=2', 'K='])('%j is refused', (text) => {
    expect(() => addParameter(text, '--param')).toThrow(expect.objectContaining({ code: 'E_USAGE' }));
  });
});

test('parseChoice lists the choices', () => {
  expect(parseChoice('b', '--emit', ['a', 'b'])).toBe('b');
  expect(() => parseChoice('c', '--emit', ['a', 'b'])).toThrow('--emit is "c", but must be one of a, b');
});
