import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { families } from '../../src/detectors/descriptions.js';
import { inLongForm, isLongForm } from '../support/form.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

async function planned(...flags: string[]) {
  const { stdout, code } = await runCommand(['plan', '--json', ...flags], { cwd: tmpdir() });
  expect(code).toBe(0);
  return JSON.parse(stdout.toString());
}

/** Flags of a plan whose subject is not the families: in the short form it tries one layout of each. */
const oneLayout = inLongForm([], ['--layout', 'blocked']);

/** A short stream, for which a plan takes a part of the time, in the short form. */
function shortStream(length: number): readonly string[] {
  return inLongForm([], ['--expect-length', `${length}`]);
}

describe('firstseen plan --json', () => {
  // The command takes seconds for a plan.
  let plan: Awaited<ReturnType<typeof planned>>;
  beforeAll(async () => {
    plan = await planned('--memory', '64KiB', '--fpr', '0.1', '--expect-distinct', '1e5');
  });

  test('has every family, with rates by gap and over time', () => {
    expect(plan.memory_bytes).toBe(65_536);
    expect(plan.stream).toMatchObject({ length_elements: 200_000, distinct_elements: expect.closeTo(100_000, -1) });
    expect(plan.families.map(({ algorithm }: { algorithm: string }) => algorithm)).toEqual(
      families.map(({ name }) => name),
    );
    for (const { fpr, fnr, by_gap, over_time, state_bytes } of plan.families) {
      expect(Math.max(fpr, fnr)).toBeLessThanOrEqual(1);
      expect(by_gap.at(-1).to_elements).toBe(200_000);
      expect(over_time.at(-1).position_elements).toBe(200_000);
      expect(state_bytes).toBeLessThanOrEqual(65_536 + 1024);
    }
  });

  test('recommends a structure that meets the rate, and predicts no errors below the limit', () => {
    const { fpr, fnr, is_possible } = plan.families.find(
      ({ algorithm }: { algorithm: string }) => algorithm === plan.recommended,
    );
    expect(is_possible).toBe(true);
    expect(fpr).toBeLessThanOrEqual(0.1);
    expect(fpr + fnr).toBeGreaterThanOrEqual(plan.limit.fpr + plan.limit.fnr);
  });

  test('finds the memory that a window needs', async () => {
    const least = await planned(
      '--window',
      '10000',
      '--fpr',
      '1e-3',
      '--memory',
      'auto',
      ...oneLayout,
      ...shortStream(20_000),
    );
    // The lower bound is log2(1 / rate) bits per element.
    expect(least.memory_bytes * 8).toBeGreaterThan(10_000 * Math.log2(1000));
    expect(least.memory_bytes).toBeLessThan(2 ** 18);
    expect(least.most_remembered_elements).toBeGreaterThanOrEqual(10_000);
  });
});

test('converts a window of time to elements with --rate', async () => {
  const refusal = await runCommand(['plan', '--window', '90s', '--rate', '100', '-m', '1KiB'], {
    cwd: temporaryFolder(),
  });
  expect(refusal.stderr).toContain('firstseen: a window of 9,000 elements at a rate of ');
});

test.runIf(isLongForm)('plans for a window of time with the stream and the limit of as many elements', async () => {
  // Which family keeps it, and how, depends on how a run cuts the window in time.
  const streamOf = ({ families: _, recommended: __, fewest_errors: ___, ...plan }: Record<string, unknown>) => plan;
  const asDuration = await planned('--window', '90s', '--rate', '100', '--memory', '64KiB', '--fpr', '0.01');
  const asElements = await planned('--window', '9e3', '--memory', '64KiB', '--fpr', '0.01');
  expect(streamOf(asDuration)).toEqual(streamOf(asElements));
  expect(asDuration.window_elements).toBe(9000);
});

test('says what it assumes, and what its FNR is', async () => {
  const textOf = async (...flags: string[]) => {
    const { stdout } = await runCommand(['plan', '--memory', '64KiB', ...oneLayout, ...flags], {
      cwd: temporaryFolder(),
    });
    return stdout.toString();
  };
  const assumed = await textOf('--expect-distinct', '1000');
  expect(assumed).toMatch(/^ +this is an assumption: on another stream, the rates are others/m);
  expect(assumed).toMatch(/^limit {7}on such a stream, no structure/m);
  expect(assumed).toContain('a run with a window counts only the repeats in it');
  const sample = join(temporaryFolder(), 'sample.txt');
  writeFileSync(sample, 'a\nb\na\n');
  const sampled = await textOf('--sample', sample);
  expect(sampled).not.toContain('assumption');
  expect(sampled).toMatch(/^limit {7}no structure/m);
});

describe('--window-slack', () => {
  test('recommends a family whose window is as long and as sharp', async () => {
    const window = inLongForm(10_000, 1000);
    const flags = ['--window', `${window}`, '--window-slack', '5%', '--fpr', '1e-3', '--memory', 'auto'];
    const plan = await planned(...flags, ...shortStream(2 * window));
    expect(plan).toMatchObject({ window_elements: window, window_slack: 0.05, recommended: 'apbf' });
    const possible = plan.families.filter(({ is_possible }: { is_possible: boolean }) => is_possible);
    for (const { algorithm, window_slack, resolved } of possible) {
      expect(['apbf', 'exactwindow']).toContain(algorithm);
      expect(window_slack).toBeLessThanOrEqual(0.05);
      expect(resolved.W).toBeGreaterThanOrEqual(window);
    }
  });

  test('shows which families have no window', async () => {
    const flags = ['plan', '--window', '1000', '--window-slack', '1%', '--memory', '1MiB', ...shortStream(2000)];
    const { stdout } = await runCommand(flags, { cwd: temporaryFolder() });
    expect(stdout.toString()).toMatch(/^window {6}1,000 elements, at most 1 % slack$/m);
    expect(stdout.toString()).toMatch(/^ {2}exact .* has no window$/m);
    expect(stdout.toString()).toMatch(/^recommended: exactwindow; .*; the other algorithms have no window$/m);
  });

  test('is refused if no algorithm has such a window', async () => {
    const flags = [
      'plan',
      '--window',
      '1e5',
      '--window-slack',
      '1%',
      '--memory',
      '1MiB',
      '--fpr',
      '0.001',
      ...oneLayout,
    ];
    const { stderr, code } = await runCommand(flags, { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(stderr.toString()).toContain('with --window-slack 0.01 (none has such a window); give');
  });
});

describe('firstseen plan refuses', () => {
  async function refused(...flags: string[]): Promise<string> {
    const { stderr, code } = await runCommand(['plan', ...flags], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    return stderr.toString();
  }

  test.each([['--key', 'id'], ['--format', 'csv'], ['--no-header'], ['--skip-lines', '1'], ['--comment', '#']])(
    '%s without a sample',
    async (...flags) => {
      expect(await refused(...flags)).toContain(`${flags[0]} requires --sample`);
    },
  );

  test.each([['--expect-distinct'], ['--expect-length']])('%s outside its range', async (flag) => {
    expect(await refused(flag, '1e30')).toContain(`firstseen: ${flag} is 1e+30, but must be at most 1099511627776`);
    expect(await refused(flag, '0')).toContain(`firstseen: ${flag} is 0, but must be a number of elements`);
  });

  test.each([['--expect-distinct'], ['--expect-length']])('%s that is not whole', async (flag) => {
    expect(await refused(flag, '1.5')).toContain(`${flag} is "1.5", but must be a whole number of elements, 1 or more`);
  });

  test('a window of time without a rate', async () => {
    expect(await refused('--window', '1h')).toContain('give --rate');
    expect(await refused('--window', '1h', '--rate', '0')).toContain('give --rate');
  });

  test('a rate without a window of time', async () => {
    expect(await refused('--rate', '5')).toContain('--rate requires a --window that is a duration');
    expect(await refused('--rate', '5', '--window', '1000')).toContain('--rate requires a --window that is a duration');
  });

  test.each(['1.5', '0', 'soon', '1e-3', '-1', '10M'])(
    'the window %s with the same message as a run',
    async (window) => {
      const message = await refused('--window', window);
      const run = await runCommand([`--window=${window}`], { cwd: temporaryFolder() });
      expect(run).toMatchObject({ code: 2, stderr: message });
    },
  );
});
