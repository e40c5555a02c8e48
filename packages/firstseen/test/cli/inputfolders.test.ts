// A folder as an input: its files are read in the order of their names.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { requiresPosix } from '../support/platform.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

let cwd = '';

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(join(cwd, path, '..'), { recursive: true });
  writeFileSync(join(cwd, path), content);
}

beforeEach(() => {
  cwd = temporaryFolder(onTestFinished);
});

const run = (...args: string[]) => runCommand(args, { cwd });

describe('a folder', () => {
  test('is read as its files, ordered by name', async () => {
    write('in/b.txt', '2\n3\n');
    write('in/a.txt.gz', gzipSync('1\n2\n'));
    write('in/more/c.txt', '3\n4\n');
    write('last.txt', '4\n5\n');
    for (const folder of ['in', 'in/', './in']) {
      expect(await run(folder, 'last.txt')).toMatchObject({
        code: 0,
        stdout: Buffer.from('1\n2\n3\n4\n5\n'),
        stderr: '',
      });
    }
    expect((await run('in', '--output-folder', 'out')).code).toBe(0);
    expect(gunzipSync(readFileSync(join(cwd, 'out/a.txt.gz'))).toString()).toBe('1\n2\n');
    expect(readFileSync(join(cwd, 'out/b.txt'), 'utf8')).toBe('3\n');
    expect(readFileSync(join(cwd, 'out/more/c.txt'), 'utf8')).toBe('4\n');
  });

  test('gives its names to the formats', async () => {
    write('in/a.csv', 'id,x\n1,a\n');
    write('in/b.csv', 'id,x\n1,b\n2,c\n');
    expect((await run('in', '-k', 'id')).stdout.toString()).toBe('id,x\n1,a\n2,c\n');
    expect((await run('in', '-k', 'id', '-a', 'exact', '--spill', '.', '--count')).stdout.toString()).toBe(
      'id,x,firstseen_count\n1,a,2\n2,c,1\n',
    );
    write('in/c.ndjson', '{"id":3}\n');
    expect(await run('in', '-k', 'id')).toMatchObject({ code: 2, stderr: expect.stringContaining('--format') });
    expect((await run('in', '-k', 'id', '--include', '*.csv')).code).toBe(0);
    expect((await run('in', '-k', 'id', '--exclude', '*.ndjson')).code).toBe(0);
  });

  test('goes on with a state when it has more files', async () => {
    write('in/a.txt', '1\n2\n');
    const flags = ['in', '--state', 's', '-o', 'out.txt'];
    expect((await run(...flags)).code).toBe(0);
    write('in/b.txt', '2\n3\n');
    expect((await run(...flags)).code).toBe(0);
    expect(readFileSync(join(cwd, 'out.txt'), 'utf8')).toBe('1\n2\n3\n');
  });

  test('is an input of passages', async () => {
    write('in/a.jsonl', '{"text":"one\\ntwo"}\n');
    write('in/b.jsonl', '{"text":"two\\nthree"}\n');
    const { stdout } = await run('passages', 'in', '--emit', 'rewritten', '--by', 'line');
    expect(stdout.toString()).toBe('{"text":"one\\ntwo"}\n{"text":"three"}\n');
  });

  test('of records has files beside them, which are told', async () => {
    write('in/part-0.jsonl', '{"id":1,"text":"a b c d e f"}\n');
    write('in/_SUCCESS', '');
    expect(await run('in', '-k', 'id')).toMatchObject({ code: 0, stderr: '' });
    write('in/.part-0.jsonl.crc', 'crc');
    write('in/sub/.unfinished-part-1.jsonl', '{"id":2}\n');
    for (const command of [
      ['in', '-k', 'id'],
      ['near', 'in', '-f', 'ndjson'],
      ['passages', 'in'],
    ]) {
      const { code, stderr } = await run(...command);
      expect(code).toBe(0);
      expect(stderr).toMatch(/warning: 2 files in folders, such as in\/.part-0.jsonl.crc, not read: .*--include/);
    }
    const read = await run('in', '-k', 'id', '-f', 'ndjson', '--include', '**/*.jsonl');
    expect(read.stdout.toString()).toContain('{"id":2}');
  });

  test('has links to files, but none to folders', async () => {
    requiresPosix('links that every user may make');
    write('in/a.txt', '1\n');
    write('other/b.txt', '2\n');
    symlinkSync(join(cwd, 'other'), join(cwd, 'in/folder'));
    symlinkSync(join(cwd, 'other/b.txt'), join(cwd, 'in/link.txt'));
    symlinkSync('nowhere', join(cwd, 'in/broken.txt'));
    expect((await run('in')).stdout.toString()).toBe('1\n2\n');
  });

  test.each([
    [['in', '--follow'], 2, /--follow was given, but in is a folder; name the file to follow/],
    [['a.txt', '--include', 'a*'], 2, /--include a\* was given, but no input is a folder/],
    [['a.txt', '--exclude', 'a*'], 2, /--exclude a\* was given, but no input is a folder/],
    [['in', '--include', 'z'], 1, /no file is read in in; check --include and --exclude/],
    [['empty'], 1, /no file is read in empty; name a folder with files/],
    [['in', '-o', 'in/a.txt'], 2, /in\/a.txt/],
    [['missing', 'in'], 1, /missing/],
  ])('is refused with %j', async (args, code, message) => {
    write('in/a.txt', '1\n');
    write('in/b.txt', '1\n');
    write('a.txt', '1\n');
    mkdirSync(join(cwd, 'empty'));
    expect(await run(...args)).toMatchObject({ code, stdout: Buffer.from(''), stderr: expect.stringMatching(message) });
  });
});
