import { describe, expect, test } from 'vitest';
import {
  countedAs,
  decide,
  locationOf,
  missingTime,
  policyRemedy,
  recordError,
  timeProblem,
  tooLongReason,
} from '../../../src/framing/exceptions.js';
import { decisions, recordClasses } from '../../../src/records/classes.js';

const { BLANK, KEY_MISSING, KEY_EMPTY, TOO_LONG, BAD_STRUCTURE } = recordClasses;

test.each([
  [BLANK, 'fail', 'fail', decisions.COPIED],
  [KEY_MISSING, 'fail', 'pass', 'fail'],
  [KEY_MISSING, 'distinct', 'fail', decisions.PASSED],
  [KEY_MISSING, 'drop', 'fail', decisions.DROPPED],
  [TOO_LONG, 'distinct', 'fail', 'fail'],
  [TOO_LONG, 'fail', 'drop', decisions.DROPPED],
  [BAD_STRUCTURE, 'fail', 'pass', decisions.PASSED],
] as const)('%j with missingKey %s and onError %s', (found, missingKey, onError, expected) => {
  expect(decide(found, { missingKey, emptyKey: 'fail', onError })).toBe(expected);
});

test.each([
  ['distinct', decisions.PASSED],
  ['drop', decisions.DROPPED],
  ['fail', 'fail'],
] as const)('an empty key with emptyKey %s', (emptyKey, expected) => {
  const others =
    expected === 'fail'
      ? ({ missingKey: 'drop', onError: 'drop' } as const)
      : ({ missingKey: 'fail', onError: 'fail' } as const);
  expect(decide(KEY_EMPTY, { emptyKey, ...others })).toBe(expected);
  expect(recordError(KEY_EMPTY, 'a, line 7', KEY_EMPTY.reason)).toMatchObject({
    ...{ code: 'E_KEY_MISSING', remedy: expect.stringContaining('emptyKey distinct') },
  });
});

test('records are counted by the kind of their error', () => {
  expect([BLANK, KEY_MISSING, KEY_EMPTY, TOO_LONG, BAD_STRUCTURE].map(countedAs)).toEqual([
    undefined,
    'missingKey',
    'emptyKey',
    'tooLong',
    'invalid',
  ]);
});

test('a location names the input and the line or record', () => {
  expect(locationOf('a.log', 'line', 7)).toBe('a.log, line 7');
});

describe('the error of a record', () => {
  const flagOf = (option: string) => `--${option}`;

  test('names the policy to choose, as a flag or as an option', () => {
    const error = recordError(BAD_STRUCTURE, 'a, line 7', BAD_STRUCTURE.reason);
    expect(error.code).toBe('E_RECORD');
    expect(error.remedy).toBe('choose onError pass to pass it on unchecked, or onError drop to leave it out');
    expect(error.message).toBe(`a, line 7: ${BAD_STRUCTURE.reason}; ${error.remedy}`);
    expect(error.render(flagOf)).toContain('--onError drop');
  });

  test('without a key names the policy for missing keys', () => {
    const error = recordError(KEY_MISSING, 'a, line 7', KEY_MISSING.reason);
    expect(error).toMatchObject({ code: 'E_KEY_MISSING', remedy: expect.stringContaining('missingKey distinct') });
  });

  test('that is too long names the option with the limit', () => {
    const error = recordError(TOO_LONG, 'a, line 7', tooLongReason(2000));
    expect(error.render(flagOf)).toContain('the record is longer than --maxRecordBytes, 2,000 bytes');
  });

  test('has the remedy for documents', () => {
    expect(recordError(TOO_LONG, 'a', 'b').remedy).toBe(
      policyRemedy('INVALID')
        .map((part) => (typeof part === 'string' ? part : part.option))
        .join(''),
    );
  });
});

const timeField = { names: ['at'], format: 'auto', hasYear: true, wordCount: 1 };

test('a time that is missing is told with the names of its fields', () => {
  const { TIME_UNREADABLE } = recordClasses;
  const error = recordError(TIME_UNREADABLE, 'a, line 7', missingTime(timeField).reason);
  expect(error.message).toContain('a, line 7: the record has no time in timeKey "at"; choose onError pass');
  const several = recordError(TIME_UNREADABLE, 'a', missingTime({ ...timeField, names: ['d', 't'] }).reason);
  expect(several.message).toContain('a: the record has no time in timeKey "d" and "t"; choose');
});

describe('a time that is not valid', () => {
  test.each([
    ['2026-01-01', 'auto', 'give timeFormat iso'],
    ['2026-01-01 10:00:00', '%d.%m.%Y', 'give timeFormat iso'],
    ['20/May/2015:10:05:03 +0200', 'auto', 'give timeFormat clf'],
    ['1700000000', 'iso', 'give timeFormat seconds'],
    ['1700000000000', 'iso', 'give timeFormat milliseconds'],
    ['1700000000000000', 'auto', 'give timeFormat microseconds'],
    ['1700000000000000000', 'auto', 'give timeFormat nanoseconds'],
    ['2026-13-45', 'iso', 'give the format of the times as timeFormat'],
    ['soon', 'auto', 'give the format of the times as timeFormat'],
  ])('%s: the format that it looks like is suggested, instead of %s', (text, format, remedy) => {
    const { TIME_UNREADABLE } = recordClasses;
    const problem = timeProblem(TIME_UNREADABLE, { ...timeField, format }, text);
    const error = recordError(TIME_UNREADABLE, 'a, line 7', problem.reason, problem.remedy);
    expect(error.remedy).toMatch(new RegExp(`^${remedy}, or choose`));
    expect(error.message).toContain(`a, line 7: at is "${text}", but must be a time in `);
  });

  test('several fields are named', () => {
    const problem = timeProblem(recordClasses.TIME_UNREADABLE, { ...timeField, names: ['d', 't'] }, '1 2');
    expect(recordError(recordClasses.TIME_UNREADABLE, 'a', problem.reason).message).toContain(
      'a: d and t are "1 2", but',
    );
  });

  test('a leap day that was not in the last year may be of an old log', () => {
    const { remedy } = timeProblem(recordClasses.TIME_UNREADABLE, { ...timeField, hasYear: false }, 'Feb 29');
    expect(recordError(recordClasses.TIME_UNREADABLE, 'a', '', remedy).remedy).toMatch(
      / of an old log as timeUntil, or choose/,
    );
  });

  test('a time without a year that is ahead may be that of another zone or of an old log', () => {
    const { TIME_AHEAD } = recordClasses;
    expect(timeProblem(TIME_AHEAD, timeField, '5').remedy).toBeUndefined();
    const { reason, remedy } = timeProblem(TIME_AHEAD, { ...timeField, hasYear: false }, 'Nov  1');
    expect(recordError(TIME_AHEAD, 'a', reason, remedy).remedy).toMatch(
      /^give the timeZone of .*, or timeUntil for .*, or choose/,
    );
  });
});
