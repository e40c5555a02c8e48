// Signals that a run receives while it waits for input.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { requiresPosix } from '../support/platform.js';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';

const binPath = fileURLToPath(new URL('../../bin/firstseen.js', import.meta.url));

let cwd = '';

beforeEach(() => {
  requiresPosix('signals that a process can handle');
  cwd = temporaryFolder();
});

/** A run that has passed one record and waits for more. */
async function running(...args: string[]) {
  const child = startFirstseen(['-m', '64KiB', ...args], { cwd });
  const result = finished(child);
  child.stdin.write('a\n');
  await once(child.stdout, 'data');
  return { child, result };
}

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s saves the state', async (signal, code) => {
  const { child, result } = await running('--state', 's');
  child.kill(signal);
  expect(await result).toMatchObject({
    code,
    stderr: `firstseen: stopped by ${signal} after 1 record; run the same command again to continue\n`,
  });
  expect([existsSync(join(cwd, 's')), existsSync(join(cwd, 's.lock'))]).toEqual([true, false]);
});

test('SIGUSR1 opens no debugger and prints the summary so far', async () => {
  const { child, result } = await running('--stats=json');
  child.kill('SIGUSR1');
  const [soFar] = (await once(child.stderr, 'data')) as [Buffer];
  expect(JSON.parse(String(soFar))).toMatchObject({ records: 1, interrupted: false, error: null });
  child.stdin.end('b\n');
  const { code, stderr } = await result;
  expect(code).toBe(0);
  expect(stderr).not.toContain('Debugger');
  expect(JSON.parse(stderr.trim().split('\n').at(-1) as string)).toMatchObject({ records: 2 });
});

/** Makes Node send itself SIGUSR1 when it is about to load the modules of the command, and leave a file that says so. */
const SIGNAL_AT_LOADING = `
const fs = require('node:fs');
const readFileSync = fs.readFileSync;
fs.readFileSync = function (path, ...others) {
  if (String(path).endsWith('/dist/cli/main.js')) {
    process.kill(process.pid, 'SIGUSR1');
    fs.writeFileSync('signalled', '');
  }
  return readFileSync.call(this, path, ...others);
};
`;

test('SIGUSR1 opens no debugger while the modules of the command load', () => {
  const preload = join(cwd, 'preload.cjs');
  writeFileSync(preload, SIGNAL_AT_LOADING);
  const args = ['--require', preload, '--inspect-port=0', binPath, '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^\d/);
  expect(existsSync(join(cwd, 'signalled'))).toBe(true);
});
