// Partitions of a state as files: they are separated, used apart, and merged.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { inLongForm } from '../support/form.js';
import { Random } from '../support/streams.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

function linesOf(count: number, keys: number, seed: number): string[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => `key ${random.below(keys)}`);
}

const first = linesOf(20_000, 9000, 1);
const second = linesOf(20_000, 12_000, 2);
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

let cwd = '';
const run = (...args: string[]) => runCommand(args, { cwd });
const read = (name: string) => readFileSync(join(cwd, name), 'utf8');

beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, '1.txt'), textOf(first));
  writeFileSync(join(cwd, '2.txt'), textOf(second));
});

const flags = ['--partitions', '8', '-m', '16KiB', '--max-record', '64KiB', '--no-witness'];

describe('split and merge', () => {
  test('a state that is split and merged goes on as the state would', async () => {
    await run('1.txt', '2.txt', ...flags, '-o', 'whole');
    await run('1.txt', ...flags, '--state', 's', '-o', 'a');
    const split = await run('split', 's', '--partitions', '8', '-d', 'parts');
    expect(split.stdout.toString().split('\n')[0]).toBe('8 files, 20,000 elements');
    const merged = await run('merge', 'parts', '-o', 'm');
    expect(merged.stderr).toBe('');
    expect(merged.stdout.toString()).toBe('1 file, 20,000 elements\nm\n');
    await run('2.txt', ...flags, '--state', 'm', '-o', 'b');
    expect(read('a') + read('b')).toBe(read('whole'));
  });

  test('each piece goes on alone with its own records, and refuses those of others', async () => {
    await run('1.txt', ...flags, '--state', 's', '-o', 'a');
    await run('split', 's', '--partitions', '2', '-d', 'parts');
    const refused = await run('2.txt', '--state', 'parts/0-of-2.partition', '-o', 'refused');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('it holds only the partitions 0 to 3 of 8');
    expect(refused.stderr).toContain('[E_PARTITION]');
  });

  test('a state without partitions is divided line for line', async () => {
    await run('1.txt', '-m', '16KiB', '--state', 's', '-o', 'a');
    const split = await run('split', 's', '--partitions', '4', '-d', 'parts');
    expect(split.stdout.toString()).toContain('the witness is left out');
    await run('merge', 'parts', '-o', 'm');
    const [before, after] = await Promise.all(
      ['s', 'm'].map(async (state) => JSON.parse((await run('inspect', state, '--json')).stdout.toString())),
    );
    expect(after).toMatchObject({ load: before.load, observed: before.observed, duplicates: before.duplicates });
    expect(after.partitions).toMatchObject({ count: 4, first: 0, held: 4 });
    expect(before.partitions).toBeUndefined();
    // What the state knows is in the merged one: nothing of the first file is distinct again.
    await run('1.txt', '--state', 's', '--read-only', '-o', 'known-before');
    await run('1.txt', '--state', 'm', '--read-only', '-o', 'known-after');
    expect(read('known-after')).toBe(read('known-before'));
  });

  test('a folder with pieces, an existing state and unfinished runs stay as they are', async () => {
    await run('1.txt', ...flags, '--state', 's', '-o', 'a');
    await run('split', 's', '--partitions', '8', '-d', 'parts');
    const before = readFileSync(join(cwd, 's'));
    const again = await run('split', 's', '--partitions', '8', '-d', 'parts');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('parts holds 0-of-8.partition already')]);
    const over = await run('merge', 'parts', '-o', 's');
    expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('s exists already')]);
    const none = await run('merge', '.', '-o', 'm');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('. holds no partitions')]);
    expect(readFileSync(join(cwd, 's'))).toEqual(before);
    expect(existsSync(join(cwd, 'm'))).toBe(false);
  });

  test('a state with other partitions is not used without saying so', async () => {
    await run('1.txt', ...flags, '--state', 's', '-o', 'a');
    const other = await run('2.txt', '--partitions', '4', '--state', 's', '-o', 'b');
    expect(other.stderr).toContain('partitions is 8 in the state, not 4');
    expect((await run('2.txt', '--state', 's', '-o', 'b')).code).toBe(0);
  });
});

test('stats show the partitions with the most and the fewest elements', async () => {
  const { stderr } = await run('1.txt', ...flags, '--stats=json', '-o', 'a');
  const { partitions, observed } = JSON.parse(stderr);
  expect(partitions).toMatchObject({ count: 8, first: 0, held: 8 });
  expect(partitions.fullest.observed).toBeGreaterThan(observed / 8);
  expect(partitions.emptiest.observed).toBeLessThan(observed / 8);
  const { stderr: text } = await run('1.txt', ...flags, '--stats', '-o', 'b');
  expect(text).toMatch(/^partitions {2,}8; [\d,]+ elements \(load [\d.]+\) to [\d,]+ elements \(load [\d.]+\)$/m);
});

test('the plan of partitions names them', async () => {
  const oneLayout = inLongForm([], ['--layout', 'blocked']);
  const { stdout } = await run('plan', '--partitions', '8', '-m', '64KiB', '--expect-distinct', '1000', ...oneLayout);
  expect(stdout.toString()).toContain('  firstseen --memory 64KiB --partitions 8 --expect-distinct 1000');
});
