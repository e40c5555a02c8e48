// `firstseen motifs` as a process: its threads, inputs and outputs.

import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type MotifOptions, NO_SET, resolveMotifSettings } from '../../src/near/motifsettings.js';
import { MotifsTwin } from '../reference/motifs.js';
import { clusteredRecords } from '../support/clusters.js';
import { requiresPosix } from '../support/platform.js';
import { finished, startFirstseen, temporaryFolder, waiting } from './support/command.js';
import { runCommand } from './support/runner.js';

const recordBytes = 16;
const data = clusteredRecords({ count: 3000, recordBytes, clusters: 3, flippedShare: 0.02, noiseShare: 0.1, seed: 6 });

/** Small enough to cause ties, repeats in different blocks, and full arrays. */
const options: MotifOptions = {
  recordBytes,
  sets: 3,
  hashes: 9,
  addressBits: 7,
  threshold: 4,
  batchRecords: 1000,
  seed: 7,
  opening: 'threshold',
};
const flags =
  '--record-bytes 16 --sets 3 --hashes 9 --address-bits 7 --threshold 4 --batch-records 1000 --seed 7 --opening threshold'.split(
    ' ',
  );

function recordAt(records: Uint8Array, i: number): Uint8Array {
  return records.subarray(i * recordBytes, (i + 1) * recordBytes);
}

function hexLines(records: Uint8Array): string {
  const lines = Array.from({ length: records.length / recordBytes }, (_, i) =>
    Buffer.from(recordAt(records, i)).toString('hex'),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** The assignments of the slow twin, in the output format of the command. */
function expectedLines(records: Uint8Array): string {
  const twin = new MotifsTwin(resolveMotifSettings(options));
  return Array.from({ length: records.length / recordBytes }, (_, i) => {
    const { set, votes } = twin.observe(recordAt(records, i));
    return `${set === NO_SET ? '-' : set}\t${votes}\n`;
  }).join('');
}

function folderWithData(): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'records.bin'), data.records);
  writeFileSync(
    join(cwd, 'labels.txt'),
    [...data.labels].map((label) => (label === 3 ? '\n' : `c${label}\n`)).join(''),
  );
  return cwd;
}

describe('firstseen motifs', () => {
  it.each([1, 2, 3, 7])('gives the same answers as the twin on %i threads', async (threads) => {
    const args = ['motifs', 'records.bin', ...flags, '--emit', 'assignments', '--threads', String(threads)];
    const { code, stdout } = await runCommand(args, { cwd: folderWithData() });
    expect(code).toBe(0);
    expect(stdout.toString()).toBe(expectedLines(data.records));
  });

  it('reads several files and standard input, binary and hexadecimal, as one run', async () => {
    const cwd = folderWithData();
    const half = 1503 * recordBytes;
    writeFileSync(join(cwd, 'front.hex'), hexLines(data.records.subarray(0, half)));
    const rest = Buffer.from(hexLines(data.records.subarray(half)).trimEnd().replaceAll('\n', '\r\n'));
    const args = ['motifs', 'front.hex', '-', ...flags, '--format', 'hex', '--emit', 'assignments'];
    const pieces = [rest.subarray(0, 5001), rest.subarray(5001)];
    const { stdout } = await runCommand(args, { cwd, stdin: pieces });
    expect(stdout.toString()).toBe(expectedLines(data.records));
  });

  it('counts errors against labels and finds the centres', async () => {
    const args = ['motifs', 'records.bin', ...flags, '--labels', 'labels.txt', '--stats=json'];
    const { stdout, stderr } = await runCommand(args, { cwd: folderWithData() });
    const stats = JSON.parse(stderr);
    const sets = expectedLines(data.records).split('\n').slice(0, -1);
    expect(stats.records).toBe(3000);
    expect(stats.recognized).toBe(sets.filter((line) => Number(line.split('\t')[1]) >= 4).length);
    for (const { set, records } of stats.sets) {
      expect(records).toBe(sets.filter((line) => line.startsWith(`${set}\t`)).length);
    }
    const noise = data.labels.filter((label) => label === 3).length;
    const placed = stats.errors.per_set.reduce((sum: number, row: { records: number }) => sum + row.records, 0);
    expect(placed).toBe(3000 - noise);
    expect(stats.errors.fpr).toBeGreaterThan(0);
    expect(stats.errors.fpr).toBeCloseTo(stats.errors.fnr + noise / 3000, 10);
    expect(stdout.toString()).toContain('false positives');
  });

  it('with one set, keeps the records that are not near an earlier record', async () => {
    const cwd = temporaryFolder();
    const { records, labels } = clusteredRecords({
      count: 300,
      recordBytes,
      clusters: 9,
      flippedShare: 0.002,
      seed: 1,
    });
    const args = ['motifs', '--record-bytes', '16', '--sets', '1', '--format', 'hex', '--emit', 'distinct'];
    const { stdout } = await runCommand(args, { cwd, stdin: [Buffer.from(hexLines(records))] });
    const firsts = Array.from({ length: 9 }, (_, label) => labels.indexOf(label)).sort((a, b) => a - b);
    const expected = firsts.map((i) => Buffer.from(recordAt(records, i)).toString('hex'));
    expect(stdout.toString()).toBe(expected.map((line) => `${line}\n`).join(''));
  });

  it('finds the clusters without options, and chooses parameters from --flips', async () => {
    const cwd = temporaryFolder();
    const drawn = clusteredRecords({ count: 600, recordBytes: 64, clusters: 4, flippedShare: 0.02, seed: 1 });
    writeFileSync(join(cwd, 'records.bin'), drawn.records);
    writeFileSync(join(cwd, 'labels.txt'), [...drawn.labels].map((label) => `${label}\n`).join(''));
    const files = ['records.bin', '-b', '64', '--labels', 'labels.txt', '--stats=json'];
    const statsOf = async (...more: string[]) =>
      JSON.parse((await runCommand(['motifs', ...files, ...more], { cwd })).stderr);
    const usual = await statsOf();
    expect(usual.parameters).toMatchObject({ k: 48, l_prime: 20, t: 8, opening: 'confirmed' });
    expect(usual.errors).toMatchObject({ fpr: 0, fnr: 4 / 600 });
    expect(usual.left_out).toBe(4);
    expect((await statsOf('--flips', '2%')).parameters).toEqual(usual.parameters);
    expect((await statsOf('--flips', '3%')).parameters).toMatchObject({ k: 96, t: 10 });
    const former = await statsOf('--opening', 'threshold');
    expect(former.parameters).toMatchObject({ k: 32, l_prime: 20, t: 16, opening: 'threshold' });
    expect(former.errors.fpr).toBeGreaterThan(0.1);
  });

  it('accepts an empty input and reports no sets', async () => {
    const args = ['motifs', ...flags, '--stats=json'];
    const { code, stderr } = await runCommand(args, { cwd: temporaryFolder() });
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ records: 0, sets: [], errors: null });
  });
});

describe('errors and signals', () => {
  it('ends if the output cannot be opened after the threads have started', async () => {
    const cwd = folderWithData();
    const args = ['motifs', 'records.bin', ...flags, '--emit', 'assignments', '-o', join('missing', 'out')];
    const { code, stderr } = await runCommand(args, { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^firstseen: cannot write missing.out: .* \[E_OUTPUT\]\n$/);
  });

  it('reports the records that a failed run has processed', async () => {
    const args = ['motifs', ...flags, '--stats=json'];
    const stdin = [data.records.subarray(0, 1500 * recordBytes), new Uint8Array(5)];
    const { code, stdout, stderr } = await runCommand(args, { cwd: temporaryFolder(), stdin });
    expect([code, stdout.toString()]).toEqual([1, '']);
    const [stats] = stderr.split('\n') as [string];
    expect(JSON.parse(stats)).toMatchObject({ records: 1500, interrupted: false, error: 'E_RECORD' });
  });

  it('does not change an output if a signal ends the run before the first record', async () => {
    requiresPosix('signals that a process can handle');
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'out'), 'before\n');
    const child = startFirstseen(['motifs', ...flags, '--emit', 'assignments', '-o', 'out'], { cwd });
    const result = finished(child);
    await waiting(child);
    child.kill('SIGINT');
    expect((await result).code).toBe(130);
    expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('before\n');
  });

  it('refuses an incomplete record after it has written the answers for earlier records', async () => {
    const args = ['motifs', ...flags, '--emit', 'assignments'];
    const records = data.records.subarray(0, 1500 * recordBytes);
    const stdin = [records, new Uint8Array(5)];
    const { code, stdout, stderr } = await runCommand(args, { cwd: temporaryFolder(), stdin });
    expect([code, stdout.toString()]).toEqual([1, expectedLines(records)]);
    expect(stderr).toContain('the last record of standard input has 5 bytes, but records have 16');
    expect(stderr).toContain('[E_RECORD]');
  });

  it.each(['binary', 'hex'])('writes the answers for the records of a %s input before a read error', async (format) => {
    const cwd = temporaryFolder();
    const many = Uint8Array.from({ length: 6e4 * recordBytes }, (_, i) => (i * 7919 + (i >> 8) * 31) % 251);
    const whole = gzipSync(format === 'hex' ? hexLines(many) : many);
    writeFileSync(join(cwd, 'cut.gz'), whole.subarray(0, whole.length - 20));
    // One batch is larger than the input.
    const oneBatch = flags.with(flags.indexOf('--batch-records') + 1, '1000000');
    const args = ['motifs', 'cut.gz', ...oneBatch, '--format', format, '--emit', 'assignments'];
    const { code, stdout, stderr } = await runCommand(args, { cwd });
    expect(stderr).toMatch(/^firstseen: cannot read cut.gz: .* \[E_INPUT\]\n$/);
    const answered = stdout.toString().split('\n').length - 1;
    expect(answered).toBeGreaterThan(1000);
    expect(code).toBe(1);
  });

  it('refuses a line that is not a record, and names the line', async () => {
    const lines = hexLines(data.records.subarray(0, 3 * recordBytes));
    for (const bad of ['abc\n', `${'0'.repeat(31)}g\n`, `${'0'.repeat(34)}\n`, `${'0'.repeat(99)}`]) {
      const args = ['motifs', ...flags, '--format', 'hex', '--emit', 'assignments'];
      const { code, stdout, stderr } = await runCommand(args, {
        cwd: temporaryFolder(),
        stdin: [Buffer.from(lines + bad)],
      });
      expect([code, stdout.toString().split('\n').length]).toEqual([1, 4]);
      expect(stderr).toMatch(/standard input, line 4: the line is not a record of 32 hexadecimal digits.*\[E_RECORD\]/);
    }
  });

  it.each([
    ['a\n'.repeat(2999), 'only 2,999 labels'],
    ['a\n'.repeat(3001), 'more labels than the 3,000 records of the inputs'],
  ])('refuses labels if their number differs from the number of records', async (labels, message) => {
    const cwd = folderWithData();
    writeFileSync(join(cwd, 'labels.txt'), labels);
    const { code, stderr } = await runCommand(['motifs', 'records.bin', ...flags, '--labels', 'labels.txt'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain('[E_INPUT]');
  });

  it.each([
    [['records.bin'], 2, '--record-bytes is missing', 'E_USAGE'],
    [['records.bin', ...flags, '-o', 'out'], 2, '--output has no effect with --emit summary', 'E_USAGE'],
    [
      ['records.bin', ...flags, '--emit', 'distinct', '--labels', 'labels.txt'],
      2,
      '--labels has no effect with --emit distinct',
      'E_USAGE',
    ],
    [['.', ...flags], 1, 'cannot read .: it is a directory; name the files in it', 'E_INPUT'],
    [['', ...flags], 1, 'cannot read "": ', 'E_INPUT'],
    [['records.bin', ...flags, '--labels', '.'], 1, 'cannot read .: it is a directory', 'E_INPUT'],
    [['records.bin', ...flags, '--labels', '-'], 2, '--labels is "-", but must be the name of a file', 'E_USAGE'],
    [
      ['records.bin', ...flags.with(flags.indexOf('--address-bits') + 1, '31')],
      2,
      '--address-bits is 31',
      'E_PARAMETER',
    ],
    [
      ['records.bin', '-b', '64', '--flips', '10%'],
      2,
      '--flips is 0.1, but must be a share from 0 to 0.039',
      'E_PARAMETER',
    ],
    [['records.bin', '-b', '64', '--flips', 'much'], 2, '--flips is "much"', 'E_PARAMETER'],
    [['records.bin', ...flags, '--threads', '0'], 2, '--threads is 0', 'E_USAGE'],
    [['records.bin', '-b', '16', '--address-bits', '30'], 2, 'WebAssembly', 'E_MEMORY'],
    [['nothing.bin', ...flags], 1, 'cannot read nothing.bin', 'E_INPUT'],
    [['records.bin', ...flags, '--labels', 'nothing.txt'], 1, 'cannot read nothing.txt', 'E_INPUT'],
  ])('refuses %j', async (args, expectedCode, message, errorCode) => {
    const { code, stderr } = await runCommand(['motifs', ...args], { cwd: folderWithData() });
    expect(code).toBe(expectedCode);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`[${errorCode}]`);
  });

  it('ends at a signal after it has written the answers of the batches in flight', async () => {
    requiresPosix('signals that a process can handle');
    const child = startFirstseen(['motifs', ...flags, '--emit', 'assignments', '--threads', '2'], {
      cwd: temporaryFolder(),
    });
    const result = finished(child);
    child.stdin.write(data.records.subarray(0, 2500 * recordBytes));
    // The first answers are written when later batches are requested.
    child.stdin.write(data.records.subarray(0, 1500 * recordBytes));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGINT');
    const { code, stderr } = await result;
    expect(code).toBe(130);
    expect(stderr).toContain('stopped by SIGINT after');
  });
});

it('refuses to overwrite its inputs and labels, also through another name', async () => {
  requiresPosix('links that every user may make');
  const cwd = folderWithData();
  symlinkSync('records.bin', join(cwd, 'link'));
  writeFileSync(join(cwd, 'labels'), 'a\n'.repeat(3000));
  for (const [output, use] of [
    ['records.bin', 'an input'],
    ['./link', 'an input'],
    ['labels', 'the labels'],
  ] as const) {
    const args = [
      'motifs',
      'records.bin',
      ...flags,
      '--labels',
      'labels',
      '--stats',
      '--emit',
      'assignments',
      '-o',
      output,
    ];
    const { code, stderr } = await runCommand(args, { cwd });
    expect(stderr).toBe(`firstseen: ${output} would be written, but it is also ${use}; name another file [E_USAGE]\n`);
    expect(code).toBe(2);
  }
  expect(readFileSync(join(cwd, 'records.bin')).equals(data.records)).toBe(true);
  const { code, stderr } = await runCommand(['motifs', 'records.bin', ...flags, '--emit', 'distinct', '-o', ''], {
    cwd,
  });
  expect(stderr).toBe('firstseen: --output is "", but must be the name of a file [E_USAGE]\n');
  expect(code).toBe(2);
});
