// Several runs with one state: what each of them owns is left to it, and a run that is given again is known.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { requiresPosix } from '../support/platform.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const flags = ['-m', '64KiB', '--max-record', '64KiB', '-a', 'exact', '--state', 's'];
const again = /^firstseen: this run was finished before[^\n]*\n$/;

let cwd: string;

const write = (name: string, content: string) => writeFileSync(join(cwd, name), content);
const append = (name: string, content: string) => appendFileSync(join(cwd, name), content);
const read = (name: string) => readFileSync(join(cwd, name), 'utf8');

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runCommand([...args, ...flags], { cwd });
  return { code, stdout: stdout.toString(), stderr };
}

const quiet = { code: 0, stdout: '', stderr: '' };

beforeEach(async () => {
  cwd = temporaryFolder();
  write('1.log', 'a\nb\n');
  write('2.log', 'b\nc\n');
});

describe('a finished run that is given again', () => {
  beforeEach(async () => {
    expect(await run('1.log', '-o', '1.out')).toEqual(quiet);
    expect(await run('2.log', '-o', '2.out')).toEqual(quiet);
  });

  test('says so, and leaves its output and the state as they are', async () => {
    const before = [statSync(join(cwd, '1.out')).mtimeMs, readFileSync(join(cwd, 's'))];
    const { code, stderr } = await run('1.log', '-o', '1.out');
    expect(stderr).toMatch(again);
    expect(code).toBe(0);
    expect([read('1.out'), read('2.out')]).toEqual(['a\nb\n', 'c\n']);
    expect([statSync(join(cwd, '1.out')).mtimeMs, readFileSync(join(cwd, 's'))]).toEqual(before);
  });

  test('is known under every way to write its paths', async () => {
    requiresPosix('links that every user may make');
    mkdirSync(join(cwd, 'folder'));
    symlinkSync('../1.log', join(cwd, 'folder/link.log'));
    symlinkSync('../1.out', join(cwd, 'folder/link.out'));
    const ways = [
      ['./1.log', './1.out'],
      [join(cwd, '1.log'), join(cwd, '1.out')],
      ['folder/../1.log', '1.out'],
      ['folder/link.log', 'folder/link.out'],
    ] as const;
    for (const [input, output] of ways) expect((await run(input, '-o', output)).stderr).toMatch(again);
    expect(read('1.out')).toBe('a\nb\n');
  });

  test('is read on if its input has grown, and its output is continued', async () => {
    append('1.log', 'c\nd\n');
    expect(await run('1.log', '-o', '1.out')).toEqual(quiet);
    expect(read('1.out')).toBe('a\nb\nd\n');
    append('2.log', 'e\n');
    expect(await run('2.log', '-o', '2.out')).toEqual(quiet);
    expect(read('2.out')).toBe('c\ne\n');
    for (const name of ['1', '2']) expect((await run(`${name}.log`, '-o', `${name}.out`)).stderr).toMatch(again);
  });

  test('says so in the statistics, which then are alone on standard error', async () => {
    const { stderr } = await run('1.log', '-o', '1.out', '--stats=json');
    expect(JSON.parse(stderr)).toMatchObject({
      ...{ records: 0, resumed: true, error: null, all_runs: { records: 4 } },
      ...{ notices: [expect.any(String)], warnings: [], ending: null },
    });
  });

  test('says so in a line of JSON with --log-format json', async () => {
    const { stderr } = await run('1.log', '-o', '1.out', '--log-format', 'json');
    const { time, ...notice } = JSON.parse(stderr);
    expect(time).toEqual(expect.any(String));
    expect(notice).toEqual({
      ...{ level: 'info', code: 'NOTICE' },
      message: expect.stringMatching(/^this run was finished before/),
    });
  });

  test('overwrites its output with --new-run', async () => {
    expect(await run('1.log', '-o', '1.out', '--new-run')).toEqual(quiet);
    expect(read('1.out')).toBe('');
    expect((await run('1.log', '-o', '1.out')).stderr).toMatch(again);
  });
});

test('a finished run to a compressed output is continued after others', async () => {
  await run('1.log', '-o', '1.gz');
  await run('2.log', '-o', '2.gz');
  append('1.log', 'd\n');
  expect(await run('1.log', '-o', '1.gz')).toEqual(quiet);
  expect(gunzipSync(readFileSync(join(cwd, '1.gz'))).toString()).toBe('a\nb\nd\n');
});

test('a state remembers many finished runs', async () => {
  for (let i = 0; i < 12; i++) {
    write(`many-${i}.txt`, `record ${i}\n`);
    expect(await run(`many-${i}.txt`, '-o', `many-${i}.out`)).toEqual(quiet);
  }
  for (let i = 0; i < 12; i++) expect((await run(`many-${i}.txt`, '-o', `many-${i}.out`)).stderr).toMatch(again);
});

describe('an output that another program wrote', () => {
  test('is refused, unless it is empty or --new-run is given', async () => {
    write('1.out', 'precious\n');
    const { code, stderr } = await run('1.log', '-o', '1.out');
    expect(stderr).toMatch(
      /^firstseen: 1\.out already exists, and no run with state s has written it; .*--new-run.*\[E_OUTPUT\]\n$/,
    );
    expect(code).toBe(1);
    expect(read('1.out')).toBe('precious\n');
    expect(existsSync(join(cwd, 's'))).toBe(false);
    write('empty.out', '');
    expect(await run('1.log', '-o', 'empty.out')).toEqual(quiet);
    expect(await run('1.log', '-o', '1.out', '--new-run')).toEqual(quiet);
    expect([read('empty.out'), read('1.out')]).toEqual(['a\nb\n', '']);
  });

  test('is overwritten without a state', async () => {
    write('1.out', 'old\n');
    expect((await runCommand(['1.log', '-o', '1.out'], { cwd })).code).toBe(0);
    expect(read('1.out')).toBe('a\nb\n');
  });

  test('is refused if it was written by a run with another state', async () => {
    await run('1.log', '-o', 'out');
    const other = await runCommand(['2.log', '-o', 'out', '-m', '64KiB', '--state', 'other'], { cwd });
    expect(other.stderr).toMatch(/^firstseen: out already exists, .*\[E_OUTPUT\]\n$/);
    expect(read('out')).toBe('a\nb\n');
  });
});

test.each<[string, () => void]>([
  ['appended to', () => append('out', 'other\n')],
  ['changed', () => write('out', 'A\nb\n')],
  ['shortened', () => write('out', 'a\n')],
])('an output that something else has %s is refused and stays as it is', async (_, change) => {
  await run('1.log', '-o', 'out');
  change();
  append('1.log', 'c\n');
  const before = read('out');
  const { code, stderr } = await run('1.log', '-o', 'out');
  expect(stderr).toMatch(/^firstseen: out (has|was changed) .*\[E_OUTPUT\]\n$/);
  expect(code).toBe(1);
  expect(read('out')).toBe(before);
});

test('a run that failed before its state was saved is repeated, and no other run takes its output', async () => {
  write('in.ndjson', '{"id":1}\n{\n');
  const keys = ['-k', 'id'];
  expect((await run('in.ndjson', ...keys, '-o', 'out')).code).toBe(1);
  expect(read('out')).toBe('{"id":1}\n');
  write('other.ndjson', '{"id":2}\n');
  expect((await run('other.ndjson', ...keys, '-o', 'out')).stderr).toMatch(/already exists/);
  write('in.ndjson', '{"id":1}\n{"id":2}\n');
  expect(await run('in.ndjson', ...keys, '-o', 'out')).toEqual(quiet);
  expect(read('out')).toBe('{"id":1}\n{"id":2}\n');
  expect(existsSync(join(cwd, 's.begun'))).toBe(false);
});

test('more inputs to the same output are appended', async () => {
  await run('1.log', '-o', 'out');
  expect(await run('1.log', '2.log', '-o', 'out')).toEqual(quiet);
  expect(read('out')).toBe('a\nb\nc\n');
  rmSync(join(cwd, '1.log'));
  expect((await run('2.log', '-o', 'out')).stderr).toMatch(again);
});
