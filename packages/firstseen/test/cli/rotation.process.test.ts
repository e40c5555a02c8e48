// Logs that are rotated more than once between runs, that are still written to after their rotation, or whose old files are gone.

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';
import { killBeforeState } from './support/earlykill.js';
import { runCommand, runWithSmallRecords } from './support/runner.js';

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
  const { code, stderr } = await runWithSmallRecords([...args, ...flags], { cwd });
  return { code, stderr };
}

async function expectQuiet(...args: string[]): Promise<void> {
  expect(await run(...args)).toEqual({ code: 0, stderr: '' });
}

beforeEach(() => {
  cwd = temporaryFolder();
});

describe('a rotated file that lacks the last lines that were read is not read again', () => {
  const quietly = () => expectQuiet('l', '--duplicates-to', 'repeats');

  /** Puts the first lines of the log into a rotated file, as a compressor or copy does that a late write overtakes. */
  const cut = (bytes: string, name: string) => write(name, name.endsWith('.gz') ? gzipSync(bytes) : bytes);

  test.each([
    ['l.1.gz', 999],
    ['l.1.gz', 937],
    ['l.1', 999],
    ['l-20260101.gz', 999],
  ])('%s with %i of 1000 lines', async (name, kept) => {
    write('l', lines(0, 1000));
    await quietly();
    rmSync(at('l'));
    cut(lines(0, kept), name);
    write('l', lines(1000, 2100));
    await quietly();
    expect(read('out')).toBe(lines(0, 2100));
    expect(read('repeats')).toBe('');
    // The file is known later too, when it has another name.
    append('l', lines(2100, 2101));
    if (name === 'l.1.gz') move(name, 'l.2.gz');
    await quietly();
    expect(read('out')).toBe(lines(0, 2101));
    expect(read('repeats')).toBe('');
  });

  test('and of which more is missing is not said to be gone', async () => {
    write('l', lines(0, 1000));
    await quietly();
    rmSync(at('l'));
    cut(lines(0, 900), 'l.1.gz');
    write('l', lines(1000, 1100));
    const { code, stderr } = await run('l', '--duplicates-to', 'repeats');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^firstseen: l was replaced [^\n]* is read again; [^\n]*\n$/),
    ]);
    expect(stderr).not.toContain('gone');
    expect(read('repeats')).toBe(lines(0, 900));
  });

  test('after a run that had nothing new to read', async () => {
    write('l', lines(0, 1000));
    await quietly();
    append('l', lines(1000, 1001));
    await quietly();
    await run('l', '--duplicates-to', 'repeats');
    rmSync(at('l'));
    cut(lines(0, 990), 'l.1.gz');
    write('l', lines(1001, 1100));
    await quietly();
    expect(read('out')).toBe(lines(0, 1100));
    expect(read('repeats')).toBe('');
  });

  test('but a file that only begins alike is read', async () => {
    write('l', `header\n${lines(0, 1000)}`);
    await quietly();
    rmSync(at('l'));
    cut(`header\n${lines(0, 999)}`, 'l.2.gz');
    cut(`header\n${lines(1000, 1100)}`, 'l.1.gz');
    write('l', `header\n${lines(1100, 1200)}`);
    await quietly();
    expect(read('out')).toBe(`header\n${lines(0, 1200)}`);
    expect(read('repeats')).toBe('header\nheader\n');
  });
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

test.each([
  ['an empty log', ''],
  ['a log with only its header', '# fields: text\n'],
])('%s that is written to, copied and emptied before the run has saved its state is read', async (_, header) => {
  write('l', header);
  await expectQuiet('l');
  append('l', lines(0, 10));
  copyFileSync(at('l'), at('l.1'));
  // As if the lines had been written after the run had read the log.
  utimesSync(at('l.1'), statSync(at('s')).atime, new Date(statSync(at('s')).mtimeMs - 2));
  truncateSync(at('l'));
  append('l', header + lines(10, 20));
  await expectQuiet('l');
  expect(read('out')).toBe(header + lines(0, 20));
});

test('a file that has got the inode of an empty log is not taken for it', async () => {
  write('l', '');
  await expectQuiet('l');
  write('new', lines(10, 20));
  // The log is removed, and another file gets its inode, as of a link to it.
  linkSync(at('l'), at('private'));
  move('new', 'l');
  write('private', 'no line of the log\n');
  await expectQuiet('l');
  expect(read('out')).toBe(lines(10, 20));
});

test('a log that is another file and begins alike is told, and so is a file that may be its predecessor', async () => {
  write('l', '# header\n');
  await expectQuiet('l');
  append('l', lines(0, 10));
  // The new log is made before the old one is removed, so it cannot get the same inode.
  write('new', `# header\n${lines(10, 20)}`);
  move('l', 'l.old');
  compress('l.old');
  move('new', 'l');
  const { code, stderr } = await run('l');
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^firstseen: it cannot be told whether l is a copy of the file that was read, or a new one [^\n]*\n/,
  );
  expect(stderr).toMatch(/\nfirstseen: \S*l\.old\.gz may be part of l and was not read, [^\n]*\n$/);
  append('l', lines(20, 30));
  await expectQuiet('l');
  expect(read('out')).toBe(`# header\n${lines(10, 30)}`);
});

describe('a run that follows a log and is killed before a checkpoint is due', () => {
  beforeEach(async () => {
    write('l', lines(0, 10));
    const child = startFirstseen(['l', ...flags, '--follow', '--checkpoint', '1h'], { cwd });
    const ended = finished(child);
    while (!existsSync(at('s')) || !existsSync(at('out')) || read('out') !== lines(0, 10)) await sleep(20);
    append('l', lines(10, 15));
    while (read('out') !== lines(0, 15)) await sleep(20);
    child.kill('SIGKILL');
    await ended;
  });

  const rotations: [how: string, rotate: () => void][] = [
    ['renamed', () => move('l', 'l.1')],
    [
      'copied and truncated',
      () => {
        copyFileSync(at('l'), at('l.1'));
        truncateSync(at('l'));
      },
    ],
  ];

  test.each(rotations)('goes on when the log was %s since', async (_, rotate) => {
    rotate();
    append('l', lines(15, 20));
    await expectQuiet('l');
    expect(read('out')).toBe(lines(0, 20));
  });
});

test('a run that was killed before its first state, and whose input was renamed since, is told to read the old file first', async () => {
  write('l', lines(0, 10));
  await killBeforeState({ cwd, input: 'l', written: lines(0, 10), flags });
  move('l', 'l.1');
  write('l', lines(10, 20));
  const { code, stderr } = await run('l');
  expect(stderr).toMatch(
    /^firstseen: out has bytes [^\n]*; if an input was rotated, give its rotated file before it; otherwise remove /,
  );
  expect(code).toBe(1);
  await expectQuiet('l.1', 'l');
  expect(read('out')).toBe(lines(0, 20));
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

describe('a log that begins like its predecessor, of which only that beginning was read', () => {
  const header = '# fields: id text\n';

  function renamed(): void {
    move('l', 'l.1');
    write('l', '');
    compress('l.1');
  }

  function emptied(copy: string): void {
    copyFileSync(at('l'), at(copy));
    truncateSync(at('l'));
  }

  const schemes: Readonly<Record<string, () => void>> = {
    'renaming and compression': () => renamed(),
    'copying and emptying': () => emptied('l.1'),
    'copying, emptying and compression': () => {
      emptied('l.1');
      compress('l.1');
    },
    'a date and compression': () => {
      move('l', 'l-20260101');
      write('l', '');
      compress('l-20260101');
    },
    'two renamings and compressions': () => {
      renamed();
      append('l', `${header}${lines(1000, 1100)}`);
      move('l.1.gz', 'l.2.gz');
      renamed();
    },
    'two times copying and emptying': () => {
      emptied('l.2');
      append('l', `${header}${lines(1000, 1100)}`);
      emptied('l.1');
    },
  };

  beforeEach(async () => {
    write('l.9', `${header}from before the first run\n`);
    utimesSync(at('l.9'), 0, 0);
    write('l', header);
    await expectQuiet('l');
    append('l', lines(0, 1000));
  });

  test.each(Object.keys(schemes))('with %s', async (scheme) => {
    schemes[scheme]?.();
    append('l', `${header}${lines(1100, 1200)}`);
    await expectQuiet('l');
    const between = scheme.startsWith('two') ? lines(1000, 1100) : '';
    expect(read('out')).toBe(`${header}${lines(0, 1000)}${between}${lines(1100, 1200)}`);
    append('l', lines(1200, 1210));
    await expectQuiet('l');
    expect(read('out')).toBe(`${header}${lines(0, 1000)}${between}${lines(1100, 1210)}`);
    const { stderr } = await run('l');
    expect(stderr).toMatch(/^firstseen: this run was finished before/);
  });

  test.each([[''], [header]])('also if the new log has nothing else yet: %j', async (start) => {
    renamed();
    append('l', `${header}${lines(1000, 1100)}`);
    move('l.1.gz', 'l.2.gz');
    renamed();
    append('l', start);
    await expectQuiet('l');
    append('l', lines(1100, 1200));
    await expectQuiet('l');
    expect(read('out')).toBe(`${header}${lines(0, 1200)}`);
  });

  test.each([[false], [true]])('but a copy of the log is not read; compressed: %s', async (isCompressed) => {
    copyFileSync(at('l'), at('l.1'));
    if (isCompressed) compress('l.1');
    append('l', lines(1000, 1100));
    const { stderr } = await run('l', '--stats=json');
    const { records } = JSON.parse(stderr);
    expect(records).toBe(1100);
    expect(read('out')).toBe(`${header}${lines(0, 1100)}`);
  });

  test('but a rotated file that was read too, and was written to since, is only read on', async () => {
    move('l', 'l.1');
    write('l', header);
    await expectQuiet('l');
    append('l.1', 'late\n');
    append('l', lines(1000, 1100));
    const { stderr } = await run('l', '--stats=json');
    expect(JSON.parse(stderr).records).toBe(101);
    expect(read('out')).toBe(`${header}${lines(0, 1000)}late\n${lines(1000, 1100)}`);
  });
});

test('rows of a CSV log of which only the header was read are not lost when it is copied and emptied', async () => {
  write('l.csv', 'id,text\n');
  const csv = ['l.csv', '--format', 'csv', '-m', '64KiB', '-a', 'exact', '--state', 's', '-o', 'out.csv'];
  expect((await runCommand(csv, { cwd })).code).toBe(0);
  append('l.csv', '1,a\n');
  copyFileSync(at('l.csv'), at('l.csv.1'));
  truncateSync(at('l.csv'));
  append('l.csv', 'id,text\n2,b\n');
  expect(await runCommand(csv, { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(read('out.csv')).toBe('id,text\n1,a\n2,b\n');
});

describe('a rotated file with a name of its own', () => {
  const names = [
    'l.old',
    'l.bak',
    'l.1.old',
    'l-2026-01-02_03-04-05',
    'l.20260102T030405',
    'l_20260102',
    'old-l',
    'l5',
  ];

  test.each(names)('%s is found by its inode or its date', async (name) => {
    write('l', lines(0, 10));
    await expectQuiet('l');
    append('l', lines(10, 20));
    move('l', name);
    write('l', lines(20, 30));
    await expectQuiet('l');
    expect(read('out')).toBe(lines(0, 30));
  });

  test('is not the only one: the other is named, and not read', async () => {
    write('l', lines(0, 10));
    await expectQuiet('l');
    move('l', 'l.2.old');
    write('l.1.old', lines(10, 20));
    write('l', lines(20, 30));
    const { code, stderr } = await run('l');
    expect(stderr).toMatch(
      /^firstseen: \S*l\.1\.old may be part of l and was not read, [^\n]* as an input before l\n$/,
    );
    expect(code).toBe(0);
    expect(read('out')).toBe(lines(0, 10) + lines(20, 30));
    await run('l.1.old', 'l');
    expect(read('out')).toBe(lines(0, 10) + lines(20, 30) + lines(10, 20));
  });

  test('and is not named if the run reads it', async () => {
    write('l', lines(0, 10));
    write('l.1.old', lines(40, 50));
    await expectQuiet('l.1.old', 'l');
    move('l', 'l.3.old');
    append('l.1.old', lines(50, 60));
    write('l.2.old', lines(10, 20));
    write('l', lines(20, 30));
    const { stderr } = await run('l.1.old', 'l');
    expect(stderr).toMatch(
      /^firstseen: \S*l\.2\.old may be part of l and was not read, [^\n]* as an input before l\n$/,
    );
    expect(read('out')).toBe(lines(40, 50) + lines(0, 10) + lines(50, 60) + lines(20, 30));
  });
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
