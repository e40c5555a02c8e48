// Files that are documents of near: what is read as one document, and names and pipes that need care.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { requiresPosix } from '../support/platform.js';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const RECORDS = '{"text":"one two"}\n{"text":"three four"}\n';
const TEXT = 'plain words of one text';

let cwd = '';

beforeEach(() => {
  cwd = temporaryFolder();
  mkdirSync(join(cwd, 'd'));
});

const put = (name: string, content: string | Uint8Array) => writeFileSync(join(cwd, 'd', name), content);
async function near(...args: string[]) {
  const { code, stdout, stderr } = await runCommand(['near', '-m', '64KiB', ...args], { cwd });
  return { code, stdout: stdout.toString(), stderr };
}

describe('a file that is not one document', () => {
  test.each([
    ['records', RECORDS, 'records of JSON; read its records with --format ndjson'],
    ['compressed records', gzipSync(RECORDS), 'records of JSON; read its records with --format ndjson'],
    ['Parquet', 'PAR1\x15\x04', 'Parquet; read its records with --format parquet'],
    ['a compressed WARC', gzipSync('WARC/1.0\r\nWARC-Type: response\r\n'), 'a WARC archive'],
    ['an archive', 'PK\x03\x04\x14\0\0\0', 'a zip archive'],
    ['zero bytes', 'some\0bytes', 'binary data'],
    ['no UTF-8', Buffer.alloc(100, 0xf1), 'not text in UTF-8'],
  ])('is refused: %s', async (_, content, expected) => {
    put('a', content);
    const { code, stderr, stdout } = await near('d');
    expect([code === 0, stdout]).toEqual([false, '']);
    expect(stderr).toContain(`d/a is not a document: it is ${expected}`);
  });

  test('is dropped, counted and told once with --on-error drop', async () => {
    put('a.jsonl', RECORDS);
    put('b.jsonl.gz', gzipSync(RECORDS));
    put('c.txt', TEXT);
    const { code, stdout, stderr } = await near('d', '--on-error', 'drop', '--stats=json');
    expect([code, stdout]).toEqual([0, 'd/c.txt\n']);
    const stats = JSON.parse(stderr);
    expect(stats.warnings).toHaveLength(1);
    expect(JSON.stringify(stats.warnings)).toContain('2 files could not be compared; the first problem: d/a.jsonl');
    expect(stats).toMatchObject({ records: 3, distinct: 1, invalid: 2, dropped: 2 });
  });

  test('is read as records if all names in a folder say so', async () => {
    put('a.jsonl', RECORDS);
    put('b.jsonl.gz', gzipSync(RECORDS));
    for (const flags of [[], ['--on-error', 'drop']]) {
      const { code, stdout, stderr } = await near('d', ...flags);
      expect([code, stdout, stderr]).toEqual([0, RECORDS, '']);
    }
    expect((await near('d', '-f', 'files', '--on-error', 'drop')).stdout).toBe('d/a.jsonl\n');
  });

  test('ends the run if nothing else is there, also with --on-error drop', async () => {
    put('a.json', RECORDS);
    const { code, stdout, stderr } = await near('d', '--on-error', 'drop');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^firstseen: 1 file could not be compared; the first problem: d\/a.json is not a document/);
  });

  test('is one document if that is said, and it is text', async () => {
    put('a.jsonl', RECORDS);
    expect((await near('-f', 'files', 'd')).stdout).toBe('d/a.jsonl\n');
  });

  test.each([
    ['Latin-1', Buffer.from('déjà vu, façade et naïveté', 'latin1')],
    ['one object', '{"text":\n"one two"}\n'],
    ['nothing', ''],
  ])('is not what has %s', async (_, content) => {
    put('a', content);
    expect((await near('d')).stdout).toBe('d/a\n');
  });
});

test('a byte order mark is not part of a document', async () => {
  put('a', `\ufeff${TEXT}`);
  put('b', TEXT);
  expect((await near('d')).stdout).toBe('d/a\n');
});

describe('a name with a newline', () => {
  beforeEach(() => {
    requiresPosix('newlines in names');
    put('a\nb', TEXT);
    put('c', 'other words of another text');
  });

  test('is refused where lines are written', async () => {
    const { stderr } = await near('d');
    expect(stderr).toContain('the name of file "d/a\\nb" contains a newline; give --zero-terminated, or rename it');
  });

  test('does not stop a run that drops what it cannot read', async () => {
    const { code, stdout, stderr } = await near('d', '--on-error', 'drop');
    expect([code, stdout]).toEqual([0, 'd/c\n']);
    expect(stderr).toContain('1 file could not be compared');
  });

  test('is written with --zero-terminated', async () => {
    expect((await near('d', '-z')).stdout).toBe('d/a\nb\0d/c\0');
  });

  test('--zero-terminated is refused for records', async () => {
    put('r.jsonl', RECORDS);
    expect((await near('d/r.jsonl', '-z')).stderr).toContain('the documents are records of format ndjson');
  });
});

describe('a named pipe', () => {
  beforeEach(() => {
    requiresPosix('named pipes in folders');
    expect(spawnSync('mkfifo', [join(cwd, 'pipe')]).status).toBe(0);
  });

  test('that nobody opens does not keep a run from ending at a signal', async () => {
    put('a', TEXT);
    const child = startFirstseen(['near', '-m', '64KiB', '-f', 'files', 'd/a', 'pipe'], { cwd });
    const result = finished(child);
    // What is written is flushed before the run waits for the pipe.
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await result).stderr).toContain('stopped by SIGTERM');
  });

  test('is a document', async () => {
    put('a', TEXT);
    const child = startFirstseen(['near', '-m', '64KiB', '-f', 'files', 'd/a', 'pipe', '--stats=json'], { cwd });
    const result = finished(child);
    writeFileSync(join(cwd, 'pipe'), TEXT);
    const { stdout, stderr } = await result;
    expect(stdout.toString()).toBe('d/a\n');
    expect(stderr).toContain('"duplicates":1');
  });
});

describe('--read-only with --explain', () => {
  const posts = '{"text":"the quick brown fox jumps","id":"first"}\n';
  const query = ['--read-only', '--emit', 'all', '--annotate', 'near', '--explain'];

  beforeEach(() => put('a.jsonl', posts));

  test('names documents of the state, whatever its number of them is', async () => {
    await near('d/a.jsonl', '--state', 's', '-o', 'o', '--explain', '100', '--id-key', 'id');
    const { stdout } = await near('d/a.jsonl', '--state', 's', '--id-key', 'id', ...query, '10');
    expect(JSON.parse(stdout).near.nearest).toEqual({ id: 'first', similarity: 1 });
  });

  test('says what to do if the state has none', async () => {
    await near('d/a.jsonl', '--state', 's', '-o', 'o');
    const { stderr } = await near('d/a.jsonl', '--state', 's', ...query, '10');
    expect(stderr).toContain(
      'names no documents, because it was made without --explain; make it again with --explain 10, or leave --explain out; with --emit ids, a state names all that its table remembers [E_STATE_DIFFERS]',
    );
  });
});

test.each([
  ['documents that have sketches', [], 'document'],
  ['bands', ['--no-verify'], 'band'],
])('inspect tells that the table of a state has %s', async (_, flags, unit) => {
  put('in.ndjson', RECORDS);
  await near('d/in.ndjson', '-o', 'out', '--state', 'state', ...flags);
  const { stdout } = await runCommand(['inspect', 'state'], { cwd });
  expect(stdout.toString()).toMatch(new RegExp(`^observed +\\d+ ${unit}s, 0 duplicates$`, 'm'));
});
