// Keyed detectors on the command line: where the secret comes from, where it is kept, and where it is never shown.

import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readHeader, snapshotSource } from '../../src/snapshot/snapshots.js';
import { requiresPosix } from '../support/platform.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const digits = 'c0ffee00112233445566778899aabbcc';
const flags = ['-a', 'exact', '-m', '64KiB', '--max-record', '64KiB'];

let cwd: string;
const path = (name: string) => join(cwd, name);
const read = (name: string) => readFileSync(path(name), 'utf8');

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runCommand(args, { cwd });
  return { code, stdout: stdout.toString(), stderr };
}

/** The secret in a state. */
async function secretIn(state: string): Promise<Buffer> {
  const { settings } = await readHeader(snapshotSource(new Uint8Array(readFileSync(path(state)))));
  const secret = Buffer.alloc(16);
  settings.secret?.copyTo(secret, 0);
  return secret;
}

function modeOf(name: string): string {
  return (statSync(path(name)).mode & 0o777).toString(8);
}

beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(path('one.txt'), 'a\nb\na\n');
  writeFileSync(path('two.txt'), 'b\nc\n');
  writeFileSync(path('key'), `${digits}\n`);
});

test.each([[['--keyed']], [['--secret-file', 'key']], [['--keyed', '--secret-file', 'key']]])(
  'first occurrences pass with %j',
  async (keyed) => {
    expect(await run('one.txt', ...flags, ...keyed)).toEqual({ code: 0, stdout: 'a\nb\n', stderr: '' });
  },
);

describe('a random secret', () => {
  test('differs between states and stays in its state in later runs, even without --keyed', async () => {
    await run('one.txt', ...flags, '--keyed', '--state', 's');
    await run('one.txt', ...flags, '--keyed', '--state', 'other');
    const secret = await secretIn('s');
    expect(secret.equals(await secretIn('other'))).toBe(false);
    expect((await run('two.txt', '--state', 's', '--keyed')).stdout).toBe('c\n');
    writeFileSync(path('three.txt'), 'c\nd\n');
    expect((await run('three.txt', '--state', 's')).stdout).toBe('d\n');
    expect((await secretIn('s')).equals(secret)).toBe(true);
  });
});

describe('input from strangers', () => {
  const documents = '{"id":1,"text":"a b c d e f g h"}\n';
  test.each([
    [['one.txt', ...flags]],
    [['one.txt', '-a', 'exact', '-m', '4MiB', '--window', '1d']],
    [['near', 'docs.jsonl', '-m', '1MiB']],
    [['passages', 'docs.jsonl', '-m', '1MiB', '--emit', 'documents']],
  ])('has a secret of its own by default, and no state without one: %j', async (args) => {
    writeFileSync(path('docs.jsonl'), documents);
    for (const state of ['s', 'other']) {
      expect(await run(...args, '--untrusted', '--state', state, '-o', `${state}.out`)).toMatchObject({ code: 0 });
    }
    const secret = await secretIn('s');
    expect(secret.equals(Buffer.alloc(16))).toBe(false);
    expect(secret.equals(await secretIn('other'))).toBe(false);
    expect(await run(...args, '--untrusted', '--state', 's', '-o', 's.out')).toMatchObject({ code: 0 });
    await run(...args, '--state', 'open', '-o', 'open.out');
    const refused = await run(...args, '--untrusted', '--state', 'open', '-o', 'open.out');
    expect(refused.stderr).toMatch(/the state is not keyed; .* \[E_STATE_DIFFERS\]\n$/);
    expect(refused.code).toBe(1);
  });

  test('takes the secret of a file', async () => {
    await run('one.txt', ...flags, '--untrusted', '--secret-file', 'key', '--state', 's');
    expect((await secretIn('s')).toString('hex')).toBe(digits);
  });

  test('must not be able to empty the window by a time', async () => {
    writeFileSync(path('times.jsonl'), '{"t":0,"k":1}\n');
    const timed = ['times.jsonl', '-k', 'k', '--time-key', 't', '--untrusted', '--window'];
    const { code, stderr } = await run(...timed, '1h');
    expect(stderr).toBe(
      'firstseen: --untrusted was given, but a record may be 1h ahead of the clock (--max-lead), which empties the window of 1h; give a --max-lead far below the window [E_USAGE]\n',
    );
    expect(code).toBe(2);
    expect(await run(...timed, '1h', '--max-lead', '1m')).toMatchObject({ code: 0 });
    expect(await run(...timed, '1d')).toMatchObject({ code: 0 });
  });
});

describe('the secret of a file', () => {
  test.each([[digits], [`${digits}\n`], [`${digits.toUpperCase()}\r\n`]])(
    'is the value of its hexadecimal digits: %j',
    async (content) => {
      writeFileSync(path('key'), content);
      await run('one.txt', ...flags, '--secret-file', 'key', '--state', 's');
      expect((await secretIn('s')).toString('hex')).toBe(digits);
    },
  );

  test.each([
    ['', 'nothing'],
    [digits.slice(1), 'too few'],
    [`${digits}0`, 'too many'],
    [`${digits}\n\n`, 'more lines'],
    [` ${digits}`, 'a blank'],
    ['x'.repeat(100_000), 'something else'],
  ])('is refused if the file is malformed, and its content is not shown (%#)', async (content) => {
    writeFileSync(path('key'), content);
    const { code, stdout, stderr } = await run('one.txt', ...flags, '--secret-file', 'key', '-o', 'out.txt');
    expect(stderr).toBe(
      'firstseen: secret file key does not hold exactly 32 hexadecimal digits; make one with: openssl rand -hex 16 [E_USAGE]\n',
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(existsSync(path('out.txt'))).toBe(false);
  });

  test('is refused if the file does not exist', async () => {
    const { code, stderr } = await run('one.txt', '--secret-file', 'none');
    expect(stderr).toMatch(/^firstseen: cannot read secret file none: .* \[E_INPUT\]\n$/);
    expect(code).toBe(1);
  });

  test('can be read from a named pipe', () => {
    requiresPosix('named pipes in folders');
    execFileSync('mkfifo', [path('pipe')]);
    const feed = `(cat key > pipe) & exec "${process.execPath}" "$0" one.txt ${flags.join(' ')} --secret-file pipe --state s`;
    const main = join(import.meta.dirname, '../../dist/cli/main.js');
    expect(execFileSync('/bin/sh', ['-c', feed, main], { cwd, encoding: 'utf8' })).toBe('a\nb\n');
  });

  test('is never overwritten', async () => {
    for (const output of [
      ['-o', 'key'],
      ['--state', 'key'],
      ['--duplicates-to', './key'],
    ]) {
      const { code, stderr } = await run('one.txt', ...flags, '--secret-file', 'key', ...output);
      expect(stderr).toMatch(/would be written, but it is also the secret file; .* \[E_USAGE\]\n$/);
      expect(code).toBe(2);
    }
    expect(read('key')).toBe(`${digits}\n`);
  });
});

describe('a state with other hashes is refused', () => {
  test.each<[string, string[], string[], RegExp]>([
    ['another secret', ['--keyed'], ['--secret-file', 'key'], /settings: the state has another secret;/],
    ['no secret, but --keyed is given', [], ['--keyed'], /settings: the state is not keyed;/],
    ['no secret, but a secret file is given', [], ['--secret-file', 'key'], /settings: the state is not keyed;/],
    ['another fingerprint', ['--keyed'], ['--fingerprint', 'xxh64'], /fingerprint is siphash in the state, not xxh64;/],
  ])('%s', async (_, first, second, message) => {
    await run('one.txt', ...flags, ...first, '--state', 's');
    const before = readFileSync(path('s'));
    const { code, stdout, stderr } = await run('two.txt', ...second, '--state', 's');
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/\[E_STATE_DIFFERS\]\n$/);
    expect(stderr).not.toContain(digits);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(readFileSync(path('s')).equals(before)).toBe(true);
  });
});

test('--fingerprint siphash is accepted for a keyed state, and requires --keyed without one', async () => {
  await run('one.txt', ...flags, '--keyed', '--state', 's');
  expect((await run('two.txt', '--state', 's', '--fingerprint', 'siphash')).stdout).toBe('c\n');
  const { code, stderr } = await run('two.txt', '--fingerprint', 'siphash');
  expect(stderr).toMatch(/--fingerprint siphash requires --keyed; .* \[E_PARAMETER\]\n$/);
  expect(code).toBe(2);
});

describe('a keyed state', () => {
  test('is readable only by its owner, even if the file that it replaces was not', async () => {
    requiresPosix('file modes');
    writeFileSync(path('s'), '', { mode: 0o644 });
    await run('one.txt', ...flags, '--keyed', '--state', 'new');
    writeFileSync(path('s'), readFileSync(path('new')));
    expect([modeOf('s'), modeOf('new')]).toEqual(['644', '600']);
    await run('two.txt', '--state', 's');
    expect(modeOf('s')).toBe('600');
  });

  test('is not written into an existing file at its temporary path, which another process may have open', async () => {
    requiresPosix('file modes');
    writeFileSync(path('s.part'), '', { mode: 0o644 });
    const spy = openSync(path('s.part'), 'r');
    try {
      await run('one.txt', ...flags, '--keyed', '--state', 's');
      expect(readFileSync(spy).length).toBe(0);
    } finally {
      closeSync(spy);
    }
    expect(modeOf('s')).toBe('600');
  });

  test('is not written through a link at its temporary path', async () => {
    requiresPosix('links that every user may make');
    writeFileSync(path('elsewhere'), 'precious');
    symlinkSync('elsewhere', path('s.part'));
    expect((await run('one.txt', ...flags, '--keyed', '--state', 's')).code).toBe(0);
    expect(read('elsewhere')).toBe('precious');
  });

  test('is reported as keyed, and no output contains its secret', async () => {
    const shown: string[] = [];
    for (const args of [
      ['one.txt', ...flags, '--secret-file', 'key', '--state', 's', '--stats'],
      ['one.txt', '--state', 's', '--new-run', '--stats=json'],
      ['inspect', 's'],
      ['inspect', 's', '--json'],
    ]) {
      const { code, stdout, stderr } = await run(...args);
      expect(code, stderr).toBe(0);
      shown.push(stdout + stderr);
    }
    const [summary, json, described, data] = shown as [string, string, string, string];
    expect(summary).toMatch(/^fingerprint +siphash, keyed \(secret\), seed 0$/m);
    expect(described).toMatch(/^fingerprint +siphash, keyed \(secret\), seed 0$/m);
    expect(JSON.parse(json.slice(json.indexOf('{')))).toMatchObject({ fingerprint: 'siphash', keyed: true });
    expect(JSON.parse(data)).toMatchObject({ fingerprint: 'siphash', keyed: true });
    const secret = Buffer.from(digits, 'hex');
    for (const form of ['hex', 'base64', 'base64url'] as const) {
      expect(shown.join('\n').toLowerCase()).not.toContain(secret.toString(form).replaceAll('=', '').toLowerCase());
    }
  });

  test('without a secret is reported as not keyed', async () => {
    await run('one.txt', ...flags, '--state', 's');
    expect(JSON.parse((await run('inspect', 's', '--json')).stdout)).toMatchObject({ keyed: false });
    expect((await run('inspect', 's')).stdout).not.toContain('keyed');
  });
});

describe('near-duplicates', () => {
  const posts = 'the quick brown fox jumps over the lazy dog\nThe quick, brown fox jumps over the LAZY dog\n';
  const others = 'over the lazy dog jumps the quick brown fox\nthe quick brown fox jumps over the lazy dog\n';

  beforeEach(() => {
    writeFileSync(path('posts.txt'), posts);
    writeFileSync(path('others.txt'), others);
  });

  const near = (file: string, ...args: string[]) => run('near', '-f', 'lines', '-m', '64KiB', file, ...args);
  const first = (text: string) => `${text.split('\n')[0]}\n`;

  test.each([[['--keyed']], [['--secret-file', 'key']]])(
    'are found with %j, in one run and across runs',
    async (keyed) => {
      expect(await near('posts.txt', ...keyed, '--state', 's')).toEqual({ code: 0, stdout: first(posts), stderr: '' });
      expect(await near('others.txt', ...keyed, '--state', 's')).toEqual({
        code: 0,
        stdout: first(others),
        stderr: '',
      });
      writeFileSync(path('again.txt'), posts);
      expect(await near('again.txt', '--state', 's')).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(modeOf('s')).toBe('600');
    },
  );

  test('use the secret from a file and refuse another secret', async () => {
    await near('posts.txt', '--secret-file', 'key', '--state', 's');
    expect((await secretIn('s')).toString('hex')).toBe(digits);
    writeFileSync(path('key'), digits.replace('c', 'd'));
    const { code, stdout, stderr } = await near('others.txt', '--secret-file', 'key', '--state', 's');
    expect(stderr).toMatch(/settings: the state has another secret;.* \[E_STATE_DIFFERS\]\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  test('refuse --keyed for a state without a secret', async () => {
    await near('posts.txt', '--state', 's');
    const { code, stderr } = await near('others.txt', '--keyed', '--state', 's');
    expect(stderr).toMatch(/settings: the state is not keyed;.* \[E_STATE_DIFFERS\]\n$/);
    expect(code).toBe(1);
  });

  test('are reported as keyed, without the secret', async () => {
    const { stderr } = await near('posts.txt', '--secret-file', 'key', '--state', 's', '--stats=json');
    expect(JSON.parse(stderr)).toMatchObject({ fingerprint: 'siphash', keyed: true });
    const { stdout } = await run('inspect', 's', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ fingerprint: 'siphash', keyed: true });
    expect(stderr + stdout).not.toContain(digits);
  });
});
