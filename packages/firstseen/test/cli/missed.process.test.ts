// The warning that a detector of fixed memory misses repeats.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

let cwd = '';
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('');
const ELEMENTS = 100_000;

beforeEach(() => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'twice'), lines(ELEMENTS).repeat(2));
});

const run = (...args: readonly string[]) => runCommand([...args, 'twice'], { cwd });

/** How many records pass a second time, as a share of the repeats. */
function missedShare(output: Buffer): number {
  return (output.toString().split('\n').length - 1 - ELEMENTS) / ELEMENTS;
}

describe('repeats that pass', () => {
  test('are told once, with a memory that keeps to 1 %', async () => {
    const { code, stdout, stderr } = await run('-m', '64KiB');
    expect(missedShare(stdout)).toBeGreaterThan(0.5);
    const [, rate, memory] =
      /^firstseen: warning: ([0-9.]+) % of the repeats passed, because the detector had forgotten them: 64KiB cannot hold what this stream needs; give --memory (\S+) or more, --window if only recent repeats count, or --spill for exact answers \[E_MISSED\]\n$/.exec(
        stderr,
      ) ?? [];
    expect([code, memory]).toEqual([0, expect.anything()]);
    expect(Math.abs(Number(rate) / 100 - missedShare(stdout))).toBeLessThan(0.05);
    const enough = await run('-m', memory as string);
    expect([enough.stderr, missedShare(enough.stdout) <= 0.01]).toEqual(['', true]);
  });

  test.each([
    ['an exact answer', ['-a', 'exact', '-m', '16MiB']],
    ['enough memory', ['-m', '16MiB']],
    ['no witness', ['-m', '64KiB', '--no-witness']],
    ['a window that is kept', ['-m', '64KiB', '--window', '1000']],
  ])('are not told with %s', async (_with, flags) => {
    expect((await run(...flags)).stderr).toBe('');
  });

  test('are a warning in the summary too, and are not told by a run that adds nothing', async () => {
    const state = ['-m', '64KiB', '--state', 'state'];
    const { stderr } = await run(...state, '--stats=json', '-o', 'out');
    expect(JSON.parse(stderr).warnings).toEqual([expect.objectContaining({ code: 'E_MISSED', option: '--memory' })]);
    expect((await run(...state, '-o', 'out')).stderr).toContain('finished before');
    expect((await run(...state, '-o', 'out')).stderr).not.toContain('E_MISSED');
    expect((await run('--state', 'state', '--read-only', '-o', 'other')).stderr).toBe('');
  });

  test('are told while a file is followed', async () => {
    const child = startFirstseen(['-m', '64KiB', '--follow', 'twice', '-o', 'out'], { cwd });
    const told = new Promise<string>((resolve) =>
      child.stderr.once('data', (text: Buffer) => resolve(text.toString())),
    );
    expect(await told).toContain('[E_MISSED]');
    child.kill('SIGTERM');
  });
});
