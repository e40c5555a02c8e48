// The warning that no record has the key.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from './support/command.js';
import { runWithSmallRecords } from './support/runner.js';

let cwd = '';
const objects = (count: number) => Array.from({ length: count }, (_, i) => `{"id":${i},"a.b":1,"n":{}}\n`).join('');

beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'long.ndjson'), objects(30_000));
  writeFileSync(join(cwd, 'short.ndjson'), objects(200));
  writeFileSync(join(cwd, 'few.ndjson'), objects(99));
  writeFileSync(join(cwd, 'late.ndjson'), `${objects(200)}{"idd":1}\n`);
});

const stderrOf = async (...args: readonly string[]) => (await runWithSmallRecords(args, { cwd })).stderr;

test.each([
  ['long.ndjson', 'distinct'],
  ['long.ndjson', 'drop'],
  ['short.ndjson', 'distinct'],
  ['short.ndjson', 'drop'],
])('%s without the key, with --missing-key %s', async (file, policy) => {
  expect(await stderrOf(file, '-k', 'idd', '--missing-key', policy)).toMatch(
    /^firstseen: warning: none of the first [0-9]+ records has a value for the key "idd"; check its name \[E_KEY_MISSING\]\n$/,
  );
});

test('the fields that are left out of records are looked for too, with any number of threads', async () => {
  writeFileSync(join(cwd, 'a.txt'), 'a b\n'.repeat(200));
  const problem = (name: string) =>
    `firstseen: warning: none of the first 200 records has the field "${name}"; check its name [E_KEY_MISSING]\n`;
  for (const threads of ['1', '2']) {
    const stderrWithout = (file: string, ...names: string[]) =>
      stderrOf(file, '--threads', threads, ...names.flatMap((name) => ['--key-except', name]));
    expect(await stderrWithout('short.ndjson', 'idd')).toBe(problem('idd'));
    expect(await stderrWithout('long.ndjson', 'idd')).toMatch(
      /none of the first [0-9]+ records has the field "idd"; check/,
    );
    expect(await stderrWithout('a.txt', '3')).toBe(problem('3'));
    expect(await stderrWithout('short.ndjson', 'idd', 'id')).toBe('');
    expect(await stderrWithout('late.ndjson', 'idd')).toBe('');
    expect(await stderrWithout('few.ndjson', 'idd')).toBe('');
  }
});

test.each([
  ['few.ndjson', 'idd'],
  ['late.ndjson', 'idd'],
  ['long.ndjson', 'id'],
])('%s has no warning with --key %s', async (file, key) => {
  expect(await stderrOf(file, '-k', key, '--missing-key', 'distinct')).toBe('');
});

test('names the right form of a list of keys and of a name with a dot', async () => {
  const list = 'for several keys, give --key id --key n';
  const dotted = `for a field with dots in its name, give --key '["a.b"]'`;
  for (const more of [['--missing-key', 'drop'], []]) {
    expect(await stderrOf('short.ndjson', '-k', 'id,n', ...more)).toContain(list);
    expect(await stderrOf('short.ndjson', '-k', 'a.b', ...more)).toContain(dotted);
    expect(await stderrOf('short.ndjson', '-k', 'idd', ...more)).not.toContain('give --key');
  }
  writeFileSync(join(cwd, 'a.csv'), 'id,n\n1,2\n');
  expect(await stderrOf('a.csv', '-k', 'id,n')).toContain(list);
  expect(await stderrOf('short.ndjson', '-k', '["a.b"]')).toBe('');
});
