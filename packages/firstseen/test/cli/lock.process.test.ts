// The lock of a state between PID namespaces, as containers have them, and between names of one state.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { requires, requiresPosix } from '../support/platform.js';
import { finished, mainPath, runFirstseen, startFirstseen, temporaryFolder } from './support/command.js';

let cwd = '';

beforeEach(() => {
  cwd = temporaryFolder();
});

const run = (...args: string[]) => runFirstseen(args, { cwd });

const stateFlags = ['-m', '64KiB', '--max-record', '64KiB', '--state', 's'];

const ownNamespace = ['--pid', '--fork', '--kill-child', '--mount-proc'];

/** The options with which this machine makes a PID namespace, if it allows that. */
function namespaceOptions(): readonly string[] | undefined {
  const ways = [ownNamespace, ['--user', '--map-root-user', ...ownNamespace]];
  return ways.find((options) => spawnSync('unshare', [...options, 'true']).status === 0);
}

describe('two runs that are both process 1', () => {
  /** Starts the command as process 1 of a PID namespace of its own. */
  function startAsProcess1(...args: string[]) {
    const options = namespaceOptions();
    requires(options !== undefined, 'this machine makes no PID namespaces');
    const child = spawn('unshare', [...(options ?? []), process.execPath, mainPath, ...args], { cwd, stdio: 'pipe' });
    child.stdin.on('error', () => {});
    return child;
  }

  test('do not share a state', async () => {
    const first = startAsProcess1(...stateFlags);
    const firstResult = finished(first);
    first.stdin.write('a\n');
    await once(first.stdout, 'data');
    const second = startAsProcess1(...stateFlags);
    second.stdin.end('b\n');
    const { code, stdout, stderr } = await finished(second);
    expect(stderr).toMatch(/warning: state s is locked by process 1 on host .*; waiting up to 15 seconds/);
    expect(stderr).toMatch(/cannot use state s: another run \(process 1 on host .*\) uses it; wait until it ends/);
    expect([code, stdout.length]).toEqual([1, 0]);
    first.stdin.end('b\n');
    expect(await firstResult).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(cwd)).toEqual(['s']);
  }, 60_000);
});

describe('names that cannot be a state or its lock are refused', () => {
  const pipe = (name: string) => expect(spawnSync('mkfifo', [join(cwd, name)]).status).toBe(0);

  test.each<[string, () => void, string]>([
    [
      'a lock that is a link to nothing',
      () => symlinkSync('nowhere', join(cwd, 's.lock')),
      'cannot use state s: s.lock is a symbolic link to nothing; remove the link [E_STATE_FILE]',
    ],
    [
      'a lock that is a named pipe',
      () => pipe('s.lock'),
      'cannot use state s: s.lock is not a directory; remove it if no run uses the state [E_STATE_FILE]',
    ],
    [
      'a state that is a named pipe',
      () => pipe('s'),
      'cannot read state s: it is not a regular file; name a file [E_STATE_FILE]',
    ],
  ])('%s', async (_, make, message) => {
    requiresPosix('named pipes in folders');
    make();
    writeFileSync(join(cwd, 'in'), 'a\n');
    const { code, stderr } = await run('in', ...stateFlags, '-o', 'out');
    expect(stderr).toBe(`firstseen: ${message}\n`);
    expect(code).toBe(1);
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });

  test.each([
    ['inspect', 's'],
    ['in', '--read-only', '--state', 's'],
  ])('a named pipe for %s', async (...args) => {
    requiresPosix('named pipes in folders');
    pipe('s');
    writeFileSync(join(cwd, 'in'), 'a\n');
    expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('not a regular file') });
  });
});

describe('a state given by a symbolic link', () => {
  beforeEach(() => {
    requiresPosix('links that every user may make');
    mkdirSync(join(cwd, 'kept'));
    symlinkSync('kept/real', join(cwd, 's'));
    symlinkSync('s', join(cwd, 'other'));
  });

  test('stays a link, and the file that it leads to is replaced', async () => {
    writeFileSync(join(cwd, 'in'), 'a\nb\na\n');
    const args = ['in', '-m', '64KiB', '-o', 'out', '--state'];
    expect(await run(...args, 's')).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(join(cwd, 'in'), 'a\nb\na\nc\n');
    expect(await run(...args, 'other')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('a\nb\nc\n');
    expect(['s', 'other'].map((name) => lstatSync(join(cwd, name)).isSymbolicLink())).toEqual([true, true]);
    expect(readdirSync(join(cwd, 'kept'))).toEqual(['real']);
  });

  test('is locked under all its names', async () => {
    const child = startFirstseen(['-m', '64KiB', '--state', 's'], { cwd });
    const result = finished(child);
    child.stdin.write('a\n');
    await once(child.stdout, 'data');
    for (const name of ['other', 'kept/real']) {
      expect((await run('-m', '64KiB', '--state', name)).stderr).toContain('uses it');
    }
    child.stdin.end();
    expect((await result).code).toBe(0);
    expect(existsSync(join(cwd, 's.lock'))).toBe(false);
  });
});
