// Runs that spill, as processes: killed at moments drawn from a seed and begun again, over a pipe, and where files may not grow.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inLongForm } from '../support/form.js';
import { requiresPosix } from '../support/platform.js';
import { finished, mainPath, startFirstseen, temporaryFolder, waiting } from './support/command.js';
import { runCommand } from './support/runner.js';

const RECORDS = inLongForm(300_000, 200_000);
const KILLS = inLongForm(12, 3);
/** A run takes about half a second; the moments lie all over it. */
const MAX_MILLISECONDS = 600;

const FLAGS = ['-a', 'exact', '-m', '1MiB', '--spill', 'spill'];

function recordsOf(count: number): string {
  return Array.from({ length: count }, (_, i) => `https://shop.example/${(i * 48271) % 100_003}\n`).join('');
}

function folderWith(text: string): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'in.txt'), text);
  mkdirSync(join(cwd, 'spill'));
  return cwd;
}

/** What a shell does to drop repeats. */
function firstOccurrences(text: string): string {
  return [...new Set(text.split(/(?<=\n)/))].join('');
}

/** The lines of a text with their counts, as `uniq -c` writes them, in the order of the text. */
function counted(text: string): string {
  const counts = new Map<string, number>();
  for (const line of text.split(/(?<=\n)/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => `${String(count).padStart(7)} ${line}`).join('');
}

test.each([
  [[], firstOccurrences],
  [['--count'], counted],
] as const)(
  'a killed run leaves nothing in the folder, and begins again with the same command line: %j',
  async (flags, truth) => {
    requiresPosix('signals that a process can handle');
    const text = recordsOf(RECORDS);
    const cwd = folderWith(text);
    const args = [...FLAGS, ...flags, 'in.txt', '-o', 'out'];
    for (let kill = 0; kill < KILLS; kill++) {
      const child = startFirstseen(args, { cwd });
      const result = finished(child);
      await sleep((MAX_MILLISECONDS * kill) / KILLS);
      child.kill('SIGKILL');
      await result;
      expect(readdirSync(join(cwd, 'spill'))).toEqual([]);
    }
    expect(await runCommand(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(cwd, 'out'), 'utf8') === truth(text)).toBe(true);
  },
);

test('standard input is copied to the folder; the summary tells what was written', async () => {
  const text = recordsOf(20_000);
  const cwd = folderWith('');
  const result = await runCommand([...FLAGS, '--stats'], { cwd, stdin: [Buffer.from(text)] });
  expect(result.code).toBe(0);
  expect(result.stdout.toString()).toBe(firstOccurrences(text));
  expect(result.stderr).toMatch(/^spill +read 2 times, 20,000 entries in \d+ partitions$/m);
  expect(result.stderr).toContain(`${(Buffer.byteLength(text) + 16 * 20_000).toLocaleString('en-US')} bytes`);
});

test('SIGINT ends a run without an output', async () => {
  requiresPosix('signals that a process can handle');
  const cwd = folderWith('');
  const child = startFirstseen([...FLAGS, '-o', 'out', '--stats'], { cwd });
  const result = finished(child);
  child.stdin.write('a\nb\n');
  while (readdirSync(cwd).every((name) => name !== 'out')) await sleep(10);
  // It reads on only after it has begun to listen to signals.
  await waiting(child);
  child.kill('SIGINT');
  expect(await result).toMatchObject({ code: 130 });
  expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('');
});

test('a file that may not grow ends the run with the reason, and leaves the output of an earlier run', () => {
  requiresPosix('a POSIX shell');
  const cwd = folderWith(recordsOf(RECORDS));
  writeFileSync(join(cwd, 'out'), 'kept');
  const command = `ulimit -f 100; trap '' XFSZ; exec "$0" "$@"`;
  const args = ['-c', command, process.execPath, mainPath, ...FLAGS, 'in.txt', '-o', 'out'];
  const { status, stderr } = spawnSync('sh', args, { cwd, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^firstseen: cannot write a file in spill: .+; name another --spill folder \[E_SPILL\]\n$/);
  expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('kept');
  expect(readdirSync(join(cwd, 'spill'))).toEqual([]);
});

test.each([
  [
    'another algorithm',
    ['-a', 'qht', '--spill', '.', 'in.txt'],
    '--algorithm qht was given with --spill, whose answers are exact; leave --algorithm or --spill out',
  ],
  ['a state', [...FLAGS, '--state', 's', 'in.txt'], '--state was given with --spill'],
  ['little memory', ['-a', 'exact', '-m', '64KiB', '--spill', '.', 'in.txt'], 'must be at least 1MiB with --spill'],
])('%s is a usage error', async (_, args, message) => {
  const result = await runCommand(args, { cwd: folderWith('a\n') });
  expect(result.code).toBe(2);
  expect(result.stderr).toContain(message);
});
