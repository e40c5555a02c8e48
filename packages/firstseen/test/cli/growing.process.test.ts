// Inputs that grow and are rotated between the runs of one state.

import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const flags = ['-m', '64KiB', '-a', 'exact', '--state', 's', '-o', 'out'];

let cwd: string;

const at = (name: string) => join(cwd, name);
const write = (name: string, content: string | Uint8Array) => writeFileSync(at(name), content);
const append = (name: string, content: string | Uint8Array) => appendFileSync(at(name), content);
const read = (name: string) => readFileSync(at(name), 'utf8');

async function run(...args: string[]) {
  const { code, stderr } = await runCommand([...args, ...flags], { cwd });
  return { code, stderr };
}

async function expectQuiet(...args: string[]): Promise<void> {
  expect(await run(...args)).toEqual({ code: 0, stderr: '' });
}

/** Lines with an identity of their own, also in the bytes by which files are recognized. */
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join('');

beforeEach(() => {
  cwd = temporaryFolder();
});

test('an input that has only its byte order mark may grow', async () => {
  write('in.ndjson', '\ufeff');
  await expectQuiet('in.ndjson', '-k', 'id');
  append('in.ndjson', '{"id":1}\n');
  await expectQuiet('in.ndjson', '-k', 'id');
  expect(read('out')).toBe('{"id":1}\n');
});

describe('an unfinished last record', () => {
  test.each<[string, string[], string, string, string]>([
    ['in.txt', [], 'a\nb', 'c\nd\n', 'a\nbc\nd\n'],
    ['in.ndjson', ['-k', 'id'], '{"id":1}\n{"id":', '2}\n', '{"id":1}\n{"id":2}\n'],
    ['in.csv', ['-k', 'id'], 'id,text\n1,x\n2,"y\n', 'z"\n', 'id,text\n1,x\n2,"y\nz"\n'],
    ['header.csv', ['-k', 'id'], 'id,te', 'xt\n1,x\n', 'id,text\n1,x\n'],
    ['in.u64', [], '12345678abc', 'defgh', '12345678abcdefgh'],
  ])('of %s waits for its end', async (name, keys, before, rest, expected) => {
    write(name, before);
    const { code, stderr } = await run(name, ...keys, '--stats');
    expect(stderr).toMatch(
      new RegExp(`^firstseen: ${name} ends inside a record; its last \\d+ bytes? wait for the next run\n`),
    );
    expect(stderr).toMatch(/\nbytes waiting +\d+ bytes? of an unfinished record\n/);
    expect(code).toBe(0);
    expect((await run(name, ...keys)).code).toBe(0);
    append(name, rest);
    await expectQuiet(name, ...keys);
    expect(read('out')).toBe(expected);
  });

  test('is in the statistics', async () => {
    write('in.txt', 'a\nbcd');
    const { stderr } = await run('in.txt', '--stats=json');
    expect(JSON.parse(stderr)).toMatchObject({
      records: 1,
      bytes_in: 2,
      bytes_waiting: 3,
      notices: [expect.any(String)],
    });
  });

  test.each<[string, string[], string, string, string, string]>([
    ['in.txt', [], 'a\nb', '\n', 'c\n', 'a\nb\nc\n'],
    ['in.csv', ['-k', 'id'], 'id,text\n1,x\n2,y', '\r\n', '3,z\n', 'id,text\n1,x\n2,y\n3,z\n'],
  ])(
    'of %s that was read with --partial record is completed by its newline',
    async (name, keys, before, newline, rest, expected) => {
      write(name, before);
      await expectQuiet(name, ...keys, '--partial', 'record');
      append(name, newline);
      await expectQuiet(name, ...keys, '--partial', 'record');
      append(name, rest);
      await expectQuiet(name, ...keys, '--partial', 'record');
      expect(read('out')).toBe(expected);
    },
  );

  test('of which more than a newline follows is refused', async () => {
    write('in.txt', 'a\nb');
    await expectQuiet('in.txt', '--partial', 'record');
    append('in.txt', 'c\n');
    const { code, stderr } = await run('in.txt', '--partial', 'record');
    expect(stderr).toMatch(
      /^firstseen: in\.txt has grown since [^\n]* did not have a newline at its end then[^\n]*; use --new-run/,
    );
    expect(code).toBe(1);
  });

  test('is a record with --partial record, without a state, and in a compressed file', async () => {
    write('in.txt', 'a\nb');
    write('in.gz', gzipSync('c\nd'));
    await expectQuiet('in.txt', 'in.gz', '--partial', 'record');
    expect(read('out')).toBe('a\nb\nc\nd\n');
    const { stdout } = await runCommand(['in.txt'], { cwd });
    expect(stdout.toString()).toBe('a\nb\n');
    const { code, stderr } = await runCommand(['in.txt', '--partial', 'wait'], { cwd });
    expect(stderr).toMatch(/--partial requires --state/);
    expect(code).toBe(2);
  });
});

describe('log rotation between runs', () => {
  beforeEach(async () => {
    write('app.log', lines(0, 1000));
    await expectQuiet('app.log');
    append('app.log', lines(1000, 1500));
  });

  test('by renaming: the rest of the old file is read, then the new one from its start', async () => {
    renameSync(at('app.log'), at('app.log.1'));
    write('app.log', lines(1500, 1600));
    await expectQuiet('app.log');
    expect(read('out')).toBe(lines(0, 1600));
    append('app.log', lines(1600, 1700));
    await expectQuiet('app.log.1', 'app.log');
    expect(read('out')).toBe(lines(0, 1700));
  });

  test('by copying and emptying', async () => {
    copyFileSync(at('app.log'), at('app.log.1'));
    truncateSync(at('app.log'));
    append('app.log', lines(1500, 3000));
    await expectQuiet('app.log');
    expect(read('out')).toBe(lines(0, 3000));
  });

  test('with compression', async () => {
    write('app.log.1.gz', gzipSync(read('app.log')));
    rmSync(at('app.log'));
    write('app.log', lines(1500, 1600));
    await expectQuiet('app.log');
    expect(read('out')).toBe(lines(0, 1600));
  });

  test('twice, all files given', async () => {
    write('app.log.2.gz', gzipSync(read('app.log')));
    write('app.log.1', lines(1500, 2000));
    write('app.log', lines(2000, 2100));
    await expectQuiet('app.log.2.gz', 'app.log.1', 'app.log');
    expect(read('out')).toBe(lines(0, 2100));
    const { stderr } = await run('app.log.2.gz', 'app.log.1', 'app.log');
    expect(stderr).toMatch(/^firstseen: this run was finished before/);
  });

  test('of which the old file is gone is told', async () => {
    rmSync(at('app.log'));
    write('app.log', lines(1500, 1600));
    const { code, stderr } = await run('app.log');
    expect(stderr).toMatch(/^firstseen: app\.log was replaced since it was last read, and [^\n]* may be missing/);
    expect(code).toBe(0);
    expect(read('out')).toBe(lines(0, 1000) + lines(1500, 1600));
  });

  test('a rotated file that is given alone is read from where it was', async () => {
    renameSync(at('app.log'), at('app.log.1'));
    const { code, stderr } = await runCommand(['app.log.1', ...flags, '--stats=json'], { cwd });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({
      records: 500,
      duplicates: 0,
      resumed: true,
      all_runs: { records: 1500 },
    });
    expect(read('out')).toBe(lines(0, 1500));
  });
});
