// Runs are killed at random moments, from a fixed seed, and restarted with the same command line until they finish.
// Every file that they leave has the same bytes as after a run without a kill.

import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { inLongForm } from '../support/form.js';
import { requiresPosix } from '../support/platform.js';
import { randomFrom } from '../support/random.js';
import {
  type CommandResult,
  finished,
  runFirstseen,
  startFirstseen,
  temporaryFolder,
  waiting,
} from './support/command.js';

const RECORDS = inLongForm(300_000, 100_000);
/** Gives many repeats, and enough distinct keys for both kinds of error in the small memory of the detector. */
const IDENTIFIERS = Math.floor(0.4 * RECORDS);
const MEMORY = inLongForm('96KiB', '32KiB');
/** The maximum number of kills before a run may finish. */
const MAX_KILLS_IN_A_ROW = 3;
/** Every third kill, from the second on, happens within this time after the start, while the run reads its state. */
const EARLY_MILLISECONDS = 120;
/** The others happen within this time after the output has reached a random size. */
const LATE_MILLISECONDS = 25;

interface InputKind {
  name: string;
  header: string;
  record(identifier: number, index: number): string;
  flags: readonly string[];
}

const kinds: readonly InputKind[] = [
  {
    name: 'in.txt',
    header: '',
    record: (identifier) => `https://shop.example/products/${identifier}?source=mail&page=1\n`,
    flags: [],
  },
  {
    name: 'in.ndjson',
    header: '',
    record: (identifier, index) =>
      `{"time":${index},"user":{"id":"u${identifier}"},"tags":["a","b"],"text":"a \\"word\\" or two"}\n`,
    flags: ['-k', 'user.id'],
  },
  {
    name: 'in.csv',
    header: 'time,id,text\n',
    record: (identifier, index) => `${index},${identifier},"a ""word"", or\na line"\n`,
    flags: ['-k', 'id'],
  },
];

function inputOf(kind: InputKind): string {
  const random = randomFrom(11);
  const records = Array.from({ length: RECORDS }, (_, i) => kind.record(Math.floor(random() * IDENTIFIERS), i));
  return kind.header + records.join('');
}

interface Job {
  cwd: string;
  args: readonly string[];
  /** The main output, whose size determines the moments of the kills, and the output of duplicates. */
  outputs: readonly [string, string];
}

function jobOf(kind: InputKind, ending: string): Job {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, kind.name), inputOf(kind));
  const outputs = [`out${ending}`, `again${ending}`] as const;
  const args = [
    ...[kind.name, ...kind.flags, '-m', MEMORY, '--max-record', '4KiB'],
    ...['--seed', '5', '--state', 's', '--checkpoint', '20ms'],
    ...['-o', outputs[0], '--duplicates-to', outputs[1]],
  ];
  return { cwd, args, outputs };
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

type Started = ReturnType<typeof startFirstseen>;

interface Moment {
  isEarly: boolean;
  /** The full size of the output. */
  fullBytes: number;
}

/**
 * Waits until shortly after the start, or until there is a state and the output has reached a random share of its full
 * size.
 */
async function killingMoment(
  child: Started,
  job: Job,
  { isEarly, fullBytes }: Moment,
  random: () => number,
): Promise<void> {
  const outputBytes = Math.floor(random() * fullBytes);
  const delay = random();
  const isReached = () => bytesOf(join(job.cwd, 's')) > 0 && bytesOf(join(job.cwd, job.outputs[0])) >= outputBytes;
  while (!isEarly && child.exitCode === null && !isReached()) await sleep(1);
  await sleep(Math.floor(delay * (isEarly ? EARLY_MILLISECONDS : LATE_MILLISECONDS)));
}

/** The files that a run leaves: its outputs and its state. */
function leftBy({ cwd, outputs }: Job): Buffer[] {
  return [...outputs, 's'].map((name) => readFileSync(join(cwd, name)));
}

function clear({ cwd, outputs }: Job): void {
  for (const name of [...outputs, 's']) rmSync(join(cwd, name), { force: true });
}

/** The names of files that differ. A printed difference of millions of bytes would not help. */
function differingFiles(left: readonly Buffer[], expected: readonly Buffer[], { outputs }: Job): string[] {
  return [...outputs, 's'].filter((_, i) => !left[i]?.equals(expected[i] as Buffer));
}

interface Killing {
  signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT';
  kills: number;
  seed: number;
}

function wasStopped({ code, signal }: CommandResult): boolean {
  return signal !== null || code === 130 || code === 143;
}

interface Killed {
  kills: number;
  /** The number of kills after which there was a state to continue from. */
  resumable: number;
}

interface Attempt {
  fullBytes: number;
  /** The number of kills before this attempt. */
  killsBefore: number;
  maxKills: number;
  signal: NodeJS.Signals;
}

/** Runs a job to its end, killing it up to `maxKills` times. */
async function runKilled(
  job: Job,
  { fullBytes, killsBefore, maxKills, signal }: Attempt,
  random: () => number,
): Promise<Killed> {
  let kills = 0;
  let resumable = 0;
  for (;;) {
    const child = startFirstseen(job.args, job);
    const result = finished(child);
    if (kills < maxKills) {
      await killingMoment(child, job, { isEarly: (killsBefore + kills) % 3 === 1, fullBytes }, random);
      child.kill(signal);
    }
    const ended = await result;
    if (!wasStopped(ended)) {
      // A kill may come after the end of the run and before the end of its process.
      expect(ended.stderr).toMatch(/^(firstseen: (this run was finished before|warning: .*\[E_MISSED\])[^\n]*\n)?$/);
      expect(ended.code).toBe(0);
      return { kills, resumable };
    }
    kills++;
    if (bytesOf(join(job.cwd, 's')) > 0) resumable++;
  }
}

async function surviveKills(job: Job, killing: Killing): Promise<void> {
  const random = randomFrom(killing.seed);
  const undisturbed = await runFirstseen(job.args, job);
  // The memory of most runs is too small for their keys, and they say so.
  expect(undisturbed).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^(firstseen: warning: .* \[E_MISSED\]\n)?$/),
  });
  const expected = leftBy(job);
  const fullBytes = (expected[0] as Buffer).length;
  let resumable = 0;
  for (let kills = 0; kills < killing.kills; ) {
    clear(job);
    const maxKills = Math.min(killing.kills - kills, 1 + Math.floor(random() * MAX_KILLS_IN_A_ROW));
    const attempt = { fullBytes, killsBefore: kills, maxKills, signal: killing.signal };
    const killed = await runKilled(job, attempt, random);
    kills += killed.kills;
    resumable += killed.resumable;
    expect(differingFiles(leftBy(job), expected, job)).toEqual([]);
  }
  expect(resumable).toBeGreaterThan(0);
}

const killings: readonly (Killing & { ending: string })[] = [
  { ending: '.part', signal: 'SIGKILL', kills: inLongForm(20, 2), seed: 1 },
  { ending: '.gz', signal: 'SIGKILL', kills: inLongForm(10, 2), seed: 2 },
  { ending: '.part', signal: 'SIGTERM', kills: inLongForm(4, 2), seed: 3 },
  { ending: '.gz', signal: 'SIGINT', kills: inLongForm(4, 3), seed: 4 },
];
/** Every kind with every killing in the long form, and each of them once in the short form. */
const killed = killings.flatMap((killing, i) =>
  inLongForm(kinds, [kinds[i % kinds.length] as InputKind]).map((kind) => ({ ...killing, kind, name: kind.name })),
);

test.each(killed)(
  '$name gives the same bytes in out$ending after $kills kills with $signal',
  ({ kind, ...killing }) => {
    if (killing.signal !== 'SIGKILL') requiresPosix('signals that a process can handle');
    return surviveKills(jobOf(kind, killing.ending), killing);
  },
);

describe('a signal', () => {
  beforeEach(() => requiresPosix('signals that a process can handle'));

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends a run that waits for input, and the run prints its summary', async (signal, code) => {
    const child = startFirstseen(['--stats=json'], { cwd: temporaryFolder() });
    const result = finished(child);
    child.stdin.write('a\nb\na\n');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill(signal);
    const ended = await result;
    expect(ended.code).toBe(code);
    expect(ended.stdout.toString()).toBe('a\nb\n');
    expect(JSON.parse(ended.stderr)).toMatchObject({
      ...{ records: 3, duplicates: 1, interrupted: true },
      ending: { level: 'info', code: signal, message: `stopped by ${signal} after 3 records` },
    });
  });

  test('ends a run at any moment: without a message while it starts and plans, and then with one', async () => {
    const silent = { code: null, signal: 'SIGINT', stderr: '' };
    const step = inLongForm(25, 250);
    const told = { code: 130, signal: null, stderr: 'firstseen: stopped by SIGINT after 0 records\n' };
    for (let delayMilliseconds = 25; delayMilliseconds <= 800; delayMilliseconds += step) {
      const child = startFirstseen(['--expect-distinct', '3e6'], { cwd: temporaryFolder() });
      const result = finished(child);
      await sleep(delayMilliseconds);
      child.kill('SIGINT');
      const { code, signal, stderr } = await result;
      expect([silent, told]).toContainEqual({ code, signal, stderr });
    }
  });

  test.each(['drop', 'pass'])('ends a run inside a record that is too long, with --on-error %s', async (policy) => {
    const child = startFirstseen(['--on-error', policy, '--max-record', '1KiB'], { cwd: temporaryFolder() });
    const result = finished(child);
    child.stdin.write('a\n');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdin.write('x'.repeat(100_000));
    await sleep(200);
    child.kill('SIGINT');
    expect(await result).toMatchObject({ code: 130, stderr: 'firstseen: stopped by SIGINT after 1 record\n' });
  });

  test('ends a run that has not read anything yet', async () => {
    const child = startFirstseen(['-a', 'exact', '-m', '1KiB'], { cwd: temporaryFolder() });
    const result = finished(child);
    await waiting(child);
    child.kill('SIGINT');
    expect(await result).toMatchObject({ code: 130, stderr: 'firstseen: stopped by SIGINT after 0 records\n' });
  });
});
