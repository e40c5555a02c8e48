// The lock of a state, with one process and with several processes that compete for it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { lockState } from '../../../../src/run/state/lock.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { requires } from '../../../support/platform.js';

/** A process number that no system assigns. */
const DEAD = '999999999';

/** A long time limit, because the machine may be busy. */
const patience = { timeout: 30_000 };

function stateIn(folder: string): string {
  return join(folder, 's');
}

/** Creates the lock that a killed run leaves behind. */
function leaveBehind(state: string): void {
  mkdirSync(`${state}.lock`, { recursive: true });
  writeFileSync(join(`${state}.lock`, DEAD), '');
}

/** A program that takes the lock repeatedly, each time from a dead run, and reports if another process holds it as well. */
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

test('the lock is never held by two processes, even if a dead process left it behind', async () => {
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

test('the lock is taken over from a dead process, and is removed afterwards', () => {
  const folder = temporaryFolder();
  const state = stateIn(folder);
  leaveBehind(state);
  const unlock = lockState(state);
  expect(readdirSync(`${state}.lock`)).toEqual([String(process.pid)]);
  unlock();
  expect(existsSync(`${state}.lock`)).toBe(false);
});

test('the lock is taken over from a zombie process', async () => {
  requires(process.platform === 'linux', 'only Linux has the states of processes in /proc');
  // The shell replaces itself with `sleep`, which does not wait for its child, so the child becomes a zombie when it ends.
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

test('the lock is not removed by a run that fails to take it', () => {
  const state = stateIn(temporaryFolder());
  const other = String(process.ppid);
  mkdirSync(`${state}.lock`);
  writeFileSync(join(`${state}.lock`, other), '');
  expect(() => lockState(state)).toThrow(expect.objectContaining({ code: 'E_STATE_FILE' }));
  expect(readdirSync(`${state}.lock`)).toEqual([other]);
});

test('the lock is held by only one run in a process, and unlocking removes its listeners', () => {
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

test('the lock is not created in a folder that does not exist', () => {
  const folder = temporaryFolder();
  expect(() => lockState(join(folder, 'missing', 's'))).toThrow(expect.objectContaining({ code: 'E_STATE_FILE' }));
  expect(existsSync(join(folder, 'missing'))).toBe(false);
});

test('the lock is refused if it is a file instead of a directory', () => {
  const state = stateIn(temporaryFolder());
  writeFileSync(`${state}.lock`, '1\n');
  expect(() => lockState(state)).toThrow(`${state}.lock is not a directory; remove it if no run uses the state`);
});
