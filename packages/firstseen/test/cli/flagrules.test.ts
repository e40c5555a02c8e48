// Flags that have no effect on a command line are refused, before any output is opened.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

/** Command lines, and the message of each without its beginning and its code. */
const idle: readonly [string, string][] = [
  [
    'a.txt -a sbf --on-overload fail',
    '--on-overload has no effect with --algorithm sbf, which has no target; leave it out, or give the target as --fpr',
  ],
  [
    'a.txt --window-slack 10% --expect-distinct 5',
    '--expect-distinct has no effect together with --window-slack; leave one of them out',
  ],
  [
    'a.txt --window 5 --max-lead 5m',
    '--max-lead has no effect with --window 5, which is a number of elements; leave it out, or give a duration such as 1h as --window',
  ],
  [
    'a.txt --window 5 --state s --reset-clock',
    '--reset-clock has no effect with --window 5, which is a number of elements; leave it out, or give a duration such as 1h as --window',
  ],
  [
    'a.txt --state s --reset-clock',
    '--reset-clock has no effect, because the window is not a duration; leave it out, or give a --window such as 1h',
  ],
  [
    'a.csv --window 1h --time-key t --time-format clf --time-zone UTC',
    '--time-zone is "UTC", but must be left out for the time format clf, whose times name their zone',
  ],
  [
    'a.csv --window 1h --time-until 2015',
    '--time-until requires --time-key; give --time-key, or leave --time-until out',
  ],
  [
    'a.csv --window 1h --time-key t --time-until 2015',
    '--time-until is "2015", but must be left out for the time format auto, whose times have a year',
  ],
];

/** Command lines as aliases and scripts for many files have them: the case that a flag decides does not occur. */
const harmless: readonly string[] = [
  'a.txt --missing-key distinct --on-error drop',
  'a.csv --missing-key drop',
  'a.txt --empty-key drop --null-key missing',
  'a.csv -k id --null-key missing',
  'a.txt --strict',
  'a.txt --no-header',
  'a.ndjson --no-header',
  'a.txt -a exact --on-overload fail',
  'a.txt -a sbf --on-overload warn',
  'a.txt -a exact --fpr 0.1',
  'a.txt -a buffer --fpr 0.1',
  'a.txt -a exact --window 5 --window-slack 10%',
  'a.txt -a qht --gaps 5',
  'a.txt --window 9 --gaps 5',
  'near a.ndjson -a exact --fpr 0.1',
  'near folder --missing-key drop',
];

function folderWithFiles(): string {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'folder'));
  const files = { 'a.txt': 'a\n', 'a.csv': 'id,t\n1,2\n', 'a.ndjson': '{"text":"a"}\n', 'folder/b': 'b\n' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  return cwd;
}

describe('a flag that waits for a case that does not occur is accepted', () => {
  test.each(harmless)('%s', async (line) => {
    const { code, stderr } = await runCommand([...line.split(' '), '-o', 'out'], { cwd: folderWithFiles() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

describe('a flag without effect is refused', () => {
  test.each(idle)('%s', async (line, message) => {
    const cwd = folderWithFiles();
    const { code, stdout, stderr } = await runCommand([...line.split(' '), '-o', 'out'], { cwd });
    expect(stderr).toBe(`firstseen: ${message} [E_USAGE]\n`);
    expect({ code, stdout: String(stdout) }).toEqual({ code: 2, stdout: '' });
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });
});
