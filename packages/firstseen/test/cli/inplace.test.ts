// An output that is the only input: the file is replaced at the end, and stays as it was until then.

import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { requiresPosix } from '../support/platform.js';
import { finished, runFirstseen, startFirstseen, temporaryFolder } from './support/command.js';

function folderWith(name: string, content: string | Uint8Array): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, name), content);
  return cwd;
}

test('the file keeps its permissions, and a link to it stays a link', async () => {
  requiresPosix('file modes');
  requiresPosix('links that every user may make');
  const cwd = folderWith('in', 'a\nb\na\n');
  chmodSync(join(cwd, 'in'), 0o640);
  symlinkSync('in', join(cwd, 'link'));
  expect(await runFirstseen(['link', '-o', './link'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'in'), 'utf8')).toBe('a\nb\n');
  expect(statSync(join(cwd, 'in')).mode & 0o777).toBe(0o640);
  expect(lstatSync(join(cwd, 'link')).isSymbolicLink()).toBe(true);
  expect(readdirSync(cwd).sort()).toEqual(['in', 'link']);
});

test('a compressed file stays compressed, and an empty one empty', async () => {
  const cwd = folderWith('in.gz', gzipSync('a\nb\na\n'));
  writeFileSync(join(cwd, 'empty'), '');
  await runFirstseen(['in.gz', '-o', 'in.gz'], { cwd });
  expect(gunzipSync(readFileSync(join(cwd, 'in.gz'))).toString()).toBe('a\nb\n');
  expect(await runFirstseen(['empty', '-o', 'empty'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'empty'), 'utf8')).toBe('');
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
  expect(await runFirstseen(['in', '-o', 'in'], { cwd })).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, 'in'), 'utf8') === whole).toBe(true);
});

test('the file stays as it was when a record fails', async () => {
  const cwd = folderWith('in.ndjson', '{"id":1}\n{"id":1}\n{"a":1}\n');
  expect(await runFirstseen(['in.ndjson', '-k', 'id', '-o', 'in.ndjson'], { cwd })).toMatchObject({ code: 1 });
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
  const { code, stderr } = await runFirstseen(args, { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(readFileSync(join(cwd, 'in'), 'utf8')).toBe('a\na\n');
});
