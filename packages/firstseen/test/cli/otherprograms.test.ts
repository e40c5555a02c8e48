// Flags of uniq, sort, cut and awk are answered with what does the same.

import { expect, test } from 'vitest';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

test.each([
  ['-d', '--algorithm exact --spill FOLDER --emit repeated; to write the repeats, give --emit duplicates'],
  ['-D', 'give --emit duplicates'],
  ['-i', 'give --ignore-case'],
  ['-c', '--algorithm exact --spill FOLDER --count'],
  ['-u', '--algorithm exact --spill FOLDER --emit unique'],
  ['-f1', 'for a field of lines, give --key with its number'],
  ['-t,', '--delimiter unless blanks separate the fields'],
  ['--field-separator=,', '--delimiter unless blanks separate the fields'],
])('%s', async (flag, hint) => {
  const { code, stderr } = await runCommand([flag, 'file'], { cwd: temporaryFolder() });
  expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
});

test('a flag of a subcommand is not such a flag there', async () => {
  const { stderr } = await runCommand(['inspect', '-c', 'file'], { cwd: temporaryFolder() });
  expect(stderr).toBe("firstseen: unknown option '-c'; see firstseen inspect --help [E_USAGE]\n");
});
