// Runs on several threads as processes: stopped and continued with another number of threads, and a thread that ends.

import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runFiles } from '../../dist/node.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { randomFrom } from '../support/random.js';
import { noteWorkers } from '../support/workers.js';
import { finished, runFirstseen, startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const RECORDS = inLongForm(400_000, 200_000);
/** The starts after which a run is killed. They go through all numbers of threads. */
const KILLED_STARTS = inLongForm(6, 3);

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function writeInput(folder: string): void {
  const random = randomFrom(3);
  const keys = Array.from({ length: RECORDS }, (_, i) => (random() < 0.6 ? i : Math.floor(random() * i)));
  writeFileSync(join(folder, 'in.ndjson'), keys.map((key, i) => `{"at":${i},"id":"key-${key}"}\n`).join(''));
}

/** A run without its state, output and number of threads, and the input that it reads. */
interface KilledRun {
  args: readonly string[];
  write: (folder: string) => void;
}

function writeDocuments(folder: string): void {
  const random = randomFrom(4);
  const word = () => `w${Math.floor(random() ** 3 * 3000)}`;
  const texts = Array.from({ length: inLongForm(60_000, 25_000) }, () => Array.from({ length: 20 }, word).join(' '));
  const repeated = texts.map((text, i) => (random() < 0.4 ? `${texts[Math.floor(random() * i)]} ${word()}` : text));
  writeFileSync(join(folder, 'in.ndjson'), repeated.map((text) => `${JSON.stringify({ text })}\n`).join(''));
}

const killedRuns: [string, KilledRun][] = [
  ['exact', { args: ['in.ndjson', '-k', 'id'], write: writeInput }],
  [
    'partitions',
    { args: ['in.ndjson', '-k', 'id', '-a', 'bloom', '--layout', 'classic', '--partitions', '16'], write: writeInput },
  ],
  ['near', { args: ['near', 'in.ndjson', '--sets', '9', '--agreeing', '2'], write: writeDocuments }],
];

test.each(coverOf(killedRuns, ([, { write }]) => [write.name]))(
  `a run goes on after kills with another number of threads: %s${sampleNote}`,
  async (_job, { args, write }) => {
    const cwd = temporaryFolder();
    write(cwd);
    const argumentsOf = (state: string, output: string, threads: number) => [
      ...[...args, '-m', '1MiB', '--state', state, '--checkpoint', '10ms', '-o', output, '--threads', String(threads)],
    ];
    expect(await runFirstseen(argumentsOf('s1', 'whole', 1), { cwd })).toMatchObject({ code: 0 });
    const wholeBytes = bytesOf(join(cwd, 'whole'));
    const random = randomFrom(5);
    let kills = 0;
    for (let turn = 0; ; turn++) {
      const child = startFirstseen(argumentsOf('s2', 'out', 1 + (turn % 3)), { cwd });
      const result = finished(child);
      const wanted = Math.floor(random() * wholeBytes * 0.8);
      while (turn < KILLED_STARTS && child.exitCode === null && bytesOf(join(cwd, 'out')) < wanted) await sleep(1);
      if (turn < KILLED_STARTS) child.kill('SIGKILL');
      const { code } = await result;
      if (code === 0) break;
      kills++;
      expect(turn).toBeLessThan(KILLED_STARTS + 1);
    }
    expect(kills).toBeGreaterThan(0);
    expect(readFileSync(join(cwd, 'out')).equals(readFileSync(join(cwd, 'whole')))).toBe(true);
  },
);

test('a thread that ends ends the run with an error, and the run goes on from its last checkpoint', async () => {
  const cwd = temporaryFolder();
  writeInput(cwd);
  const path = (name: string) => join(cwd, name);
  const options = { inputs: [path('in.ndjson')], keys: ['id'], detector: { memory: '1MiB' } };
  await runFiles({ ...options, output: path('whole'), threads: 1 });
  const { workers, restore } = noteWorkers();
  try {
    const files = { output: path('out'), state: path('s'), checkpoint: 1, threads: 2 };
    const onProgress = () => void workers[0]?.terminate();
    await expect(runFiles({ ...options, ...files, onProgress })).rejects.toMatchObject({ code: 'E_THREAD' });
    expect(workers).toHaveLength(1);
    await runFiles({ ...options, ...files, threads: 1 });
  } finally {
    restore();
  }
  expect(readFileSync(path('out')).equals(readFileSync(path('whole')))).toBe(true);
});

test.each(['0', '65', 'two', '1.5'])('--threads %s is refused', async (threads) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'in.txt'), 'a\n');
  const { code, stderr } = await runCommand(['in.txt', '--threads', threads], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('--threads');
});

test('--threads auto and the summary tell the number of threads', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'in.txt'), 'a\nb\na\n');
  const { stdout, stderr } = await runCommand(['in.txt', '--threads', 'auto', '--stats=json'], { cwd });
  expect(stdout.toString()).toBe('a\nb\n');
  expect(JSON.parse(stderr)).toMatchObject({ threads: 1, records: 3 });
  rmSync(join(cwd, 'in.txt'));
});

test('comments and lines that are skipped leave the answers of one thread', async () => {
  const cwd = temporaryFolder();
  const rows = Array.from({ length: 40_000 }, (_, i) => (i % 7 === 0 ? `##,"${i}\n` : `${i % 20_000},"a\n##${i}"\n`));
  writeFileSync(join(cwd, 'in.csv'), `title\nid,name\n${rows.join('')}`);
  const flags = ['in.csv', '-k', 'id', '--comment', '##', '--skip-lines', '1', '-m', '2MiB', '-a', 'exact'];
  for (const threads of ['1', '2']) {
    expect(await runCommand([...flags, '--threads', threads, '-o', threads], { cwd })).toMatchObject({ code: 0 });
  }
  const [one, two] = ['1', '2'].map((name) => readFileSync(join(cwd, name), 'utf8')) as [string, string];
  expect(two === one).toBe(true);
  expect(one.match(/^##,/gm)?.length).toBe(rows.filter((row) => row.startsWith('##')).length);
});
