// Outputs that are compressed, full, blocked, or closed by their reader, and inputs compressed with zstd.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { requires, requiresPosix } from '../support/platform.js';
import { finished, mainPath, startFirstseen, temporaryFolder, waiting } from './support/command.js';
import { runCommand } from './support/runner.js';

const encoder = new TextEncoder();
/** Distinct lines, more than fit in a pipe or a buffer. */
const manyLines = Array.from({ length: 400_000 }, (_, i) => `line ${i}\n`).join('');
/** "a\nb\na\n" as the zstd program stores it: one raw block. */
const zstdFrame = Buffer.from('28b52ffd2006310000610a620a610a', 'hex');
/** "c\na\n" likewise. */
const otherFrame = Buffer.from('28b52ffd0058210000630a610a', 'hex');
/** A skippable frame with three bytes of content. */
const skippableFrame = Buffer.from('5f2a4d1803000000616263', 'hex');

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

describe('standard output that is appended to an input', () => {
  /** Runs the command with standard output appended to a file, and returns its exit code and its messages. */
  function runInto(file: string, cwd: string, ...args: string[]) {
    const [input, output] = [openSync(join(cwd, 'in.txt'), 'r'), openSync(join(cwd, file), 'a')];
    const { status, stderr } = spawnSync(process.execPath, [mainPath, ...args], {
      ...{ cwd, stdio: [input, output, 'pipe'], encoding: 'utf8' },
    });
    for (const descriptor of [input, output]) closeSync(descriptor);
    return { status, stderr };
  }

  test.each([
    ['in.txt', ['in.txt']],
    ['./in.txt', ['other.txt', './in.txt', '--emit', 'verdicts']],
    ['standard input', []],
    ['standard input', ['-']],
  ])('is refused: %s as %j', (name, args) => {
    const cwd = folderWith({ 'in.txt': 'a\nb\na\n', 'other.txt': 'c\n' });
    expect(runInto('in.txt', cwd, ...args, '-m', '64KiB', '--state', 's')).toEqual({
      status: 2,
      stderr: `firstseen: standard output is the same file as ${name}; redirect it to another file [E_USAGE]\n`,
    });
    expect(readFileSync(join(cwd, 'in.txt'), 'utf8')).toBe('a\nb\na\n');
    expect(existsSync(join(cwd, 's'))).toBe(false);
  });

  test('is accepted if it is another file, or if the records go elsewhere', () => {
    const cwd = folderWith({ 'in.txt': 'a\nb\na\n' });
    expect(runInto('log', cwd, 'in.txt', '-m', '64KiB')).toEqual({ status: 0, stderr: '' });
    expect(runInto('in.txt', cwd, 'in.txt', '-m', '64KiB', '-o', 'out')).toEqual({ status: 0, stderr: '' });
    for (const name of ['log', 'out']) expect(readFileSync(join(cwd, name), 'utf8')).toBe('a\nb\n');
  });
});

describe('compression', () => {
  test('--compress writes gzip to standard output and to both files', async () => {
    const cwd = folderWith({ 'in.txt': 'a\nb\na\n' });
    const toStandardOutput = await runCommand(['--compress', 'in.txt'], { cwd });
    expect(zlib.gunzipSync(toStandardOutput.stdout).toString()).toBe('a\nb\n');

    await runCommand(['--compress', 'in.txt', '-o', 'first', '--duplicates-to', 'again'], { cwd });
    expect(zlib.gunzipSync(readFileSync(join(cwd, 'first'))).toString()).toBe('a\nb\n');
    expect(zlib.gunzipSync(readFileSync(join(cwd, 'again'))).toString()).toBe('a\n');
  });

  test('compressed records leave while the input is still open, and with each state', async () => {
    const cwd = temporaryFolder();
    const child = startFirstseen(['--compress', '--state', 's', '--checkpoint', '100ms'], { cwd });
    const passed: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => passed.push(chunk));
    child.stdin.write('a\nb\na\n');
    await once(child.stdout, 'data');
    while (!existsSync(join(cwd, 's'))) await new Promise((resolve) => setTimeout(resolve, 2));
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(zlib.gunzipSync(Buffer.concat(passed)).toString()).toBe('a\nb\n');
  });

  test('an output whose name ends in .gz is compressed without --compress', async () => {
    const cwd = folderWith({ 'in.txt': manyLines });
    const { code } = await runCommand(['in.txt', '-a', 'exact', '-o', 'out.gz', '--duplicates-to', 'again.txt'], {
      cwd,
    });
    expect(code).toBe(0);
    expect(zlib.gunzipSync(readFileSync(join(cwd, 'out.gz'))).toString()).toBe(manyLines);
    expect(readFileSync(join(cwd, 'again.txt'), 'utf8')).toBe('');
  });

  test('an empty output is a valid gzip file', async () => {
    const { code, stdout } = await runCommand(['--compress'], { cwd: temporaryFolder() });
    expect(code).toBe(0);
    expect(zlib.gunzipSync(stdout).toString()).toBe('');
  });

  test('zstd is read', async () => {
    const cwd = folderWith({ 'in.txt.zst': zstdFrame });
    const { code, stdout, stderr } = await runCommand(['in.txt.zst'], { cwd });
    expect({ code, stdout: stdout.toString(), stderr }).toEqual({ code: 0, stdout: 'a\nb\n', stderr: '' });
  });
});

test('an output that ends in .zst is zstd', async () => {
  const cwd = temporaryFolder();
  const stdin = ['a\nb\na'].map((text) => encoder.encode(text));
  const { code, stderr } = await runCommand(['-o', 'out.zst'], { cwd, stdin });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect((await runCommand(['out.zst'], { cwd })).stdout.toString()).toBe('a\nb\n');
  expect(readFileSync(join(cwd, 'out.zst')).subarray(0, 4)).toEqual(zstdFrame.subarray(0, 4));
});

test('--compress does not contradict the name of an output', async () => {
  const { code, stderr } = await runCommand(['-o', 'out.zst', '--compress'], { cwd: temporaryFolder() });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^firstseen: --compress was given, which writes gzip.*zstd.* \[E_USAGE\]\n$/);
});

test('every frame of zstd is read, and a truncated frame is an error', async () => {
  const stored = Buffer.concat([zstdFrame, skippableFrame, otherFrame]);
  const cwd = folderWith({ 'in.zst': stored, 'cut.zst': stored.subarray(0, -1) });
  expect((await runCommand(['in.zst'], { cwd })).stdout.toString()).toBe('a\nb\nc\n');
  expect((await runCommand(['-'], { cwd, stdin: [stored] })).stdout.toString()).toBe('a\nb\nc\n');
  const { code, stderr } = await runCommand(['cut.zst'], { cwd });
  expect(stderr).toMatch(/^firstseen: cannot read cut\.zst: .* \[E_INPUT\]\n$/);
  expect(code).toBe(1);
});

test.each([[['in.zst']], [[]]])('zstd is recognized if the input starts with a skippable frame: %j', async (args) => {
  const stored = Buffer.concat([skippableFrame, zstdFrame]);
  const cwd = folderWith({ 'in.zst': stored });
  const stdin = [stored.subarray(0, 1), stored.subarray(1, 5), stored.subarray(5)];
  const { code, stdout, stderr } = await runCommand(args, { cwd, stdin });
  expect({ code, stdout: stdout.toString(), stderr }).toEqual({ code: 0, stdout: 'a\nb\n', stderr: '' });
});

test('a short first line that could be the start of a zstd frame is processed at once', async () => {
  const child = startFirstseen([], { cwd: temporaryFolder() });
  const result = finished(child);
  child.stdin.write('P\n');
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  expect(first.toString()).toBe('P\n');
  child.stdin.end();
  await result;
});

test('a signal ends a run that waits for a reader of its output', async () => {
  requiresPosix('named pipes in folders');
  const cwd = folderWith({ 'in.txt': 'a\n' });
  await once(spawn('mkfifo', ['pipe'], { cwd }), 'close');
  const child = startFirstseen(['in.txt', '-o', 'pipe', '-a', 'bloom', '-m', '1KiB'], { cwd });
  const result = finished(child);
  await waiting(child);
  child.kill('SIGINT');
  expect(await result).toMatchObject({ signal: 'SIGINT', stderr: '' });
});

describe('a full disk', () => {
  beforeEach(() => requires(existsSync('/dev/full'), 'this system does not have /dev/full'));

  test('causes an error and does not change the state of the previous run', async () => {
    const cwd = folderWith({ 'one.txt': 'a\n', 'two.txt': manyLines });
    await runCommand(['one.txt', '--state', 's', '-m', '64KiB', '-o', 'out.txt'], { cwd });
    const before = readFileSync(join(cwd, 's'));
    const { code, stderr } = await runCommand(['two.txt', '--state', 's', '-o', '/dev/full'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^firstseen: cannot write \/dev\/full: its disk is full; .* \[E_OUTPUT\]\n$/);
    expect(readFileSync(join(cwd, 's')).equals(before)).toBe(true);
  });

  test.each([['in.txt'], ['algorithms'], ['--help']])(
    'as standard output causes an error: firstseen %s',
    async (argument) => {
      const cwd = folderWith({ 'in.txt': 'a\n' });
      const child = spawn('sh', ['-c', '"$0" "$1" "$2" > /dev/full', process.execPath, mainPath, argument], { cwd });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk;
      });
      const [code] = await once(child, 'close');
      expect(stderr).toMatch(/^firstseen: .*standard output: its disk is full.* \[E_OUTPUT\]\n$/);
      expect(code).toBe(1);
    },
  );
});

describe('a reader that closes standard output', () => {
  test.each([[['in.txt']], [['in.txt', '--compress']]])('ends %j without an error', async (args) => {
    const cwd = folderWith({ 'in.txt': manyLines });
    const child = startFirstseen(args, { cwd });
    const result = finished(child);
    await once(child.stdout, 'data');
    (child.stdout as unknown as { destroy(): void }).destroy();
    const { code, stderr } = await result;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('is reported as an interruption in the summary, not as an error', async () => {
    const child = startFirstseen(['in.txt', '--stats=json'], { cwd: folderWith({ 'in.txt': manyLines }) });
    const result = finished(child);
    await once(child.stdout, 'data');
    (child.stdout as unknown as { destroy(): void }).destroy();
    const { code, stderr } = await result;
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ interrupted: true, error: null });
  });

  test('causes no new state to be saved', async () => {
    const cwd = folderWith({ 'one.txt': 'a\n', 'two.txt': manyLines });
    await runCommand(['one.txt', '--state', 's', '-m', '64KiB'], { cwd });
    const before = readFileSync(join(cwd, 's'));
    const child = startFirstseen(['two.txt', '--state', 's'], { cwd });
    const result = finished(child);
    await once(child.stdout, 'data');
    (child.stdout as unknown as { destroy(): void }).destroy();
    expect((await result).code).toBe(0);
    expect(readFileSync(join(cwd, 's')).equals(before)).toBe(true);
  });
});

test('records are written while the run waits for more input', async () => {
  const child = startFirstseen([], { cwd: temporaryFolder() });
  const result = finished(child);
  child.stdin.write('a\nb\na\n');
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  expect(first.toString()).toBe('a\nb\n');
  child.stdin.end('c\n');
  expect((await result).stdout.toString()).toBe('a\nb\nc\n');
});
