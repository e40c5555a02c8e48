import { expect, test } from 'vitest';
import { withExplicitStats } from '../../../src/cli/flags.js';

test('withExplicitStats does not change files and other flags', () => {
  expect(withExplicitStats(['--stats', 'in.txt', '--stats=json', '--', '--stats', 'json'], ['json'])).toEqual([
    '--stats=text',
    'in.txt',
    '--stats=json',
    '--',
    '--stats',
    'json',
  ]);
});

test('withExplicitStats refuses a format that would be read as a file', () => {
  expect(() => withExplicitStats(['in.txt', '--stats', 'json'], ['text', 'json'])).toThrow(
    '--stats is followed by json, which would be read as a file; give --stats=json, or ./json for a file of that name',
  );
});
