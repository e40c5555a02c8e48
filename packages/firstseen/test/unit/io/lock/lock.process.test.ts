// The lock of a state, wanted by several runs: in one process, in several processes, and in processes that cannot see each other.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FirstseenError } from '../../../../src/base/errors.js';
import { lockState, type StateLock } from '../../../../src/io/lock/lock.js';
import { type Liveness, type Processes, processesHere } from '../../../../src/io/lock/processes.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { inLongForm } from '../../../support/form.js';
import { requires } from '../../../support/platform.js';

/** More than any system gives to a process. */
const DEAD = '999999999';

/** For what comes at once where the processors are free. */
const patience = { timeout: 30_000 };

let state = '';

beforeEach(() => {
  state = join(temporaryFolder(), 's');
});

/** Leaves behind what a run leaves that was killed. */
function leaveBehind(token: string, holder: string): void {
  const entry = join(`${state}.lock`, token);
  mkdirSync(entry, { recursive: true });
  writeFileSync(join(entry, 'owner.json'), holder);
  writeFileSync(join(entry, 'renewed'), 'holds 7\n');
}

function entries(): string[] {
  return readdirSync(`${state}.lock`);
}

async function expectFree(): Promise<void> {
  (await lockState(state)).release();
  expect(existsSync(`${state}.lock`)).toBe(false);
}

/** Locks over and over, with a dead run's lock always present, and reports when another process held the lock as well. */
const contender = `
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
const { lockState } = await import(process.argv[1]);
const [self, deadPid] = [JSON.parse(process.argv[2]), ${DEAD}];
let entered = 0;
for (let round = 0; round < ${inLongForm(150, 50)}; round++) {
  let lock;
  try {
    const stale = 's.lock/0' + process.pid + round;
    mkdirSync(stale, { recursive: true });
    writeFileSync(stale + '/owner.json', JSON.stringify({ ...self, pid: deadPid }));
    lock = await lockState('s');
  } catch (error) {
    if (error.code !== 'E_STATE_FILE' && error.code !== 'ENOENT') throw error;
    continue;
  }
  entered++;
  try {
    closeSync(openSync('inside', 'wx'));
    rmSync('inside');
  } catch {
    console.log('two held it');
  }
  lock.release();
}
console.log(entered > 0 ? 'held' : 'never held');
`;

test('is never held by two, whatever dead runs have left', async () => {
  const cwd = temporaryFolder();
  const path = fileURLToPath(new URL('../../../../dist/internal.js', import.meta.url));
  const self = JSON.stringify(processesHere().self);
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', contender, path, self], {
      cwd,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const said = await Promise.all(
    children.map(async (child) => {
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      const [code] = await once(child, 'close');
      expect(code).toBe(0);
      return text;
    }),
  );
  expect(said.join('')).not.toContain('two held it');
  expect(said.join('')).toContain('held');
}, 60_000);

test('is one folder with one entry while it is held, and nothing afterwards', async () => {
  const listeners = process.listenerCount('exit');
  const lock = await lockState(state);
  expect(entries()).toHaveLength(1);
  lock.check();
  lock.release();
  expect(existsSync(`${state}.lock`)).toBe(false);
  expect(process.listenerCount('exit')).toBe(listeners);
  await expectFree();
});

test('of many states of one process needs one listener', async () => {
  const listeners = process.listenerCount('exit');
  const locks = [];
  for (let i = 0; i < 20; i++) locks.push(await lockState(`${state}${i}`));
  expect(process.listenerCount('exit')).toBe(listeners + 1);
  for (const lock of locks.slice(1)) lock.release();
  expect(process.listenerCount('exit')).toBe(listeners + 1);
  (process.listeners('exit').at(-1) as () => void)();
  expect(existsSync(`${state}0.lock`)).toBe(false);
  locks[0]?.release();
  expect(process.listenerCount('exit')).toBe(listeners);
});

test('is for one run of a process', async () => {
  const lock = await lockState(state);
  await expect(lockState(`${dirname(state)}/./s`)).rejects.toThrow(/another run .*uses it; wait until it ends/);
  lock.check();
  lock.release();
  await expectFree();
});

test('makes no folder for a state', async () => {
  const inMissing = join(state, 'missing', 's');
  await expect(lockState(inMissing)).rejects.toMatchObject({ code: 'E_STATE_FILE' });
  expect(existsSync(state)).toBe(false);
});

test('that is a file is not a lock of this version', async () => {
  writeFileSync(`${state}.lock`, 'anything');
  await expect(lockState(state)).rejects.toThrow(
    `${state}.lock is not a directory; remove it if no run uses the state`,
  );
});

describe('of a run that has ended', () => {
  test('is taken over at once, where the system shows that it has ended', async () => {
    const { self } = processesHere();
    requires(self.boot !== null, 'only Linux tells one boot from another');
    leaveBehind('dead', JSON.stringify({ ...self, pid: Number(DEAD) }));
    // The number of a living process, which started at another time.
    leaveBehind('reused', JSON.stringify({ ...self, start: '1' }));
    await expectFree();
  });

  test('is taken over from a process that its parent has not waited for', async () => {
    requires(process.platform === 'linux', 'only Linux has the states of processes in /proc');
    // The shell becomes a program that knows nothing of its child, which ends only then: a shell would wait for it.
    const parent = spawn('/bin/sh', ['-c', 'exec 3<&0; read line <&3 & echo $!; exec sleep 30'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const zombie = String(line).trim();
      const statOf = () => readFileSync(`/proc/${zombie}/stat`, 'latin1');
      const start = statOf().split(') ').at(-1)?.split(' ')[19];
      await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'latin1').trim()).toBe('sleep'), patience);
      parent.stdin.end();
      await vi.waitFor(() => expect(statOf()).toContain(') Z '), patience);
      leaveBehind('zombie', JSON.stringify({ ...processesHere().self, pid: Number(zombie), start }));
      await expectFree();
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

/** Process 1 of a PID namespace of its own: it and all others cannot see each other. */
function container(pidNamespace: string): Processes {
  const self = { host: pidNamespace, boot: 'b', pidNamespace, pid: 1, start: '5' };
  const livenessOf = (other: typeof self): Liveness => (other.pidNamespace === pidNamespace ? 'alive' : 'unknown');
  return { self, livenessOf: livenessOf as Processes['livenessOf'] };
}

describe('between processes that cannot see each other', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  interface Attempt {
    lock?: StateLock;
    error?: FirstseenError;
    warnings: string[];
  }

  function attempt(name: string, path = state): Attempt {
    const result: Attempt = { warnings: [] };
    lockState(path, {
      processes: container(name),
      onWarning: ({ message }) => result.warnings.push(message),
    }).then(
      (lock) => {
        result.lock = lock;
      },
      (error) => {
        result.error = error;
      },
    );
    return result;
  }

  const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);

  async function held(name: string): Promise<StateLock> {
    const holder = attempt(name);
    await seconds(1);
    return attemptedLock(holder);
  }

  function attemptedLock({ lock }: Attempt): StateLock {
    if (lock === undefined) throw new Error('the lock was not taken');
    return lock;
  }

  test('is refused as soon as its holder renews it', async () => {
    const first = attempt('one');
    await seconds(1);
    const second = attempt('two');
    await seconds(5);
    expect(second.lock).toBeUndefined();
    expect(second.error?.message).toContain('another run (process 1 on host one) uses it; wait until it ends');
    expect(second.warnings).toEqual([
      `state ${state} is locked by process 1 on host one, which cannot be seen from here; ` +
        'waiting up to 15 seconds to see whether it is alive',
    ]);
    first.lock?.check();
    first.lock?.release();
    expect(existsSync(`${state}.lock`)).toBe(false);
  });

  test('is taken over from a killed run after a lease, also when its files were never written', async () => {
    leaveBehind('killed', JSON.stringify(container('one').self));
    leaveBehind('power-loss', '');
    const { self } = processesHere();
    leaveBehind('other-boot', JSON.stringify({ ...self, boot: 'another' }));
    const taker = attempt('two');
    await seconds(14);
    expect(taker.lock).toBeUndefined();
    await seconds(2);
    attemptedLock(taker).release();
    expect(existsSync(`${state}.lock`)).toBe(false);
  });

  test('is taken over in a copy of a folder that a run uses, and kept in the folder itself', async () => {
    const holder = await held('one');
    const copy = join(dirname(state), 'copy');
    cpSync(`${state}.lock`, `${copy}.lock`, { recursive: true });
    const taker = attempt('one', copy);
    await seconds(14);
    expect([taker.lock, taker.error]).toEqual([undefined, undefined]);
    await seconds(2);
    attemptedLock(taker).release();
    expect(taker.warnings).toEqual([
      `state ${copy} is locked by process 1, and the lock seems to be a copy of that of another folder; ` +
        'waiting up to 15 seconds to see whether it uses this one',
    ]);
    const second = attempt('one');
    await seconds(1);
    expect(second.error?.message).toMatch(/uses it; wait until it ends/);
    holder.check();
    holder.release();
  });

  test('is refused in a folder whose numbers have changed, if its holder renews it', async () => {
    const holder = await held('one');
    const [entry] = entries();
    const path = join(`${state}.lock`, entry as string, 'owner.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), inode: '1' }));
    const second = attempt('one');
    await seconds(5);
    expect(second.lock).toBeUndefined();
    expect(second.error?.message).toMatch(/uses it; wait until it ends/);
    holder.check();
    holder.release();
  });

  test('is taken over by one of many', async () => {
    leaveBehind('killed', JSON.stringify(container('gone').self));
    const takers = Array.from({ length: 10 }, (_, i) => attempt(`taker${i}`));
    await seconds(40);
    expect(takers.filter(({ lock }) => lock)).toHaveLength(1);
    expect(takers.filter(({ error }) => error?.code === 'E_STATE_FILE')).toHaveLength(9);
    expect(entries()).toHaveLength(1);
    takers.find(({ lock }) => lock)?.lock?.release();
    expect(existsSync(`${state}.lock`)).toBe(false);
  });

  test('is lost by a run that was suspended for longer than a lease, which finds out before it writes', async () => {
    const suspended = await held('one');
    vi.clearAllTimers();
    const taker = attempt('two');
    await seconds(16);
    const lock = attemptedLock(taker);
    expect(() => suspended.check()).toThrow('lost the lock of state');
    expect(existsSync(suspended.part)).toBe(false);
    expect(() => writeFileSync(suspended.part, '')).toThrow('ENOENT');
    suspended.release();
    lock.check();
    lock.release();
  });

  test('is kept by a run that was suspended for less than a lease', async () => {
    const suspended = await held('one');
    vi.clearAllTimers();
    const taker = attempt('two');
    await seconds(12);
    suspended.check();
    await seconds(12);
    expect(taker.error?.message).toContain('uses it');
    suspended.check();
    suspended.release();
  });

  test('is free as soon as its holder releases it', async () => {
    const first = await held('one');
    const second = attempt('two');
    first.release();
    await seconds(1);
    attemptedLock(second).release();
  });
});
