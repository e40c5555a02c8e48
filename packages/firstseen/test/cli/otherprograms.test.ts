// Flags and values of uniq, sort, cut, awk, jq and others are answered with what does the same.

import { expect, test } from 'vitest';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

test.each([
  ['-d', 'give --emit repeated; to write the repeats, give --emit duplicates'],
  ['-d,', 'give --delimiter'],
  ['-D', 'give --emit duplicates'],
  ['-i', 'give --ignore-case'],
  ['-c', 'give --count'],
  ['-u', 'give --emit unique'],
  ['-f1', 'for a field of lines, give --key with its number'],
  ['-t,', '--delimiter unless blanks separate the fields'],
  ['--field-separator=,', '--delimiter unless blanks separate the fields'],
  ['--separator=;', 'give --delimiter'],
  ['--sep', 'give --delimiter'],
  ['-w3', 'for characters of a line, give --key-chars'],
  ['-s3', 'for characters of a line, give --key-chars'],
  ['--field', 'give --key with its name or number'],
  ['--columns', 'give --key with its name or number'],
  ['-r', 'records stay in their order'],
  ['-j4', 'give --threads'],
  ['--jobs', 'give --threads'],
  ['--null', 'give --zero-terminated'],
  ['-0', 'give --zero-terminated'],
  ['--in-place', 'give it as the input and as --output'],
  ['--time-year=2015', 'give --time-until with their last year or day'],
  ['--quiet', 'only warnings and errors are told'],
  ['-fjson-lines', 'one on each line, are ndjson'],
  ['--format=jsonl', 'one on each line, are ndjson'],
  ['--format=txt', 'each line is a record in the format lines'],
  ['--threads=0', 'a whole number from 1, or auto'],
])('%s', async (flag, hint) => {
  const { code, stderr } = await runCommand([flag, 'file'], { cwd: temporaryFolder() });
  expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
  expect(stderr).not.toContain('Did you mean');
});

test('a flag of a subcommand is not such a flag there', async () => {
  const { stderr } = await runCommand(['inspect', '-c', 'file'], { cwd: temporaryFolder() });
  expect(stderr).toBe("firstseen: unknown option '-c'; see firstseen inspect --help [E_USAGE]\n");
});

test('a command that can do the same has the hint too', async () => {
  const { stderr } = await runCommand(['near', '-j', '4', 'file'], { cwd: temporaryFolder() });
  expect(stderr).toContain('give --threads');
});
