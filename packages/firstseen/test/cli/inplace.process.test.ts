// An output that is the only input: the file is replaced at the end, and stays as it was until then.

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { NOBODY } from '../../../../tools/contained.mjs';
import { requestOf } from '../../src/io/sources.ts';
import { InPlace } from '../../src/run/inplace.ts';
import type { SettledOptions } from '../../src/run/settled.ts';
import type { RunStats } from '../../src/run/stats.ts';
import { parquetPath } from '../parquet/support.js';
import { requires, requiresNodeForOthers, requiresPosix } from '../support/platform.js';
import { finished, mainPath, startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

function folderWith(name: string, content: string | Uint8Array): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, name), content);
  return cwd;
}

test('the file keeps its permissions, and a link to it stays a link', async () => {
  requiresPosix('file modes');
  requiresPosix('links that every user may make');
  const cwd = folderWith('in', 'a\nb\na\n');
  chmodSync(join(cwd, 'in'), 0o6640);
  symlinkSync('in', join(cwd, 'link'));
  expect(await runCommand(['link', '-o', './link'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'in'), 'utf8')).toBe('a\nb\n');
  expect(statSync(join(cwd, 'in')).mode & 0o7777).toBe(0o6640);
  expect(lstatSync(join(cwd, 'link')).isSymbolicLink()).toBe(true);
  expect(readdirSync(cwd).sort()).toEqual(['in', 'link']);
});

test('a compressed file stays compressed, and an empty one empty', async () => {
  const cwd = folderWith('in.gz', gzipSync('a\nb\na\n'));
  writeFileSync(join(cwd, 'empty'), '');
  await runCommand(['in.gz', '-o', 'in.gz'], { cwd });
  expect(gunzipSync(readFileSync(join(cwd, 'in.gz'))).toString()).toBe('a\nb\n');
  expect(await runCommand(['empty', '-o', 'empty'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'empty'), 'utf8')).toBe('');
});

test.each([
  ['verdicts', ['--emit', 'verdicts']],
  ['spans', ['passages']],
  ['ids', ['near', '--emit', 'ids']],
  ['attributes', ['near', '--emit', 'attributes', '--id-key', 'id']],
])('a file is not replaced by %s, which are not its records', async (written, flags) => {
  const text = '{"id":1,"text":"a\\nb"}\n{"id":2,"text":"a\\nb"}\n';
  const cwd = folderWith('in.jsonl', text);
  const { code, stderr } = await runCommand([...flags, 'in.jsonl', '-o', 'in.jsonl'], { cwd });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `firstseen: --output is the input, and its records would be lost, because ${written} are written in their place; name another --output [E_USAGE]\n`,
  });
  expect(readFileSync(join(cwd, 'in.jsonl'), 'utf8')).toBe(text);
});

test('a name can be as long as the system allows', async () => {
  const name = `${'n'.repeat(246)}.csv.gz`;
  const cwd = folderWith(name, gzipSync('id\n1\n1\n'));
  expect(await runCommand([name, '-o', name], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(gunzipSync(readFileSync(join(cwd, name))).toString()).toBe('id\n1\n');
});

test.each([
  ['data', gzipSync('a\na\n'), 'data is gzip, but by its name it would be written as text; rename the file'],
  ['data.GZ', 'a\na\n', 'data.GZ is text, but by its name it would be written as gzip; rename the file'],
  ['data.xz', 'a\na\n', 'cannot write data.xz: an output is never compressed with xz'],
])('%s, which would be stored in another form, is refused', async (name, content, message) => {
  const cwd = folderWith(name, content);
  const { code, stderr } = await runCommand([name, '-o', name], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readFileSync(join(cwd, name))).toEqual(Buffer.from(content));
});

test('a file without the ending of Parquet is not replaced by text', async () => {
  const cwd = temporaryFolder();
  copyFileSync(parquetPath('types'), join(cwd, 'data'));
  const { code, stderr } = await runCommand(['data', '-f', 'parquet', '-o', 'data'], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining('data is parquet, but by its name it would be written')]);
});

test('the message of an output that cannot be written names the file', async () => {
  const cwd = temporaryFolder();
  copyFileSync(parquetPath('int96'), join(cwd, 'in.parquet'));
  const { code, stderr } = await runCommand(['in.parquet', '-o', 'in.parquet', '--compress'], { cwd });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^firstseen: --compress was given, but in\.parquet is Parquet/),
  ]);
});

test('a compressed file without an ending stays compressed with --compress', async () => {
  const cwd = folderWith('data', gzipSync('a\na\n'));
  expect(await runCommand(['data', '--compress', '-o', 'data'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(gunzipSync(readFileSync(join(cwd, 'data'))).toString()).toBe('a\n');
});

test('a Parquet file keeps its permissions, and nothing is left beside it after an error', async () => {
  requiresPosix('file modes');
  const cwd = temporaryFolder();
  const file = join(cwd, 'in.parquet');
  copyFileSync(parquetPath('types'), file);
  chmodSync(file, 0o600);
  expect(await runCommand(['in.parquet', '-o', 'in.parquet'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await runCommand(['in.parquet', '-o', 'in.parquet', '--memory', '999TiB'], { cwd })).code).not.toBe(0);
  expect(readdirSync(cwd)).toEqual(['in.parquet']);
});

test('a file that is not there is told', async () => {
  const cwd = temporaryFolder();
  expect(await runCommand(['other', '-o', 'other'], { cwd })).toMatchObject({
    ...{ code: 1, stderr: 'firstseen: cannot read other: there is no such file [E_INPUT]\n' },
  });
});

test.each([
  ['removed', (path: string) => rmSync(path), 'was removed or renamed'],
  ['written to', (path: string) => appendFileSync(path, 'b\n'), 'changed'],
])('a file that is %s during the run is not replaced', async (_, change, message) => {
  const cwd = folderWith('in', 'a\n');
  const path = join(cwd, 'in');
  const options = { output: { output: path }, state: {}, input: {} } as SettledOptions;
  const run = async () => {
    change(path);
    return { interrupted: false } as RunStats;
  };
  const replaced = InPlace.of(options, [requestOf(path)], 'lines')?.around(run);
  await expect(replaced).rejects.toThrow(`${path} ${message} while it was read, so it was not replaced`);
  expect(readdirSync(cwd).filter((name) => name !== 'in')).toEqual([]);
});

test('a folder that takes no new file is named', async () => {
  requires(process.getuid?.() !== undefined, 'this system has no user IDs');
  requiresNodeForOthers(NOBODY);
  const cwd = folderWith('in', 'a\na\n');
  chmodSync(cwd, 0o555);
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY } : {};
  const { status, stderr } = spawnSync(process.execPath, [mainPath, 'in', '-o', 'in'], { cwd, ...asNobody });
  chmodSync(cwd, 0o755);
  expect([status, stderr.toString()]).toEqual([
    1,
    'firstseen: cannot replace in: no file can be created in its folder: permission denied; name another output, and copy it over the file [E_OUTPUT]\n',
  ]);
});

test('the file stays as it was when the run is killed or stopped', async () => {
  requiresPosix('signals that a process can handle');
  const text = Array.from({ length: 300_000 }, (_, i) => `line ${i % 100_003}\n`).join('');
  const cwd = folderWith('in', text);
  const whole = [...new Set(text.split(/(?<=\n)/))].join('');
  for (const [i, signal] of (['SIGKILL', 'SIGINT', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const).entries()) {
    const child = startFirstseen(['in', '-o', 'in'], { cwd });
    const result = finished(child);
    await sleep(60 * i);
    child.kill(signal);
    await result;
    // Complete only if the run has ended before the signal.
    expect([text, whole].includes(readFileSync(join(cwd, 'in'), 'utf8'))).toBe(true);
  }
  expect(await runCommand(['in', '-o', 'in'], { cwd })).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, 'in'), 'utf8') === whole).toBe(true);
});

test('the file stays as it was when a record fails', async () => {
  const cwd = folderWith('in.ndjson', '{"id":1}\n{"id":1}\n{"a":1}\n');
  expect(await runCommand(['in.ndjson', '-k', 'id', '-o', 'in.ndjson'], { cwd })).toMatchObject({ code: 1 });
  expect(readFileSync(join(cwd, 'in.ndjson'), 'utf8')).toBe('{"id":1}\n{"id":1}\n{"a":1}\n');
  expect(readdirSync(cwd)).toEqual(['in.ndjson']);
});

test.each([
  [['in', '-o', 'in', '--state', 's'], 'a run with a state reads its input again'],
  [['in', '-o', 'in', '--follow'], 'a file that is followed is not complete'],
  [['in', 'other', '-o', 'in'], 'in would be written, but it is also an input'],
])('%j is refused', async (args, message) => {
  const cwd = folderWith('in', 'a\na\n');
  writeFileSync(join(cwd, 'other'), 'b\n');
  const { code, stderr } = await runCommand(args, { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readFileSync(join(cwd, 'in'), 'utf8')).toBe('a\na\n');
});
