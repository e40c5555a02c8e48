// --order says which of several inputs is read first, and so whose records are kept. A run that goes on keeps to it.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { drawWords } from '../support/documents.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { Random } from '../support/streams.js';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

let cwd = '';

beforeEach(() => {
  cwd = temporaryFolder(onTestFinished);
});

const run = (...args: string[]) => runCommand([...args, '--max-record', '64KiB'], { cwd });
const read = (path: string) => readFileSync(join(cwd, path), 'utf8');

/** Writes a file that was modified in a year. */
function write(path: string, year: number, content: string): void {
  mkdirSync(join(cwd, path, '..'), { recursive: true });
  writeFileSync(join(cwd, path), content);
  setYear(path, year);
}

function setYear(path: string, year: number): void {
  const time = new Date(Date.UTC(year, 0, 1));
  utimesSync(join(cwd, path), time, time);
}

const random = new Random(5);
const [fox, mill] = [drawWords(60, random).join(' '), drawWords(60, random).join(' ')];
const record = (id: string, text: string) => `${JSON.stringify({ id, text })}\n`;

describe('the document that is kept is in the shard that is read first', () => {
  beforeEach(() => {
    write('dump/a.jsonl', 2024, record('a', fox));
    write('dump/b/x.jsonl', 2026, record('b', fox) + record('b2', mill));
    write('c.jsonl', 2025, record('c', fox) + record('c2', mill));
  });

  const jobs = [
    ['-f', 'ndjson', '-k', 'text'],
    ['near', '-f', 'ndjson'],
    ['passages', '--emit', 'documents'],
  ] as const;

  const orders = [
    ['given', 'c c2'],
    ['name', 'a b2'],
    ['oldest', 'a c2'],
    ['newest', 'b b2'],
  ] as const;
  const rows = jobs.flatMap((flags) => orders.map(([order, kept]) => ({ flags, order, kept })));

  test.each(coverOf(rows, ({ flags, order }) => [`${flags}`, order]))(
    `$flags --order $order${sampleNote}`,
    async ({ flags, order, kept }) => {
      const outputs: string[] = [];
      for (const threads of ['1', '2']) {
        const { code, stdout } = await run(...flags, 'c.jsonl', 'dump', '--order', order, '--threads', threads);
        expect(code).toBe(0);
        outputs.push(stdout.toString());
      }
      const ids = outputs.map((output) => output.match(/(?<="id":")\w+/g)?.join(' '));
      expect(ids).toEqual([kept, kept]);
    },
  );

  test('the files of an output folder keep their names', async () => {
    expect((await run('dump', 'c.jsonl', '-k', 'text', '--order', 'newest', '--output-folder', 'out')).code).toBe(0);
    expect(readdirSync(join(cwd, 'out'), { recursive: true }).sort()).toEqual(['a.jsonl', 'b', 'b/x.jsonl', 'c.jsonl']);
    expect(read('out/a.jsonl')).toBe('');
    expect(read('out/b/x.jsonl')).toBe(read('dump/b/x.jsonl'));
  });

  test('near takes files as documents in the order, and a list has it too', async () => {
    writeFileSync(join(cwd, 'list'), 'dump/a.jsonl\0c.jsonl\0dump/b/x.jsonl\0');
    const near = await run(
      'near',
      '-f',
      'files',
      'dump',
      'c.jsonl',
      '--order',
      'newest',
      '--no-verify',
      '--emit',
      'all',
    );
    expect(near.stdout.toString()).toBe('dump/b/x.jsonl\nc.jsonl\ndump/a.jsonl\n');
    const listed = await run('--files0-from', 'list', '-k', 'text', '--order', 'newest');
    expect(listed.stdout.toString()).toBe(read('dump/b/x.jsonl'));
  });
});

describe('a run that goes on', () => {
  const flags = ['in', '-m', '8MiB', '--state', 's', '-o', 'out'];

  test('reads files that came since after those that were read', async () => {
    write('in/b', 2024, '1\n2\n');
    expect((await run(...flags, '--order', 'newest')).code).toBe(0);
    write('in/a', 2026, '2\n3\n');
    write('in/c', 2025, '3\n4\n');
    expect((await run(...flags, '--order', 'oldest')).code).toBe(0);
    expect(read('out')).toBe('1\n2\n3\n4\n');
  });

  test('reads a folder of documents again when new documents come before others, and says so', async () => {
    const flags = ['near', 'in', '-f', 'files', '--state', 's', '-o', 'out'];
    write('in/a', 2024, fox);
    expect(await run(...flags, '--order', 'oldest')).toMatchObject({ code: 0, stderr: '' });
    write('in/b', 2026, mill);
    expect(await run(...flags, '--order', 'oldest')).toMatchObject({ code: 0, stderr: '' });
    write('in/c', 2025, drawWords(60, random).join(' '));
    expect(await run(...flags, '--order', 'oldest')).toMatchObject({
      code: 0,
      stderr:
        'firstseen: in is not what it was when it was last read: all of it was read again, and what was kept before counts as a repeat\n',
    });
    expect(read('out')).toBe('in/a\nin/b\nin/c\n');
  });

  /** Many records in three files, of which each shares some with the next. */
  function writeMany(): void {
    const count = inLongForm(300_000, 90_000);
    for (const [i, name] of ['0', '1', '2'].entries()) {
      const lines = Array.from({ length: count }, (_, line) => `record ${(i * count * 2) / 3 + line} of the input\n`);
      write(`in/${name}`, 2024 + i, lines.join(''));
    }
  }

  /** What a run without a kill leaves. */
  async function expected(): Promise<string> {
    expect((await run(...flags, '--order', 'newest')).code).toBe(0);
    const output = read('out');
    for (const name of ['out', 's']) rmSync(join(cwd, name));
    return output;
  }

  /** Starts the run, and kills it when something is so. */
  async function kill(args: readonly string[], isTime: () => boolean): Promise<void> {
    const child = startFirstseen([...args, '--max-record', '64KiB'], { cwd });
    const result = finished(child);
    while (child.exitCode === null && !isTime()) await sleep(1);
    child.kill('SIGKILL');
    expect((await result).signal).toBe('SIGKILL');
  }

  const sizeOf = (path: string) => statSync(join(cwd, path), { throwIfNoEntry: false })?.size ?? 0;

  test.each([
    ['after a kill', '1ms', () => sizeOf('s') > 0 && sizeOf('out') > 2 ** 20],
    ['after a kill before the first state', '1h', () => sizeOf('out') > 2 ** 20],
  ])('reads what is left in the same order %s, although times have changed', async (_, checkpoint, isTime) => {
    writeMany();
    const output = await expected();
    const args = [...flags, '--order', 'newest', '--checkpoint', checkpoint];
    await kill(args, isTime);
    for (const [i, name] of ['0', '1', '2'].entries()) setYear(`in/${name}`, 2030 - i);
    write('in/new', 2040, 'record 1 of the input\nnew\n');
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([0, '']);
    expect(read('out') === `${output}new\n`).toBe(true);
  });

  test('is refused with another order until it is finished', async () => {
    writeMany();
    await kill([...flags, '--order', 'newest', '--checkpoint', '1ms'], () => sizeOf('s') > 0);
    for (const [more, order] of [
      [[], 'given'],
      [['--order', 'oldest'], 'oldest'],
    ] as const) {
      const { code, stderr } = await run(...flags, ...more);
      expect(code).toBe(1);
      expect(stderr).toContain(
        `s holds an unfinished run with --order newest, but this run has --order ${order}; give`,
      );
    }
    expect((await run(...flags, '--order', 'newest')).code).toBe(0);
    expect((await run(...flags)).code).toBe(0);
  });
});
