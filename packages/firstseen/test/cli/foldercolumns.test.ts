// Columns in the names of folders.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from './support/command.js';
import { runWithSmallRecords } from './support/runner.js';

let cwd = '';

function put(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runWithSmallRecords(args, { cwd });
  return { code, stdout: stdout.toString(), stderr };
}

const textOf = (path: string) => readFileSync(join(cwd, path), 'utf8');

beforeEach(() => {
  cwd = temporaryFolder();
  put('in/p=a/0.jsonl', '{"id":1}\n{"id":2}\n{"id":1}\n');
  put('in/p=b/0.jsonl', '{"id":1}\n{"id":3}\n');
});

const key = ['--folder-columns', 'key'];

test('whole records in folders that differ are not compared until it is said what the columns are', async () => {
  for (const inputs of [['in'], ['in/p=a/0.jsonl', 'in/p=b/0.jsonl']]) {
    const { code, stdout, stderr } = await run(...inputs, '--output-folder', 'out');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'firstseen: in/p=a/0.jsonl and in/p=b/0.jsonl differ in the column p, which is in the names of their folders; give --folder-columns key to compare records with such columns, or --folder-columns none to compare them without [E_USAGE]\n',
    );
  }
  expect((await run('in', '--folder-columns', 'none')).stdout).toBe('{"id":1}\n{"id":2}\n{"id":3}\n');
  expect((await run('in/p=a', '-k', 'id')).stdout).toBe('{"id":1}\n{"id":2}\n');
  expect((await run('in/p=a')).stdout).toBe('{"id":1}\n{"id":2}\n');
});

test('they belong to whole records, whatever the format is', async () => {
  put('in.csv/p=a/0.csv', 'id,x\n1,y\n1,y\n');
  put('in.csv/p=b/0.csv', 'id,x\n1,y\n');
  for (const [input, name, text] of [
    ['in', '0.jsonl', ['{"id":1}\n{"id":2}\n', '{"id":1}\n{"id":3}\n']],
    ['in.csv', '0.csv', ['id,x\n1,y\n', 'id,x\n1,y\n']],
  ] as const) {
    const folder = `out-${input}`;
    for (const flags of [[], ['--threads', '2']]) {
      expect(await run(input, ...key, '--output-folder', folder, ...flags)).toMatchObject({ code: 0, stderr: '' });
      expect(['a', 'b'].map((p) => textOf(`${folder}/p=${p}/${name}`))).toEqual(text);
    }
  }
});

test('they can be keys beside those in the records', async () => {
  put('in/p=b/0.jsonl', '{"id":1}\n{"id":3}\n{"id":3,"x":1}\n');
  const refused = await run('in', '-k', 'p', '-k', 'id');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    '--key p is a column in the names of folders, as in in/p=a/0.jsonl; give --folder-columns key',
  );
  const { stdout } = await run('in', '-k', 'p', '-k', 'id', ...key, '--emit', 'verdicts');
  expect(stdout.split('\n')).toEqual(['distinct', 'distinct', 'duplicate', 'distinct', 'distinct', 'duplicate', '']);
  const alone = await run('in', '-k', 'id', ...key, '--emit', 'verdicts');
  expect(alone.stdout.split('\n')).toEqual([
    'distinct',
    'distinct',
    'duplicate',
    'duplicate',
    'distinct',
    'duplicate',
    '',
  ]);
});

test.each([
  ['one output', [], 'one output has no place for columns of folders; give --output-folder'],
  ['a spill', ['-a', 'exact', '--spill', '.', '--output-folder', 'out'], 'a run with --spill compares keys alone'],
  ['a state', ['--state', 's', '--output-folder', 'out'], 'a state has keys alone'],
  ['a key of folders alone', ['-k', 'p', '--output-folder', 'out'], 'no key is in the records'],
])('are refused as keys with %s', async (_, flags, problem) => {
  const { code, stderr } = await run('in', ...key, ...flags);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
});

test('every input is in a folder of a column that is a key', async () => {
  put('in/1.jsonl', '{"id":1}\n');
  const { stderr } = await run('in', ...key, '-k', 'p', '-k', 'id', '--emit', 'verdicts');
  expect(stderr).toContain('--key p is a column in the names of folders, but in/1.jsonl is in no such folder');
});
