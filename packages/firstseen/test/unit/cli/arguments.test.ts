import { expect, test } from 'vitest';
import { withEscapedBytes } from '../../../src/cli/arguments.js';

const commandLine = Buffer.concat([Buffer.from('node\0main.js\0-o\0'), Buffer.of(0x61, 0xff, 0), Buffer.from('é\0')]);

test('bytes that are not UTF-8 are escaped', () => {
  expect(withEscapedBytes(['-o', 'a\ufffd', 'é'], commandLine)).toEqual(['-o', 'a\udcff', 'é']);
});

test('arguments that are not those of the command line stay as they are', () => {
  expect(withEscapedBytes(['-o', 'b', 'é'], commandLine)).toEqual(['-o', 'b', 'é']);
  expect(withEscapedBytes(['1', '2', '3', '4', '5', '6'], commandLine)).toHaveLength(6);
});
