// The reports of the command: statistics, the witness, algorithms, inspect and help.

import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { StateDescription } from '../../src/checkpoint/describe.js';
import type { SnakeCase } from '../../src/cli/json.js';
import { families } from '../../src/detectors/descriptions.js';
import type { RunStats } from '../../src/run/stats.js';
import { finished, startFirstseen, temporaryFolder, waiting } from './support/command.js';
import { runCommand } from './support/runner.js';

const exampleLog = fileURLToPath(new URL('../../../../examples/access.log', import.meta.url));

function linesOf(text: string): Uint8Array[] {
  return [new TextEncoder().encode(text)];
}

async function statsOf(args: readonly string[], input = 'a\nb\na\n'): Promise<SnakeCase<RunStats>> {
  const { code, stderr } = await runCommand([...args, '--stats=json'], {
    cwd: temporaryFolder(),
    stdin: linesOf(input),
  });
  expect(code, stderr).toBe(0);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  return JSON.parse(stderr) as SnakeCase<RunStats>;
}

describe('--stats=json', () => {
  test('reports the progress and the error of a failed run', async () => {
    const { code, stdout, stderr } = await runCommand(['-f', 'ndjson', '-k', 'id', '--stats=json'], {
      cwd: temporaryFolder(),
      stdin: linesOf('{"id":1}\n{"id":2}\n{"id":1}\nbroken\n{"id":3}\n'),
    });
    expect(code).toBe(1);
    expect(stdout.toString()).toBe('{"id":1}\n{"id":2}\n');
    const counts = { records: 3, distinct: 2, duplicates: 1, observed: 3, bytes_in: 27, bytes_out: 18 };
    expect(JSON.parse(stderr)).toMatchObject({
      ...{ ...counts, interrupted: false, error: 'E_RECORD', warnings: [] },
      ending: { level: 'error', code: 'E_RECORD', message: expect.stringMatching(/^standard input, line 4: /) },
    });
  });

  test('reports the progress of a failed run of near, including the statistics that only near has', async () => {
    const { code, stderr } = await runCommand(['near', '-f', 'ndjson', '-m', '64KiB', '--stats=json'], {
      cwd: temporaryFolder(),
      stdin: linesOf('{"text":"one two three four five six"}\n{"no":1}\n'),
    });
    expect(code).toBe(1);
    const failed = { records: 1, distinct: 1, error: 'E_KEY_MISSING', near: { documents: 1, lsh: 'minhash' } };
    expect(JSON.parse(stderr)).toMatchObject(failed);
  });

  test.each([
    [['--stats=json', '--bogus'], /unknown option '--bogus'/],
    [['--emit', 'nothing', '--stats=json'], /--emit is "nothing"/],
    [['--checkpoint', '5s', '--stats=json'], /--checkpoint requires --state/],
    [['near', '--bogus', '--stats=json'], /see firstseen near --help/],
    [['motifs', '--stats=json'], /--record-bytes is missing/],
  ])('of a usage error is one value with the message: %j', async (args, message) => {
    const { code, stderr } = await runCommand(args, { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toEqual({
      ...{ interrupted: false, error: 'E_USAGE', warnings: [] },
      ending: expect.objectContaining({ level: 'error', code: 'E_USAGE', message: expect.stringMatching(message) }),
    });
  });

  test('counts records and bytes', async () => {
    const stats = await statsOf(
      ['-f', 'ndjson', '-k', 'id', '--missing-key', 'drop', '--on-error', 'pass'],
      ['{"id":1}', '{"id":2}', '{"id":1}', '{"no":1}', '', 'broken', ''].join('\n'),
    );
    expect(stats).toMatchObject({
      records: 5,
      distinct: 2,
      duplicates: 1,
      passed: 1,
      dropped: 1,
      missing_key: 1,
      invalid: 1,
      too_long: 0,
      bytes_in: 44,
      bytes_out: 26,
      observed: 3,
      interrupted: false,
      resumed: false,
      error: null,
    });
    expect(stats.seconds).toBeGreaterThan(0);
    expect(stats.records_per_second).toBeGreaterThan(0);
    expect(stats.state_bytes).toBeGreaterThanOrEqual(64 * 2 ** 20);
    expect(stats.load).toBeGreaterThan(0);
  });

  test('counts records that are too long', async () => {
    const stats = await statsOf(['--max-record', '64', '--on-error', 'drop'], `a\n${'x'.repeat(65)}\na\n`);
    expect(stats).toMatchObject({ records: 3, distinct: 1, duplicates: 1, dropped: 1, too_long: 1 });
  });

  test('reports the detector that the flags request', async () => {
    const stats = await statsOf([
      ...['-a', 'sbf', '-m', '2MiB', '--layout', 'classic', '--seed', '18446744073709551615'],
      ...[
        '--fingerprint',
        'rabin',
        '--param',
        'K=3',
        '--param',
        'P=7',
        '--param',
        'Max=3',
        '--param',
        'victims=independent',
      ],
    ]);
    expect(stats).toMatchObject({
      algorithm: 'sbf',
      layout: 'classic',
      fingerprint: 'rabin',
      seed: '18446744073709551615',
      memory_bytes: 2 ** 21,
      parameters: { K: 3, P: 7, Max: 3, d: 2, victims: 'independent' },
    });
  });

  test('reports parameters derived from the target rate', async () => {
    const loose = await statsOf(['-a', 'bloom', '--fpr', '0.25']);
    const tight = await statsOf(['-a', 'bloom', '--fpr', '1e-3']);
    expect([loose.parameters.k, tight.parameters.k]).toEqual([2, 10]);
  });

  test('reports the Max of sbf derived from the gaps', async () => {
    const args = ['-a', 'sbf', '-m', '1MiB', '--layout', 'classic', '--fpr', '0.1'];
    const near = await statsOf([...args, '--gaps', '5,10,20']);
    const far = await statsOf([...args, '--gaps', '9000000']);
    expect(near.parameters.Max).toBeGreaterThan(1);
    expect(far.parameters.Max).toBe(1);
  });
});

describe('--stats-to', () => {
  test('of a run that has nothing to do leaves the summary of the last one', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'in.txt'), 'a\nb\na\n');
    const args = ['in.txt', '--state', 's', '-o', 'out', '--stats-to', 'stats.json'];
    const summary = async () => {
      const { code } = await runCommand(args, { cwd });
      return { code, ...JSON.parse(readFileSync(join(cwd, 'stats.json'), 'utf8')) };
    };
    const first = await summary();
    expect(first).toMatchObject({ code: 0, records: 3, idle: false });
    expect(await summary()).toEqual(first);
    appendFileSync(join(cwd, 'in.txt'), 'c\n');
    expect(await summary()).toMatchObject({ code: 0, records: 1, idle: false });
    rmSync(join(cwd, 'stats.json'));
    expect(await summary()).toMatchObject({ code: 0, records: 0, idle: true });
  });

  test('replaces a file by the summary as JSON, and leaves standard error as it is', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'stats.json'), 'old');
    const { code, stderr } = await runCommand(['--stats-to', 'stats.json'], { cwd, stdin: linesOf('a\nb\na\n') });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const found = JSON.parse(readFileSync(join(cwd, 'stats.json'), 'utf8'));
    expect(found).toMatchObject({ records: 3, distinct: 2, all_runs: null, warnings: [], ending: null });
    expect(readdirSync(cwd)).toEqual(['stats.json']);
  });

  test('is written when the run fails, and says why', async () => {
    const cwd = temporaryFolder();
    const args = ['-f', 'ndjson', '-k', 'id', '--stats-to', 'stats.json'];
    const { code } = await runCommand(args, { cwd, stdin: linesOf('{"id":1}\nbroken\n') });
    expect(code).toBe(1);
    const found = JSON.parse(readFileSync(join(cwd, 'stats.json'), 'utf8'));
    expect(found).toMatchObject({ records: 1, error: 'E_RECORD', ending: { code: 'E_RECORD' } });
  });

  test('is written after a signal', async () => {
    const cwd = temporaryFolder();
    const child = startFirstseen(['--stats-to', 'stats.json'], { cwd });
    const ended = finished(child);
    child.stdin.write('a\nb\n');
    await waiting(child);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(143);
    const found = JSON.parse(readFileSync(join(cwd, 'stats.json'), 'utf8'));
    expect(found).toMatchObject({ records: 2, interrupted: true, error: null });
    expect(found.ending).toEqual({ level: 'info', code: 'SIGTERM', message: 'stopped by SIGTERM after 2 records' });
  });

  test('whose folder does not exist fails the run before it begins', async () => {
    const { code, stdout, stderr } = await runCommand(['--stats-to', 'none/stats.json'], {
      cwd: temporaryFolder(),
      stdin: linesOf('a\n'),
    });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^firstseen: cannot write none\/stats\.json: .* \[E_OUTPUT\]\n$/);
  });

  test('is never a file of the run', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'in.txt'), 'a\n');
    const { code, stderr } = await runCommand(['in.txt', '--stats-to', './in.txt'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/would be written, but it is also a file of this run; .* \[E_USAGE\]\n$/);
    expect(readFileSync(join(cwd, 'in.txt'), 'utf8')).toBe('a\n');
  });
});

describe('--log-format json', () => {
  test('writes each message as a line of JSON', async () => {
    const args = ['-f', 'ndjson', '-k', 'id', '--log-format', 'json'];
    const { stderr } = await runCommand(args, { cwd: temporaryFolder(), stdin: linesOf('{"no":1}\n') });
    expect(stderr.endsWith('}\n')).toBe(true);
    expect(JSON.parse(stderr)).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ...{ level: 'error', code: 'E_KEY_MISSING', message: expect.stringMatching(/^standard input, line 1: /) },
      remedy: expect.stringContaining('--missing-key drop'),
    });
  });

  test('also for errors of the parser, wherever it is given', async () => {
    const { stderr } = await runCommand(['--memory', 'x', '--log-format=json'], { cwd: temporaryFolder() });
    expect(JSON.parse(stderr)).toMatchObject({ level: 'error', code: 'E_MEMORY', option: '--memory' });
  });

  test('leaves nothing to do beside --stats=json, and is refused beside --stats', async () => {
    const cwd = temporaryFolder();
    const both = await runCommand(['none.txt', '--log-format', 'json', '--stats=json'], { cwd });
    expect(JSON.parse(both.stderr)).toMatchObject({ error: 'E_INPUT', ending: { code: 'E_INPUT' } });
    const text = await runCommand(['--log-format', 'json', '--stats'], { cwd });
    expect(text.code).toBe(2);
    expect(JSON.parse(text.stderr)).toMatchObject({ code: 'E_USAGE', option: '--stats' });
  });
});

describe('--stats', () => {
  test('summarises the example log', async () => {
    const { code, stdout, stderr } = await runCommand([exampleLog, '--stats'], { cwd: temporaryFolder() });
    const lines = readFileSync(exampleLog, 'utf8').split(/(?<=\n)/);
    expect(code).toBe(0);
    expect(stdout.toString()).toBe([...new Set(lines)].join(''));
    expect(stderr).toMatch(
      /^records {10}2,000\ndistinct {9}1,340 \(67\.00 %\)\nduplicates {7}660 \(33\.00 %\)\nfalse positives {2}0 %, 0 of 1,340 new\nfalse negatives {2}0 %, 0 of 660 repeats\n/,
    );
  });

  test('does not read the next argument as its value', async () => {
    const { code, stderr } = await runCommand(['--stats', exampleLog], { cwd: temporaryFolder() });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^records {10}2,000\n/);
  });
});

describe('the witness', () => {
  const exact = { estimate: 0, low: 0, high: 0 };
  const state = ['-m', '64KiB', '--state', 's', '-o', 'out.txt'];

  async function witnessOf(cwd: string, ...args: string[]): Promise<SnakeCase<RunStats>['witness']> {
    const { code, stderr } = await runCommand([...args, '--stats=json'], { cwd });
    expect(code, stderr).toBe(0);
    return (JSON.parse(stderr) as SnakeCase<RunStats>).witness;
  }

  function folderWith(lines: string): string {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'in.txt'), lines);
    return cwd;
  }

  test('is reported unless --no-witness is given', async () => {
    expect((await statsOf([])).witness).toEqual({
      fraction: 1,
      elements: 2,
      false_positive_rate: exact,
      false_negative_rate: exact,
      new_elements: 2,
      repeats: 1,
      by_gap: [{ gap_from_elements: 2, gap_to_elements: 3, duplicates: 1, false_negatives: 0, ...exact }],
      memory_bytes: 2 ** 19,
    });
    expect((await statsOf(['--witness-memory', '64KiB'])).witness).toMatchObject({ memory_bytes: 65536 });
    expect((await statsOf(['--no-witness'])).witness).toBeNull();
  });

  test('follows records with --time-key', async () => {
    const times = [0, 90_000, 90_001];
    const records = times.map((at) => `{"id":1,"at":${at}}\n`).join('');
    const flags = ['-f', 'ndjson', '-k', 'id', '--window', '1h', '--time-key', 'at'];
    const { distinct, witness } = await statsOf(flags, records);
    expect(distinct).toBe(2);
    // The first repeat comes after the window, which is meant to forget it; the second one is found.
    expect(witness).toMatchObject({
      elements: 1,
      false_negative_rate: { estimate: 0 },
      by_gap: [{ gap_from_elements: 1, duplicates: 1, false_negatives: 0 }],
    });
  });

  test('is saved in the state, and inspect shows it', async () => {
    const cwd = folderWith('a\nb\na\n');
    await witnessOf(cwd, 'in.txt', ...state);
    writeFileSync(join(cwd, 'in.txt'), 'a\nb\na\nb\nc\n');
    expect(await witnessOf(cwd, 'in.txt', ...state)).toMatchObject({ elements: 3, by_gap: [{ duplicates: 2 }] });
    const { stdout } = await runCommand(['inspect', 's'], { cwd });
    expect(stdout.toString()).toMatch(
      /^false positives {2}0 %, 0 of 3 new\nfalse negatives {2}0 %, 0 of \d+ repeats\nwitness {10}all 3 elements$/m,
    );
    const json = JSON.parse((await runCommand(['inspect', '--json', 's'], { cwd })).stdout.toString());
    expect(json.witness).toMatchObject({ elements: 3, false_positive_rate: exact });
  });

  test('is removed from a state by --no-witness, and later runs do not restore it', async () => {
    const cwd = folderWith('a\nb\na\n');
    await witnessOf(cwd, 'in.txt', ...state);
    expect(await witnessOf(cwd, 'in.txt', ...state, '--no-witness')).toBeNull();
    expect(await witnessOf(cwd, 'in.txt', ...state)).toBeNull();
  });

  test('has the memory given in the state; another size is refused', async () => {
    const cwd = folderWith('a\n');
    await witnessOf(cwd, 'in.txt', ...state, '--witness-memory', '64KiB');
    expect(await witnessOf(cwd, 'in.txt', ...state, '--witness-memory', '64KiB')).toMatchObject({
      memory_bytes: 65536,
    });
    const { code, stderr } = await runCommand(['in.txt', ...state, '--witness-memory', '1MiB'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/memory of the witness is 64KiB in the state, not 1MiB; .* \[E_STATE_DIFFERS\]\n$/);
  });

  test.each([
    [['--witness-memory', '1KiB'], /--witness-memory is "1KiB", but must be at least 32KiB \[E_MEMORY\]/],
    [
      ['--witness-memory', '1MiB', '--no-witness'],
      /--witness-memory has no effect together with --no-witness; .* \[E_USAGE\]/,
    ],
  ])('%j is a usage error', async (args, message) => {
    const { code, stderr } = await runCommand(args, { cwd: temporaryFolder(), stdin: linesOf('a\n') });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('algorithms', () => {
  test('shows every family with its rule, guarantees and parameters', async () => {
    const { code, stdout } = await runCommand(['algorithms'], { cwd: temporaryFolder() });
    const words = stdout.toString().replace(/\s+/g, ' ');
    expect(code).toBe(0);
    for (const { name, title, rule, source, parameters } of families) {
      for (const text of [`${name}: ${title}`, rule, source, ...parameters.map(({ description }) => description)]) {
        expect(words).toContain(text);
      }
    }
  });

  test('prints the registry as JSON', async () => {
    const { stdout } = await runCommand(['algorithms', '--json'], { cwd: temporaryFolder() });
    const rows = JSON.parse(stdout.toString()) as Record<string, unknown>[];
    expect(rows.map(({ name }) => name)).toEqual(families.map(({ name }) => name));
    expect(rows.filter((row) => row.is_default)).toMatchObject([{ name: 'qht', default_layout: 'blocked' }]);
    expect(rows.find(({ name }) => name === 'bloom')).toMatchObject({ false_negatives: { kind: 'never' } });
  });
});

describe('inspect', () => {
  async function savedState(): Promise<string> {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'in.csv'), 'id,v\n1,a\n2,b\n1,c\n');
    const args = ['in.csv', '-k', 'id', '-a', 'bloom', '-m', '64KiB', '--seed', '9', '-o', 'out.csv', '--state', 's'];
    const { code, stderr } = await runCommand(args, { cwd });
    expect(code, stderr).toBe(0);
    return cwd;
  }

  test('shows detector, key and run', async () => {
    const cwd = await savedState();
    const { code, stdout } = await runCommand(['inspect', 's'], { cwd });
    expect(code).toBe(0);
    const text = stdout.toString();
    for (const line of [
      /^algorithm +bloom \(blocked\)$/m,
      /^parameters +k=7 /m,
      /^fingerprint +xxh64, seed 9$/m,
      /^memory +64KiB$/m,
      /^observed +3 elements, 1 duplicate$/m,
      /^format +csv$/m,
      /^key +id$/m,
      /^run +finished$/m,
      /^inputs +in\.csv$/m,
      /^outputs +out\.csv$/m,
      /^counts +3 records, 2 distinct, 1 duplicate$/m,
    ]) {
      expect(text).toMatch(line);
    }
  });

  test('prints the same as JSON', async () => {
    const cwd = await savedState();
    const { stdout } = await runCommand(['inspect', '--json', 's'], { cwd });
    const state = JSON.parse(stdout.toString()) as SnakeCase<StateDescription>;
    expect(state).toMatchObject({
      algorithm: 'bloom',
      seed: '9',
      memory_bytes: 65536,
      observed: 3,
      duplicates: 1,
      key: { format: 'csv', keys: ['id'] },
      run: { isFinished: true, counts: { records: 3 } },
      file_bytes: readFileSync(join(cwd, 's')).length,
    });
  });
});

describe('a window that has no room for all elements', () => {
  const flags = ['-a', 'pocket', '--window', '1d', '--fpr', '1%', '-m', '1KiB', '-f', 'lines', '--state', 's'];
  const runOver = async (cwd: string, records: string) => {
    writeFileSync(join(cwd, 'in.txt'), records);
    const { code, stderr } = await runCommand(['in.txt', ...flags, '-o', 'out.txt', '--new-run', '--stats'], { cwd });
    expect(code, stderr).toBe(0);
    return stderr;
  };

  test('are in the summary and in inspect over all runs, and in a notice of the run only', async () => {
    const cwd = temporaryFolder();
    const keys = Array.from({ length: 3000 }, (_, i) => `${i}\n`);
    const first = await runOver(cwd, keys.join(''));
    const [, count] = first.match(/^left early +(\d+) generations$/m) ?? [];
    expect(Number(count)).toBeGreaterThan(10);
    expect(first).toContain(`${count} generations left the window early, because there were more elements than it has`);
    const second = await runOver(cwd, '2999\n');
    expect(second).toMatch(new RegExp(`^left early +${count} generations$`, 'm'));
    expect(second).not.toContain('left the window early');
    const { stdout } = await runCommand(['inspect', 's'], { cwd });
    expect(stdout.toString()).toMatch(new RegExp(`^left early +${count} generations$`, 'm'));
    const json = JSON.parse((await runCommand(['inspect', '--json', 's'], { cwd })).stdout.toString());
    expect(json.shortened).toBe(Number(count));
  });
});

describe('help', () => {
  test.each([
    [['--help']],
    [['-h']],
    [['help']],
    [['help', 'near']],
    [['near', '-h']],
    [['-zh']],
    [['inspect', '--help']],
    [['algorithms', '--help']],
  ])('%j', async (args) => {
    const { code, stdout, stderr } = await runCommand(args, { cwd: temporaryFolder() });
    expect(code).toBe(0);
    expect(stdout.toString()).toMatch(/^Usage: firstseen/);
    expect(stderr).toBe('');
  });

  test('-h has no more than twenty lines, each with flags and commands of the whole help', async () => {
    const [short, whole] = (await Promise.all(
      ['-h', '--help'].map(async (flag) => (await runCommand([flag], { cwd: temporaryFolder() })).stdout.toString()),
    )) as [string, string];
    const lines = short.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(80);
    const flags = short.match(/--[a-z][a-z-]*/g) ?? [];
    expect(flags.length).toBeGreaterThan(8);
    for (const flag of flags) expect(whole).toMatch(new RegExp(`^ +(-\\w, )?${flag}\\b`, 'm'));
    const commands = /^Commands: (.*) and others\.$/m.exec(short)?.[1]?.split(', ') ?? [];
    expect(commands.length).toBeGreaterThan(4);
    for (const command of commands) expect(whole).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  test('contains examples', async () => {
    const { stdout } = await runCommand(['--help'], { cwd: temporaryFolder() });
    expect(stdout.toString()).toMatch(/\nExamples:\n {2}firstseen access\.log > distinct\.log\n/);
  });
});
