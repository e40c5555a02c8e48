import { describe, expect, test } from 'vitest';
import {
  checkBoolean,
  checkBytes,
  checkCount,
  checkDuration,
  checkGaps,
  checkPositive,
  checkRate,
  checkSeed,
  checkWhole,
  checkWord,
} from '../../../src/base/check.js';
import type { FirstseenError } from '../../../src/base/errors.js';

function errorOf(check: () => unknown): FirstseenError {
  try {
    check();
  } catch (error) {
    return error as FirstseenError;
  }
  throw new Error('nothing was thrown');
}

describe('values that are accepted', () => {
  test.each([
    ['a whole number', () => checkWhole('k', 3, { least: 1, most: 3 }), 3],
    ['a word', () => checkWord('layout', 'classic', ['classic', 'blocked']), 'classic'],
    ['a rate', () => checkRate('fpr', 0.5), 0.5],
    ['a count', () => checkCount('lengthElements', 1.5), 1.5],
    ['a boolean', () => checkBoolean('refresh', false), false],
    ['a positive number', () => checkPositive('leaseMilliseconds', Infinity), Infinity],
    ['gaps', () => checkGaps('gapsElements', [1, 20]), [1, 20]],
    ['a seed', () => checkSeed('seed', 7), 7n],
    ['the largest seed', () => checkSeed('seed', 2n ** 64n - 1n), 2n ** 64n - 1n],
    ['a size', () => checkBytes('memory', '1.5KiB', 1536), 1536],
    ['a duration', () => checkDuration('--checkpoint', '1m30s'), undefined],
  ])('%s', (_, check, value) => expect(check()).toEqual(value));
});

describe('values that are refused', () => {
  const whole = { least: 1, most: 3 };
  test.each<[() => unknown, string]>([
    [() => checkWhole('k', 4, whole), 'k is 4, but must be a whole number from 1 to 3'],
    [() => checkWhole('k', 0, whole), 'k is 0, but must be a whole number from 1 to 3'],
    [() => checkWhole('k', 1.5, whole), 'k is 1.5, but must be a whole number from 1 to 3'],
    [() => checkWhole('k', '2', whole), 'k is "2", but must be a whole number from 1 to 3'],
    [() => checkWhole('g', 0, { least: 1, most: 2 ** 36 }), 'g is 0, but must be a whole number from 1 to 2^36'],
    [
      () => checkWhole('n', -1, { least: 0, most: Number.MAX_SAFE_INTEGER }),
      'n is -1, but must be a whole number from 0 to 2^53 - 1',
    ],
    [() => checkWord('emit', 'all', ['kept', 'none']), 'emit is "all", but must be one of kept, none'],
    [() => checkWord('variant', 'x', ['only']), 'variant is "x", but must be only'],
    [() => checkRate('fpr', 1), 'fpr is 1, but must be a number between 0 and 1'],
    [() => checkRate('fpr', 0, '1e-6'), 'fpr is 0, but must be a number between 0 and 1, such as 1e-6'],
    [() => checkCount('n', 0.5), 'n is 0.5, but must be a number of elements, 1 or more'],
    [() => checkCount('n', Infinity), 'n is Infinity, but must be a number of elements, 1 or more'],
    [() => checkBoolean('refresh', 'yes'), 'refresh is "yes", but must be true or false'],
    [() => checkPositive('lease', 0), 'lease is 0, but must be a number greater than 0'],
    [
      () => checkGaps('gaps', []),
      'gaps is [], but must be a list of one or more whole numbers of elements, each 1 or more',
    ],
    [() => checkSeed('seed', -1), 'seed is -1, but must be a whole number from 0 to 2^64 - 1'],
    [() => checkSeed('seed', 2n ** 64n), `seed is ${2n ** 64n}, but must be a whole number from 0 to 2^64 - 1`],
  ])('%#', (check, message) => {
    const error = errorOf(check);
    expect(error.message).toBe(message);
    expect(error.code).toBe('E_PARAMETER');
  });

  test.each<[() => unknown, string, string]>([
    [() => checkBytes('memory', 100, 1024), 'E_MEMORY', 'memory is 100, but must be at least 1KiB'],
    [
      () => checkBytes('memory', 1048576n as never),
      'E_MEMORY',
      'memory is 1048576n, but must be a number of bytes, or a number with a unit, such as 64MiB',
    ],
    [
      () => checkBytes('memory', 'much'),
      'E_MEMORY',
      'memory is "much", but must be a number of bytes, or a number with a unit, such as 64MiB',
    ],
    [
      () => checkDuration('--checkpoint', '1', 'E_USAGE'),
      'E_USAGE',
      '--checkpoint is "1", but must be a duration with a unit, such as 500ms, 30s, 5m or 1h',
    ],
  ])('%#, with another code', (check, code, message) => {
    const error = errorOf(check);
    expect(error.message).toBe(message);
    expect(error.code).toBe(code);
  });

  test('the error contains the option, the value and the expected value', () => {
    const error = errorOf(() => checkRate('fpr', 2, '0.01'));
    expect(error).toMatchObject({
      option: 'fpr',
      given: 2,
      expected: 'a number between 0 and 1, such as 0.01',
    });
  });
});
