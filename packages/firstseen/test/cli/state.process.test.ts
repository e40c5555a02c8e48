// States: which runs a state refuses, which runs continue from it, and that a refusal does not change it.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { requiresPosix } from '../support/platform.js';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const detectorFlags = ['-a', 'rsbf', '-m', '64KiB', '--param', 'k=2', '--seed', '7', '--layout', 'classic'];
const keyFlags = ['-f', 'ndjson', '-k', 'id'];

let cwd: string;

function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(cwd, name), content);
}

function read(name: string): string {
  return readFileSync(join(cwd, name), 'latin1');
}

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runCommand(args, { cwd });
  return { code, stdout: stdout.toString(), stderr };
}

async function save(): Promise<void> {
  const { code, stderr } = await run('one.ndjson', ...detectorFlags, ...keyFlags, '--state', 's', '-o', 'out.ndjson');
  expect(code, stderr).toBe(0);
}

beforeEach(() => {
  cwd = temporaryFolder();
  write('one.ndjson', '{"id":1}\n{"id":2}\n{"id":1}\n');
  write('two.ndjson', '{"id":2}\n{"id":3}\n');
});

describe('a state with other settings is refused', () => {
  test.each<[string, string[], RegExp]>([
    ['algorithm', ['-a', 'sbf'], /algorithm is rsbf in the state, not sbf/],
    ['memory', ['-m', '128KiB'], /memory is 64KiB in the state, not 128KiB/],
    ['layout', ['--layout', 'blocked'], /layout is classic in the state, not blocked/],
    ['seed', ['--seed', '8'], /seed is 7 in the state, not 8/],
    ['fingerprint', ['--fingerprint', 'rabin'], /fingerprint is xxh64 in the state, not rabin/],
    ['parameter', ['--param', 'k=3'], /parameter k is 2 in the state, not 3/],
    ['parameter by its name', ['--param', 'filterCount=3'], /parameter k is 2 in the state, not 3/],
    [
      'parameter that takes a word',
      ['--param', 'variant=bera-2012'],
      /parameter variant is table in the state, not bera-2012/,
    ],
    ['target rate', ['--fpr', '0.001'], /parameter k is 2 in the state, not/],
    ['seed and layout', ['--seed', '8', '--layout', 'blocked'], /layout is classic .*; seed is 7 in the state, not 8/],
  ])('%s', async (_, flags, message) => {
    await save();
    const before = read('s');
    const { code, stdout, stderr } = await run('two.ndjson', ...flags, ...keyFlags, '--state', 's');
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^firstseen: [^\n]* \[E_STATE_DIFFERS\]\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(read('s')).toBe(before);
  });

  test.each([
    ['j=5', 'j=0', 'parameter j is 5 in the state, not 0'],
    ['s=25', 'entryDepth=5', 'parameter j is 0 in the state, not 5'],
  ])('optional parameter: %s, then %s', async (before, now, message) => {
    const flags = ['-a', 'qht', '-m', '4KiB', ...keyFlags, '--state', 's'];
    expect((await run('one.ndjson', ...flags, '--param', before)).code).toBe(0);
    const { code, stderr } = await run('two.ndjson', ...flags, '--param', now);
    expect(stderr).toContain(message);
    expect(code).toBe(1);
    expect((await run('two.ndjson', ...flags, '--param', before)).code).toBe(0);
  });

  test.each<[string, string[]]>([
    ['another key', ['-f', 'ndjson', '-k', 'name']],
    ['no key', ['-f', 'ndjson']],
    ['more keys', ['-f', 'ndjson', '-k', 'id', '-k', 'name']],
    ['another format', ['-f', 'lines']],
  ])('%s', async (_, flags) => {
    await save();
    const before = read('s');
    const { code, stderr } = await run('two.ndjson', ...flags, '--state', 's');
    expect(stderr).toMatch(/records are ndjson by id in the state, not .* \[E_STATE_DIFFERS\]\n$/);
    expect(code).toBe(1);
    expect(read('s')).toBe(before);
  });

  test('and the output file is not changed', async () => {
    await save();
    write('two-out.ndjson', 'precious\n');
    await run('two.ndjson', '--seed', '8', ...keyFlags, '--state', 's', '-o', 'two-out.ndjson');
    expect(read('two-out.ndjson')).toBe('precious\n');
  });
});

describe('a broken state is refused and not changed', () => {
  test.each<[string, (bytes: Buffer) => Uint8Array]>([
    ['empty', () => new Uint8Array(0)],
    ['truncated', (bytes) => bytes.subarray(0, bytes.length - 1)],
    ['truncated in its header', (bytes) => bytes.subarray(0, 40)],
    ['longer', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
    ['changed in its header', (bytes) => Buffer.from(bytes).fill(0xff, 24, 25)],
    ['changed in its last byte', (bytes) => Buffer.from(bytes).fill((bytes.at(-1) as number) ^ 1, bytes.length - 1)],
    ['changed in its cells', (bytes) => Buffer.from(bytes).fill(0x5a, bytes.length - 3000, bytes.length - 2900)],
    ['another kind of file', () => Buffer.from('{"a":1}\n'.repeat(100))],
  ])('%s', async (_, spoil) => {
    await save();
    write('s', spoil(readFileSync(join(cwd, 's'))));
    const before = read('s');
    for (const args of [
      ['two.ndjson', ...keyFlags, '--state', 's'],
      ['inspect', 's'],
    ]) {
      const { code, stdout, stderr } = await run(...args);
      expect(stderr).toMatch(/^firstseen: s: [^\n]* \[E_SNAPSHOT\]\n$/);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(read('s')).toBe(before);
    }
  });
});

describe('a run that continues from a state', () => {
  test('reads only what was added to its input and appends to its outputs', async () => {
    const args = ['log.txt', '-m', '64KiB', '--state', 's', '-o', 'out.txt', '--duplicates-to', 'again.txt'];
    write('log.txt', 'a\nb\na\n');
    expect((await run(...args)).code).toBe(0);
    appendFileSync(join(cwd, 'log.txt'), 'b\nc\n');
    expect((await run(...args)).code).toBe(0);
    expect([read('out.txt'), read('again.txt')]).toEqual(['a\nb\nc\n', 'a\nb\n']);
  });

  test('changes no output if its input is unchanged', async () => {
    const args = ['one.ndjson', ...keyFlags, '-m', '64KiB', '--state', 's', '-o', 'out.ndjson'];
    await run(...args);
    const before = read('out.ndjson');
    expect((await run(...args)).code).toBe(0);
    expect(read('out.ndjson')).toBe(before);
  });

  test('takes settings that are not given from the state', async () => {
    await save();
    const { code, stderr } = await run('two.ndjson', ...keyFlags, '--state', 's', '--stats=json', '-o', 'out2.ndjson');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ algorithm: 'rsbf', layout: 'classic', seed: '7', observed: 5 });
    expect(read('out2.ndjson')).toBe('{"id":3}\n');
  });

  test('writes the same as one run over the whole input', async () => {
    const lines = Array.from({ length: 6000 }, (_, i) => `${(i * i * 31) % 4999}\n`);
    write('all.txt', lines.join(''));
    write('head.txt', lines.slice(0, 2500).join(''));
    write('tail.txt', lines.slice(2500).join(''));
    const flags = ['-a', 'rlbsbf', '-m', '1KiB', '--seed', '3'];
    const whole = await run('all.txt', ...flags);
    const head = await run('head.txt', ...flags, '--state', 's');
    const tail = await run('tail.txt', ...flags, '--state', 's');
    expect(head.stdout + tail.stdout).toBe(whole.stdout);
  });
});

describe('a state of an unfinished run', () => {
  /** Starts a run over standard input and ends it with a signal. */
  async function interrupt(): Promise<void> {
    requiresPosix('signals that a process can handle');
    const child = startFirstseen(['-', '-m', '64KiB', '--state', 's', '-o', 'out.txt'], { cwd });
    const result = finished(child);
    child.stdin.write('a\nb\n');
    while (!existsSync(join(cwd, 'out.txt')) || read('out.txt') !== 'a\nb\n') {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    child.kill('SIGTERM');
    const { code, stderr } = await result;
    expect({ code, stderr }).toEqual({
      code: 143,
      stderr: 'firstseen: stopped by SIGTERM after 2 records; run the same command again to continue\n',
    });
  }

  test('refuses another run unless --new-run is given', async () => {
    await interrupt();
    write('other.txt', 'b\nc\n');
    const before = read('s');
    const refused = await run('other.txt', '--state', 's', '-o', 'other-out.txt');
    expect(refused.stderr).toMatch(
      /^firstseen: state s holds an unfinished run from - to out\.txt.*--new-run.* \[E_STATE_RUN\]\n$/,
    );
    expect(refused.code).toBe(1);
    expect(read('s')).toBe(before);
    expect(existsSync(join(cwd, 'other-out.txt'))).toBe(false);

    const forced = await run('other.txt', '--state', 's', '-o', 'other-out.txt', '--new-run');
    expect(forced.code).toBe(0);
    expect(read('other-out.txt')).toBe('c\n');
  });

  test('continues with new data from standard input', async () => {
    await interrupt();
    const { code } = await runCommand(['-', '-m', '64KiB', '--state', 's', '-o', 'out.txt'], {
      cwd,
      stdin: [new TextEncoder().encode('b\nc\n')],
    });
    expect(code).toBe(0);
    expect(read('out.txt')).toBe('a\nb\nc\n');
  });

  test('is refused if its output is shorter than what was written', async () => {
    await interrupt();
    writeFileSync(join(cwd, 'out.txt'), '');
    const { code, stderr } = await run('-', '-m', '64KiB', '--state', 's', '-o', 'out.txt');
    expect(stderr).toMatch(/^firstseen: out\.txt has 0 bytes, but .* 4 bytes to it; .* \[E_OUTPUT\]\n$/);
    expect(code).toBe(1);
  });
});

test.each([['no-such-folder/s'], ['.']])(
  'a state that cannot be written is refused before the run: %s',
  async (path) => {
    const { code, stdout, stderr } = await run('one.ndjson', ...keyFlags, '--state', path);
    expect(stderr).toMatch(/^firstseen: [^\n]* \[E_STATE_FILE\]\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  },
);
