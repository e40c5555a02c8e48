// Logs that are rotated more than once between runs, that are still written to after their rotation, or whose old files are gone.

import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { runFirstseen, temporaryFolder } from './support/command.js';

const flags = ['-m', '64KiB', '-a', 'exact', '--format', 'lines', '--state', 's', '-o', 'out'];

let cwd: string;

const at = (name: string) => join(cwd, name);
const write = (name: string, content: string | Uint8Array) => writeFileSync(at(name), content);
const append = (name: string, content: string | Uint8Array) => appendFileSync(at(name), content);
const read = (name: string) => readFileSync(at(name), 'utf8');
const move = (from: string, to: string) => renameSync(at(from), at(to));
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join('');

/** Compresses a file as gzip does: the old file is removed, and the new one has its time. */
function compress(name: string): void {
  write(`${name}.gz`, gzipSync(read(name)));
  rmSync(at(name));
}

async function run(...args: string[]) {
  const { code, stderr } = await runFirstseen([...args, ...flags], { cwd });
  return { code, stderr };
}

async function expectQuiet(...args: string[]): Promise<void> {
  expect(await run(...args)).toEqual({ code: 0, stderr: '' });
}

beforeEach(() => {
  cwd = temporaryFolder();
});

describe('two rotations between runs: the file in between is read', () => {
  beforeEach(async () => {
    write('l', lines(0, 1000));
    await expectQuiet('l');
    append('l', lines(1000, 1100));
  });

  const schemes: Readonly<Record<string, () => void>> = {
    numbers: () => {
      move('l', 'l.2');
      write('l.1', lines(1100, 1200));
    },
    'numbers and compression': () => {
      move('l', 'l.2');
      compress('l.2');
      write('l.1', lines(1100, 1200));
    },
    'numbers and compression of both': () => {
      move('l', 'l.2');
      compress('l.2');
      write('l.1', lines(1100, 1200));
      compress('l.1');
    },
    dates: () => {
      move('l', 'l-20260101');
      write('l-20260102', lines(1100, 1200));
    },
    'dates and compression': () => {
      move('l', 'l-20260101');
      compress('l-20260101');
      write('l-20260102', lines(1100, 1200));
    },
    'copying and emptying': () => {
      copyFileSync(at('l'), at('l.2'));
      truncateSync(at('l'));
      append('l', lines(1100, 1200));
      copyFileSync(at('l'), at('l.1'));
      truncateSync(at('l'));
    },
  };

  test.each(Object.keys(schemes))('with %s', async (scheme) => {
    schemes[scheme]?.();
    rmSync(at('l'), { force: true });
    write('l', lines(1200, 1300));
    await expectQuiet('l');
    expect(read('out')).toBe(lines(0, 1300));
    const { stderr } = await run('l');
    expect(stderr).toMatch(/^firstseen: this run was finished before/);
  });

  test('with many files, of which those before the first run are not read', async () => {
    move('l', 'l.11');
    write('l.12', 'old\n');
    utimesSync(at('l.12'), 0, 0);
    for (let number = 10; number >= 1; number--) {
      write(`l.${number}`, lines(1200 - number * 10, 1200 - number * 10 + 10));
      if (number > 5) compress(`l.${number}`);
    }
    write('l', lines(1200, 1300));
    await expectQuiet('l');
    expect(read('out')).toBe(lines(0, 1300));
  });

  test('also if the file that was read is gone, which is told', async () => {
    write('l.1', lines(1100, 1200));
    write('l', lines(1200, 1300));
    const { code, stderr } = await run('l');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^firstseen: l was replaced since[^\n]* may be missing[^\n]*\n$/);
    expect(read('out')).toBe(lines(0, 1000) + lines(1100, 1300));
    append('l', lines(1300, 1310));
    await expectQuiet('l');
  });

  test('also if the run was stopped before it reached that file', async () => {
    move('l', 'l.1');
    write('l', 'too long\n'.repeat(3));
    append('l.1', `${'x'.repeat(2 ** 12)}\n`);
    expect((await run('l', '--max-record', '1KiB', '--on-error', 'fail')).code).toBe(1);
    move('l.1', 'l.3');
    compress('l.3');
    move('l', 'l.2');
    write('l.1', lines(1100, 1200));
    write('l', lines(1200, 1300));
    await expectQuiet('l');
    expect(read('out')).toBe(`${lines(0, 1100)}${'x'.repeat(2 ** 12)}\ntoo long\n${lines(1100, 1300)}`);
  });
});

describe('an empty log that was rotated', () => {
  test.each<[string, () => void]>([
    ['by renaming', () => move('l', 'l.1')],
    [
      'by renaming, and compressed',
      () => {
        move('l', 'l.1');
        compress('l.1');
      },
    ],
    [
      'by copying and emptying',
      () => {
        copyFileSync(at('l'), at('l.1'));
        truncateSync(at('l'));
      },
    ],
  ])('%s has what was written to it before that', async (_, rotate) => {
    write('l', '');
    await expectQuiet('l');
    append('l', lines(0, 100));
    rotate();
    append('l', lines(100, 200));
    await expectQuiet('l');
    expect(read('out')).toBe(lines(0, 200));
  });
});

test('a file whose first lines are those of its predecessor is not taken for it', async () => {
  write('l', 'id,text\n');
  await expectQuiet('l');
  append('l', '1,a\n');
  move('l', 'l.1');
  write('l', 'id,text\n2,b\n');
  await expectQuiet('l');
  expect(read('out')).toBe('id,text\n1,a\n2,b\n');
});

describe('a file that is written to after its rotation', () => {
  beforeEach(async () => {
    write('l', `${lines(0, 100)}unfini`);
    expect((await run('l')).stderr).toMatch(/its last 6 bytes wait for the next run/);
  });

  test.each([[false], [true]])('has its unfinished line completed; compressed: %s', async (isCompressed) => {
    append('l', 'shed\n');
    move('l', 'l.1');
    if (isCompressed) compress('l.1');
    write('l', lines(100, 200));
    await expectQuiet('l');
    expect(read('out')).toBe(`${lines(0, 100)}unfinished\n${lines(100, 200)}`);
  });

  test('has its unfinished line completed when the run has already read the new file', async () => {
    move('l', 'l.1');
    write('l', lines(100, 200));
    expect((await run('l')).stderr).toMatch(/its last 6 bytes wait for the next run/);
    append('l.1', 'shed\nlate 1\n');
    append('l', lines(200, 210));
    await expectQuiet('l');
    expect(read('out')).toBe(`${lines(0, 200)}unfinished\nlate 1\n${lines(200, 210)}`);
    append('l.1', 'late 2\n');
    await expectQuiet('l');
    expect(read('out')).toBe(`${lines(0, 200)}unfinished\nlate 1\n${lines(200, 210)}late 2\n`);
    const { stderr } = await run('l');
    expect(stderr).toMatch(/^firstseen: this run was finished before/);
  });

  test('and rotated again has its late lines read', async () => {
    append('l', 'shed\n');
    move('l', 'l.1');
    write('l', lines(100, 200));
    await expectQuiet('l');
    append('l.1', 'late\n');
    move('l.1', 'l.2');
    compress('l.2');
    move('l', 'l.1');
    write('l', lines(200, 300));
    await expectQuiet('l');
    expect(read('out')).toBe(`${lines(0, 100)}unfinished\n${lines(100, 200)}late\n${lines(200, 300)}`);
  });

  test('and compressed has its late lines read', async () => {
    append('l', 'shed\n');
    move('l', 'l.1');
    write('l', lines(100, 200));
    await expectQuiet('l');
    append('l.1', 'late\n');
    compress('l.1');
    append('l', lines(200, 210));
    await expectQuiet('l');
    expect(read('out')).toBe(`${lines(0, 100)}unfinished\n${lines(100, 200)}late\n${lines(200, 210)}`);
  });

  test('has an unfinished line that counts as whole after the next rotation', async () => {
    move('l', 'l.1');
    write('l', lines(100, 200));
    expect((await run('l')).stderr).toMatch(/its last 6 bytes wait for the next run/);
    move('l.1', 'l.2');
    move('l', 'l.1');
    write('l', lines(200, 300));
    await expectQuiet('l');
    expect(read('out')).toBe(`${lines(0, 200)}unfini\n${lines(200, 300)}`);
    append('l.2', 'shed\n');
    const { code, stderr } = await run('l');
    expect(stderr).toMatch(/^firstseen: \S*l\.2 was written to after its unfinished last record was passed on/);
    expect(code).toBe(0);
    expect(read('out')).toBe(`${lines(0, 200)}unfini\n${lines(200, 300)}shed\n`);
  });
});
