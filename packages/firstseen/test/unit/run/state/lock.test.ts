// The lock of a state, wanted by several processes at once.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { lockState } from '../../../../src/run/state/lock.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { requires } from '../../../support/platform.js';

/** More than any system gives to a process. */
const DEAD = '999999999';

/** For what comes at once where the processors are free. */
const patience = { timeout: 30_000 };

function stateIn(folder: string): string {
  return join(folder, 's');
}

/** Leaves behind what a run leaves that was killed. */
function leaveBehind(state: string): void {
  mkdirSync(`${state}.lock`, { recursive: true });
  writeFileSync(join(`${state}.lock`, DEAD), '');
}

/** Locks over and over, a dead run's lock always there, and says when somebody else was in meanwhile. */
const contender = `
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
const { lockState } = await import(process.argv[1]);
let entered = 0;
let unlock;
for (let round = 0; round < 1000; round++) {
  try {
    mkdirSync('s.lock', { recursive: true });
    writeFileSync('s.lock/${DEAD}', '');
    unlock = lockState('s');
  } catch {
    continue;
  }
  entered++;
  try {
    closeSync(openSync('inside', 'wx'));
    rmSync('inside');
  } catch {
    console.log('two were in');
  }
  unlock();
}
console.log(entered > 0 ? 'was in' : 'was never in');
`;

test('never lets two in, whoever left it behind', async () => {
  const cwd = temporaryFolder();
  const path = fileURLToPath(new URL('../../../../dist/internal.js', import.meta.url));
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', contender, path], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const said = await Promise.all(
    children.map(async (child) => {
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      await once(child, 'close');
      return text;
    }),
  );
  expect(said.join('')).not.toContain('two were in');
  expect(said.join('')).toContain('was in');
}, 30_000);

test('is taken over from the dead, and leaves nothing behind', () => {
  const folder = temporaryFolder();
  const state = stateIn(folder);
  leaveBehind(state);
  const unlock = lockState(state);
  expect(readdirSync(`${state}.lock`)).toEqual([String(process.pid)]);
  unlock();
  expect(existsSync(`${state}.lock`)).toBe(false);
});

test('is taken over from one that ended and that nobody waits for', async () => {
  requires(process.platform === 'linux', 'only Linux has the states of processes in /proc');
  // The shell becomes a program that knows nothing of its child, which ends only then: a shell would wait for it.
  const parent = spawn('/bin/sh', ['-c', 'exec 3<&0; read line <&3 & echo $!; exec sleep 30'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const zombie = String(line).trim();
    await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'latin1').trim()).toBe('sleep'), patience);
    parent.stdin.end();
    await vi.waitFor(() => expect(readFileSync(`/proc/${zombie}/stat`, 'latin1')).toContain(') Z '), patience);
    const state = stateIn(temporaryFolder());
    mkdirSync(`${state}.lock`);
    writeFileSync(join(`${state}.lock`, zombie), '');
    const unlock = lockState(state);
    expect(readdirSync(`${state}.lock`)).toEqual([String(process.pid)]);
    unlock();
  } finally {
    parent.kill('SIGKILL');
  }
});

test('is not given free by one that was refused it', () => {
  const state = stateIn(temporaryFolder());
  const other = String(process.ppid);
  mkdirSync(`${state}.lock`);
  writeFileSync(join(`${state}.lock`, other), '');
  expect(() => lockState(state)).toThrow(expect.objectContaining({ code: 'E_STATE_FILE' }));
  expect(readdirSync(`${state}.lock`)).toEqual([other]);
});

test('is for one run of a process, which leaves nothing listening', () => {
  const folder = temporaryFolder();
  const state = stateIn(folder);
  const listeners = process.listenerCount('exit');
  const unlock = lockState(state);
  expect(() => lockState(`${folder}/./s`)).toThrow('another run of this process uses it; wait until it ends');
  expect(existsSync(`${state}.lock`)).toBe(true);
  unlock();
  expect(process.listenerCount('exit')).toBe(listeners);
  lockState(state)();
  expect(existsSync(`${state}.lock`)).toBe(false);
});

test('makes no folder for a state', () => {
  const folder = temporaryFolder();
  expect(() => lockState(join(folder, 'missing', 's'))).toThrow(expect.objectContaining({ code: 'E_STATE_FILE' }));
  expect(existsSync(join(folder, 'missing'))).toBe(false);
});

test('that is a file is no lock of this version', () => {
  const state = stateIn(temporaryFolder());
  writeFileSync(`${state}.lock`, '1\n');
  expect(() => lockState(state)).toThrow(`${state}.lock is not a directory; remove it if no run uses the state`);
});
