// Files that change between runs with the same state, locks of states, and unusual inputs.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { requiresPosix } from '../support/platform.js';
import { finished, mainPath, startFirstseen, temporaryFolder, waiting } from './support/command.js';
import { runCommand } from './support/runner.js';

const numbers = Array.from({ length: 3000 }, (_, i) => `${i}\n`).join('');
const stateFlags = ['-m', '64KiB', '--max-record', '64KiB', '-a', 'exact', '--state', 's', '-o', 'out'];

let cwd: string;

const write = (name: string, content: string | Uint8Array) => writeFileSync(join(cwd, name), content);
const append = (name: string, content: string | Uint8Array) => appendFileSync(join(cwd, name), content);
const read = (name: string) => readFileSync(join(cwd, name), 'utf8');

async function run(...args: string[]) {
  const { code, stderr } = await runCommand(args, { cwd });
  return { code, stderr };
}

async function expectRefused(...args: string[]): Promise<void> {
  const before = read('out');
  const { code, stderr } = await run(...args);
  expect(stderr).toMatch(/^firstseen: [^\n]*--new-run[^\n]* \[E_STATE_RUN\]\n$/);
  expect(code).toBe(1);
  expect(read('out')).toBe(before);
}

beforeEach(() => {
  cwd = temporaryFolder();
});

describe('a changed input', () => {
  test.each<[string, (text: string) => string]>([
    ['is shorter', (text) => `${text.slice(0, 5000)}new\n`],
    ['has a change before the position reached', (text) => `${text.slice(0, -8)}x${text.slice(-7)}new\n`],
  ])('is read from its start, and its new records are appended, if it %s', async (_, change) => {
    write('in.txt', numbers);
    expect((await run('in.txt', ...stateFlags)).code).toBe(0);
    const before = read('out');
    write('in.txt', change(numbers));
    const { code, stderr } = await run('in.txt', ...stateFlags);
    expect(stderr).toMatch(
      /^firstseen: in\.txt was replaced since it was last read, and no file has all that was read of it: [^\n]*\n$/,
    );
    expect(code).toBe(0);
    expect(read('out').startsWith(before)).toBe(true);
    expect(read('out').split('\n')).toContain('new');
  });

  test('is refused if the run before it has not finished', async () => {
    requiresPosix('signals that a process can handle');
    write('in.txt', numbers);
    const child = startFirstseen(['in.txt', '--follow', ...stateFlags], { cwd });
    const result = finished(child);
    await waiting(child);
    child.kill('SIGTERM');
    expect((await result).code).toBe(143);
    write('in.txt', `other\n${numbers}`);
    const { code, stderr } = await run('in.txt', ...stateFlags);
    expect(stderr).toMatch(
      /^firstseen: state s holds an unfinished run from in\.txt to out, [^\n]*--new-run[^\n]* \[E_STATE_RUN\]\n$/,
    );
    expect(code).toBe(1);
  });

  test('is read on if it has grown and another input follows it', async () => {
    write('one.txt', 'a\n');
    write('two.txt', 'b\n');
    await run('one.txt', 'two.txt', ...stateFlags);
    append('one.txt', 'new\n');
    expect(await run('one.txt', 'two.txt', ...stateFlags)).toEqual({ code: 0, stderr: '' });
    expect(read('out')).toBe('a\nb\nnew\n');
  });

  test.each<[string, readonly string[], (text: string) => Uint8Array | string]>([
    ['in.txt', ['--partial', 'record'], (text) => text],
    ['in.gz', [], (text) => gzipSync(text)],
  ])('is refused if its last record was taken as complete and has grown: %s', async (name, flags, stored) => {
    write(name, stored('a\nb'));
    await run(name, ...flags, ...stateFlags);
    append(name, stored('c\nd\n'));
    await expectRefused(name, ...flags, ...stateFlags);
  });

  test('is refused if its last integer was incomplete and has grown', async () => {
    const integers = new Uint8Array(new BigUint64Array([1n, 2n, 3n]).buffer);
    const flags = ['--on-error', 'drop', '--partial', 'record', ...stateFlags];
    write('in.u64', integers.subarray(0, 12));
    await run('in.u64', ...flags);
    append('in.u64', integers.subarray(12));
    await expectRefused('in.u64', ...flags);
  });

  test('is accepted if only whole integers were added', async () => {
    const integers = new Uint8Array(new BigUint64Array([1n, 2n, 1n]).buffer);
    write('in.u64', integers.subarray(0, 16));
    await run('in.u64', ...stateFlags);
    append('in.u64', integers.subarray(16));
    expect(await run('in.u64', ...stateFlags)).toEqual({ code: 0, stderr: '' });
    expect(read('out')).toBe(Buffer.from(integers.subarray(0, 16)).toString());
  });

  test('is accepted if it is compressed and only whole records were added', async () => {
    write('in.gz', gzipSync('a\nb\n'));
    await run('in.gz', ...stateFlags);
    append('in.gz', gzipSync('b\nc\n'));
    expect(await run('in.gz', ...stateFlags)).toEqual({ code: 0, stderr: '' });
    expect(read('out')).toBe('a\nb\nc\n');
  });
});

test('damaged gzip data give the records before the damage, and those after it once they are repaired', async () => {
  const damaged = gzipSync('b\nc\n');
  damaged.writeUInt8((damaged.at(-8) as number) ^ 1, damaged.length - 8);
  write('in.gz', gzipSync('a\nb\n'));
  await run('in.gz', ...stateFlags);
  append('in.gz', damaged);
  for (let times = 0; times < 2; times++) {
    expect(await run('in.gz', ...stateFlags)).toEqual({
      code: 1,
      stderr: 'firstseen: cannot read in.gz: incorrect data check [E_INPUT]\n',
    });
    expect(read('out')).toBe('a\nb\nc\n');
  }
  write('in.gz', Buffer.concat([gzipSync('a\nb\n'), gzipSync('b\nc\nd\n')]));
  expect(await run('in.gz', ...stateFlags)).toEqual({ code: 0, stderr: '' });
  expect(read('out')).toBe('a\nb\nc\nd\n');
});

describe('the lock of a state', () => {
  test('refuses a second run and is removed when the first run ends', async () => {
    const child = startFirstseen(['-m', '64KiB', '--state', 's'], { cwd });
    const result = finished(child);
    child.stdin.write('a\n');
    await once(child.stdout, 'data');
    const { code, stderr } = await run('-m', '64KiB', '--state', 's');
    expect(stderr).toMatch(new RegExp(`^firstseen: .*another run \\(process ${child.pid}\\).* \\[E_STATE_FILE\\]\\n$`));
    expect(code).toBe(1);
    child.stdin.end();
    expect((await result).code).toBe(0);
    expect(existsSync(join(cwd, 's.lock'))).toBe(false);
  });

  test('is taken over from a run that was killed', async () => {
    const child = startFirstseen(['-m', '64KiB', '--state', 's'], { cwd });
    const result = finished(child);
    child.stdin.write('a\n');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await result;
    expect(existsSync(join(cwd, 's.lock'))).toBe(true);
    expect((await run('-m', '64KiB', '--state', 's')).code).toBe(0);
    expect(existsSync(join(cwd, 's.lock'))).toBe(false);
  });

  test('is removed after an error', async () => {
    expect((await run('missing.txt', '--state', 's')).code).toBe(1);
    write('in.ndjson', 'broken\n');
    expect((await run('in.ndjson', '-k', 'id', '--state', 's')).code).toBe(1);
    expect(existsSync(join(cwd, 's.lock'))).toBe(false);
  });
});

test('a state whose temporary file cannot be written is refused before the run', async () => {
  mkdirSync(join(cwd, 's.part'));
  write('in.txt', 'a\n');
  const { code, stderr } = await run('in.txt', ...stateFlags);
  expect(stderr).toMatch(/^firstseen: cannot write state s: .* \[E_STATE_FILE\]\n$/);
  expect(code).toBe(1);
  expect(existsSync(join(cwd, 'out'))).toBe(false);
});

/** Runs the command in a shell, which can redirect its input and set limits. */
async function shell(script: string) {
  requiresPosix('a POSIX shell');
  const child = spawn('sh', ['-c', script, process.execPath, mainPath], { cwd });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

test('a directory as standard input is refused', async () => {
  const { code, stderr } = await shell('"$0" "$1" < .');
  expect(stderr).toMatch(/^firstseen: cannot read standard input: it is a directory.* \[E_INPUT\]\n$/);
  expect(code).toBe(1);
});

test.each([
  ['not compressed', Buffer.from('a\na\nb\n')],
  ['compressed', gzipSync('a\na\nb\n')],
  ['shorter than a magic number', Buffer.from('a')],
])('a redirected file is read from its current position: %s', async (_, rest) => {
  write('in', Buffer.concat([Buffer.from('taken\n'), rest]));
  expect(await shell('{ read -r first; "$0" "$1" -o out; } < in')).toEqual({ code: 0, stderr: '' });
  expect(read('out')).toBe(rest.length > 1 ? 'a\nb\n' : 'a\n');
});

test('reads more inputs than the limit of open files', async () => {
  const names = Array.from({ length: 300 }, (_, i) => `in${i}`);
  for (const name of names) write(name, `${name}\n`);
  expect(await shell('ulimit -n 64; "$0" "$1" -o out in*')).toEqual({ code: 0, stderr: '' });
  expect(read('out').trim().split('\n').sort()).toEqual(names.sort());
});

describe('a signal ends a run', () => {
  test('that waits for a writer of a named pipe', async () => {
    await shell('mkfifo pipe');
    const child = startFirstseen(['./pipe'], { cwd });
    const result = finished(child);
    await waiting(child);
    child.kill('SIGTERM');
    expect(await result).toMatchObject({
      signal: 'SIGTERM',
      stderr: 'firstseen: stopped by SIGTERM after 0 records\n',
    });
  });
});
