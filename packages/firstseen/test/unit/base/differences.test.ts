import { expect, test } from 'vitest';
import { differencesOf } from '../../../src/base/differences.js';

test('only settings that are given and differ have a text', () => {
  const found = differencesOf([
    { what: 'seed', inState: 1n, given: 2 },
    { what: 'bands', inState: '9x13', given: '9x13' },
    { what: 'layout', inState: 'blocked', given: undefined },
    { what: 'number', inState: 3n, given: 3 },
    { what: 'memory', inState: 1024, given: 2048, show: (bytes) => `${Number(bytes) / 1024}KiB` },
    { what: 'fpr', inState: undefined, given: 0.01 },
  ]);
  expect(found).toEqual([
    'seed is 1 in the state, not 2',
    'memory is 1KiB in the state, not 2KiB',
    'fpr is undefined in the state, not 0.01',
  ]);
});
