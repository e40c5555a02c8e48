// Flags that have no effect on a command line are refused, before any output is opened.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runFirstseen, temporaryFolder } from './support/command.js';

/** Command lines, and the message of each without its beginning and its code. */
const idle: readonly [string, string][] = [
  [
    'a.txt -a exact --fpr 0.1',
    '--fpr has no effect with --algorithm exact; leave it out, or choose another --algorithm',
  ],
  [
    'a.txt -a buffer --fpr 0.1',
    '--fpr has no effect with --algorithm buffer; leave it out, or choose another --algorithm',
  ],
  [
    'a.txt -a exact --window 5 --window-slack 10%',
    '--window-slack has no effect with --algorithm exact; leave it out, or choose another --algorithm',
  ],
  [
    'a.txt -a exact --on-overload fail',
    '--on-overload has no effect with --algorithm exact; leave it out, or choose another --algorithm',
  ],
  [
    'a.txt -a sbf --on-overload fail',
    '--on-overload has no effect with --algorithm sbf, which has no target; leave it out, or give the target as --fpr',
  ],
  ['a.txt -a qht --gaps 5', '--gaps has no effect with --algorithm qht; leave it out, or give --algorithm auto or sbf'],
  ['a.txt --window 9 --gaps 5', '--gaps has no effect together with --window; leave one of them out'],
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
  ['a.txt --strict', '--strict has no effect on records of format lines; leave it out, or give another --format'],
  [
    'a.ndjson --no-header',
    '--no-header has no effect on records of format ndjson; leave it out, or give another --format',
  ],
  [
    'a.txt --missing-key drop',
    '--missing-key requires --key or --time-key; give --key or --time-key, or leave --missing-key out',
  ],
  ['a.txt --empty-key drop', '--empty-key requires --key; give --key, or leave --empty-key out'],
  ['a.ndjson --null-key value', '--null-key requires --key; give --key, or leave --null-key out'],
  [
    'a.csv -k id --null-key value',
    '--null-key has no effect on records of format csv; leave it out, or give another --format',
  ],
  [
    'a.csv --window 1h --time-key t --time-format clf --time-zone UTC',
    '--time-zone is "UTC", but must be left out for the time format clf, whose times name their zone',
  ],
  [
    'near a.ndjson -a exact --fpr 0.1',
    '--fpr has no effect with --algorithm exact; leave it out, or choose another --algorithm',
  ],
  [
    'near folder --missing-key drop',
    '--missing-key has no effect on records of format lines; leave it out, or give another --format',
  ],
];

describe('a flag without effect is refused', () => {
  test.each(idle)('%s', async (line, message) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'folder'));
    const files = { 'a.txt': 'a\n', 'a.csv': 'id,t\n1,2\n', 'a.ndjson': '{"text":"a"}\n', 'folder/b': 'b\n' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const { code, stdout, stderr } = await runFirstseen([...line.split(' '), '-o', 'out'], { cwd });
    expect(stderr).toBe(`firstseen: ${message} [E_USAGE]\n`);
    expect({ code, stdout: String(stdout) }).toEqual({ code: 2, stdout: '' });
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });
});
