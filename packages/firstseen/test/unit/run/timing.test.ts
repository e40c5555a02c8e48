// Runs over files with a window in time. The test supplies the clock.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runFiles } from '../../../src/jobs/exact/run.js';
import type { RunOptions } from '../../../src/run/runoptions.js';
import { temporaryFolder } from '../../cli/support/command.js';

const hour = 3_600_000;

function optionsIn(folder: string, now: () => number): RunOptions {
  return {
    inputs: [join(folder, 'in.txt')],
    maxRecordBytes: 1000,
    detector: { window: '1h', memory: 65536 },
    emit: 'verdicts',
    output: join(folder, 'out.txt'),
    state: join(folder, 'state'),
    now,
  };
}

test('a record is a repeat until its window ends, across runs with a state', async () => {
  const folder = temporaryFolder(onTestFinished);
  const at = [100, 100.5, 104, 103].map((hours) => hours * hour);
  for (const time of at) {
    writeFileSync(join(folder, 'in.txt'), 'a\na\n', { flag: 'a' });
    await runFiles(optionsIn(folder, () => time));
  }
  const verdicts = readFileSync(join(folder, 'out.txt'), 'utf8').trim().split('\n');
  expect(verdicts).toEqual([
    ...['distinct', 'duplicate'],
    ...['duplicate', 'duplicate'],
    ...['distinct', 'duplicate'],
    ...['duplicate', 'duplicate'],
  ]);
});

test('the clock is read once per batch, and never for a window of elements', async () => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'in.txt'), 'a\nb\nc\n');
  let asked = 0;
  const now = () => {
    asked++;
    return hour;
  };
  await runFiles(optionsIn(folder, now));
  expect(asked).toBe(1);
  const other = temporaryFolder(onTestFinished);
  writeFileSync(join(other, 'in.txt'), 'a\nb\nc\n');
  await runFiles({ ...optionsIn(other, now), detector: { window: 100, memory: 65536 } });
  expect(asked).toBe(1);
});

test('a record whose time is too far ahead of the clock is invalid and does not advance the window', async () => {
  const folder = temporaryFolder(onTestFinished);
  const now = 500_000 * hour;
  const times = [now, now + 60_000, now + 60_001, now + 5 * hour, now];
  writeFileSync(join(folder, 'in.csv'), times.map((time) => `a,${time}\n`).join(''));
  const stats = await runFiles({
    ...optionsIn(folder, () => now),
    ...{ inputs: [join(folder, 'in.csv')], keys: ['1'], hasHeader: false, timeKey: '2' },
    ...{ maxLead: '1m', onError: 'drop' },
  });
  expect(stats).toMatchObject({ invalid: 2, dropped: 2, distinct: 1, duplicates: 2 });
});

test.each(['apbf', 'exact'] as const)(
  'a window whose clock jumped ahead is refused, and goes on when its clock is set back: %s',
  async (algorithm) => {
    const folder = temporaryFolder(onTestFinished);
    const write = () => writeFileSync(join(folder, 'in.txt'), 'a\n', { flag: 'a' });
    const runAt = (hours: number, more: Partial<RunOptions> = {}) => {
      write();
      const { detector, ...options } = optionsIn(folder, () => hours * hour);
      return runFiles({ ...options, detector: { ...detector, algorithm }, ...more });
    };
    await runAt(100);
    await runAt(1000);
    await expect(runAt(101)).rejects.toMatchObject({ code: 'E_CLOCK' });
    await expect(runAt(101, { maxLead: '898h' })).rejects.toThrow('more than 898h ahead');
    await runAt(101, { isClockReset: true });
    // Set back, the window goes on by the hour. Before, its clock stopped until the machine's had caught up, and each repeat was dropped.
    await runAt(103);
    const verdicts = readFileSync(join(folder, 'out.txt'), 'utf8').trim().split('\n');
    expect(verdicts).toEqual(['distinct', 'distinct', 'duplicate', 'duplicate', 'duplicate', 'distinct']);
  },
);

test('a clock that falls behind during a run is told once', async () => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'in.txt'), Array.from({ length: 60_000 }, (_, i) => `${i}\n`).join(''));
  const times = [1000, 100, 100, 100, 100, 100].map((hours) => hours * hour);
  const warnings: string[] = [];
  const now = () => times.shift() ?? 100 * hour;
  await runFiles({ ...optionsIn(folder, now), onWarning: ({ code }) => warnings.push(code) });
  expect(warnings.filter((code) => code === 'E_CLOCK')).toEqual(['E_CLOCK']);
});

/** A log over a new year and a leap day, with the keys and the times of its records without their year. */
function yearlessLog(records: number): string[] {
  const start = Date.UTC(2015, 9, 1);
  return Array.from({ length: records }, (_, i) => {
    // Most records are later than those before them, and some are late.
    const time = new Date(start + i * hour - ((i * 7919) % 13 === 0 ? 30 * hour : 0));
    const [day, clock] = [time.toISOString().slice(5, 10), time.toISOString().slice(11, 16)];
    return `${day} ${clock} ${(i * 31) % 17}\n`;
  });
}

test('a run that goes on from a state reads times without a year as one that was not interrupted', async () => {
  const lines = yearlessLog(4000);
  const runOver = async (pieces: number) => {
    const folder = temporaryFolder(onTestFinished);
    const size = Math.ceil(lines.length / pieces);
    for (let at = 0; at < lines.length; at += size) {
      writeFileSync(join(folder, 'in.txt'), lines.slice(at, at + size).join(''), { flag: 'a' });
      await runFiles({
        ...optionsIn(folder, () => Date.UTC(2026, 0, 1)),
        ...{ keys: ['3'], timeKey: ['1', '2'], timeFormat: '%m-%d %H:%M', timeUntil: '2016-03' },
        detector: { window: '20h', memory: 65536 },
      });
    }
    return readFileSync(join(folder, 'out.txt'), 'utf8');
  };
  const whole = await runOver(1);
  expect(whole).toContain('duplicate\ndistinct\n');
  expect(await runOver(5)).toBe(whole);
});

test('the clock tells the year of times without one', async () => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'in.txt'), 'Dec 31 23:30:00 a\nJan  1 00:20:00 a\nJan  1 00:50:00 a\n');
  const runAt = (now: number) =>
    runFiles({
      ...optionsIn(folder, () => now),
      ...{ state: undefined, keys: ['4'], timeKey: '1', timeFormat: '%b %e %T' },
    });
  const newYear = Date.UTC(2026, 0, 1);
  expect(await runAt(newYear)).toMatchObject({ distinct: 2, duplicates: 1 });
  // From July on, the second record is of the same year as the first, and late.
  expect(await runAt(Date.UTC(2026, 6, 1))).toMatchObject({ distinct: 2, duplicates: 1 });
  await expect(runAt(newYear - 11 * hour)).rejects.toThrow(/ahead of the clock by more than maxLead allows/);
});
