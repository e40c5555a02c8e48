import { describe, expect, test } from 'vitest';
import { formatSeconds, progressWords, showsProgress } from '../../../src/cli/progress.js';

const place = { isWanted: true, isDumb: false, isErrorTerminal: true, isOutputTerminal: false, hasOutputFile: false };

describe('the bar shows', () => {
  test('if standard error is a terminal', () => expect(showsProgress(place)).toBe(true));
  test('not if it is disabled', () => expect(showsProgress({ ...place, isWanted: false })).toBe(false));
  test('not on a terminal that cannot move its cursor', () =>
    expect(showsProgress({ ...place, isDumb: true })).toBe(false));
  test('not if standard error is a file or a pipe', () =>
    expect(showsProgress({ ...place, isErrorTerminal: false })).toBe(false));
  test('not if records are written to the same terminal', () =>
    expect(showsProgress({ ...place, isOutputTerminal: true })).toBe(false));
  test('if standard error is a terminal and the records are written to a file', () =>
    expect(showsProgress({ ...place, isOutputTerminal: true, hasOutputFile: true })).toBe(true));
});

test.each([
  [0, '0s'],
  [59.6, '1m00s'],
  [3599, '59m59s'],
  [3661, '1h01m'],
  // What the bar's library gives before it has an estimate.
  ['INF', '?'],
  ['NULL', '?'],
  [Number.NaN, '?'],
  [Number.POSITIVE_INFINITY, '?'],
])('%s seconds are shown as %s', (seconds, shown) => expect(formatSeconds(seconds)).toBe(shown));

test('the text of the bar', () => {
  const progress = { inputBytes: 3 * 2 ** 20, inputTotalBytes: 2 ** 30, records: 120000, duplicates: 45000 };
  expect(progressWords(progress, 2)).toEqual({
    read: '3MiB',
    size: '1GiB',
    records: '120,000',
    rate: '60,000',
    duplicates: '45,000',
  });
  expect(progressWords({ inputBytes: 0, records: 0, duplicates: 0 }, 0)).toMatchObject({ read: '0B', rate: '0' });
});
