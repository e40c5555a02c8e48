import { describe, expect, test } from 'vitest';
import { formatBytes, parseBytes } from '../../../src/base/memory.js';

describe('parseBytes', () => {
  test.each([
    [0, 0],
    [65_536, 65_536],
    ['65536', 65_536],
    ['12B', 12],
    ['1KiB', 1024],
    ['64MiB', 64 * 2 ** 20],
    ['64 MiB', 64 * 2 ** 20],
    ['1.5GiB', 1.5 * 2 ** 30],
    ['0.3KiB', 307],
    ['64M', 64 * 2 ** 20],
    ['64m', 64 * 2 ** 20],
    ['64mib', 64 * 2 ** 20],
    ['64Mi', 64 * 2 ** 20],
    ['2Gi', 2 ** 31],
    ['64MB', 64e6],
    ['2g', 2 ** 31],
    ['1TB', 1e12],
    ['1e6', 1e6],
    ['1_000_000', 1e6],
    ['1,000,000', 1e6],
  ])('reads %s as %i bytes', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  test.each([
    '',
    'MiB',
    '-1',
    -1,
    '1,5GiB',
    '1,00',
    '64Mo',
    '64i',
    '64%',
    '1MM',
    '0x10',
    '1 2',
    Number.NaN,
    Infinity,
    '9007199254740993',
  ])('refuses %s', (text) => {
    expect(parseBytes(text)).toBeUndefined();
  });
});

describe('formatBytes', () => {
  test.each([
    [0, '0B'],
    [1023, '1023B'],
    [1024, '1KiB'],
    [1536, '1.5KiB'],
    [64 * 2 ** 20, '64MiB'],
    [3 * 2 ** 30, '3GiB'],
    [2 ** 30 + 2 ** 28, '1.25GiB'],
  ])('writes %i as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
    expect(parseBytes(text)).toBe(bytes);
  });
});
