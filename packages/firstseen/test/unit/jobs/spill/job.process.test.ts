import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { runFiles } from '../../../../src/jobs/exact/run.js';
import type { RunOptions } from '../../../../src/run/runoptions.js';
import type { RunStats } from '../../../../src/run/stats.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { inLongForm } from '../../../support/form.js';
import { requiresPosix } from '../../../support/platform.js';

const RECORDS = inLongForm(40_000, 20_000);

function identifier(i: number): number {
  return ((i * 48271) % 2147483647) % 9000;
}

function textOf(record: (identifier: number, index: number) => string, header = ''): string {
  return header + Array.from({ length: RECORDS }, (_, i) => record(identifier(i), i)).join('');
}

const asLine = (found: number) => `line ${found}\n`;
const asJson = (found: number, i: number) => `{"at":${i},"id":"a\\u00e9${found}","n":${found % 7}}\n`;
const asRow = (found: number, i: number) => `${i},"${found}\n""x""",${found % 7}\n`;

interface Case {
  name: string;
  files: Readonly<Record<string, string | Uint8Array>>;
  options?: Partial<RunOptions>;
}

const cases: readonly Case[] = [
  { name: 'lines', files: { 'a.txt': textOf(asLine) } },
  {
    name: 'lines of several files, the first without its last newline',
    files: { 'a.txt': 'x\ny\nx', 'b.txt': 'x\nz\n' },
  },
  { name: 'an empty file', files: { 'a.txt': '' } },
  { name: 'a compressed file', files: { 'a.txt.gz': gzipSync(textOf(asLine)) } },
  { name: 'keys of ndjson', files: { 'a.ndjson': textOf(asJson) }, options: { keys: ['id', 'n'] } },
  {
    name: 'keys of csv, with the header of each file',
    files: { 'a.csv': textOf(asRow, 'at,id,n\n'), 'b.csv': textOf(asRow, 'at,id,n\n') },
    options: { keys: ['id'] },
  },
  {
    name: 'numbers',
    files: { 'a.u64': new Uint8Array(BigUint64Array.from({ length: 9000 }, (_, i) => BigInt(i % 777)).buffer) },
  },
  { name: 'the duplicates', files: { 'a.txt': textOf(asLine) }, options: { emit: 'duplicates' } },
  {
    name: 'all records, annotated',
    files: { 'a.csv': textOf(asRow, 'at,id,n\n') },
    options: { keys: ['id'], emit: 'all', annotate: 'seen' },
  },
  { name: 'one shard of lines', files: { 'a.txt': textOf(asLine) }, options: { shard: '2/3' } },
  {
    name: 'the first shard of ndjson, with records without a key',
    files: { 'a.ndjson': `{"no":1}\n${textOf(asJson)}` },
    options: { keys: ['id', 'n'], shard: '1/3', missingKey: 'distinct' },
  },
  { name: 'the verdicts', files: { 'a.txt': textOf(asLine) }, options: { emit: 'verdicts' } },
  {
    name: 'records without a key, invalid and over-long ones that pass',
    files: { 'a.ndjson': `{"id":1}\n{"no":1}\n{"id":\n{"id":1}\n{"id":"${'x'.repeat(300)}"}\n{"id":2}\n` },
    options: { keys: ['id'], missingKey: 'distinct', onError: 'pass', maxRecordBytes: 100 },
  },
  {
    name: 'records without a key, invalid and over-long ones that are dropped',
    files: { 'a.ndjson': `{"id":1}\n{"no":1}\n{"id":\n{"id":1}\n{"id":"${'x'.repeat(300)}"}\n{"id":2}\n` },
    options: { keys: ['id'], missingKey: 'drop', onError: 'drop', maxRecordBytes: 100, isStrict: true },
  },
  {
    name: 'a secret',
    files: { 'a.txt': textOf(asLine) },
    options: { detector: { secret: '0123456789abcdef'.repeat(2) } },
  },
];

interface Place {
  folder: string;
  inputs: string[];
}

function placeOf(files: Case['files']): Place {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'spill'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return { folder, inputs: Object.keys(files).map((name) => join(folder, name)) };
}

function run({ folder, inputs }: Place, name: string, options: Partial<RunOptions> = {}): Promise<RunStats> {
  const { detector, ...rest } = options;
  return runFiles({
    inputs,
    output: join(folder, `${name}.out`),
    duplicatesTo: join(folder, `${name}.again`),
    detector: { algorithm: 'exact', memory: '1MiB', ...detector },
    ...rest,
  });
}

function outputs({ folder }: Place, name: string): string[] {
  return [`${name}.out`, `${name}.again`].map((file) => readFileSync(join(folder, file), 'latin1'));
}

const spilled = ({ folder }: Place, options: Partial<RunOptions> = {}) => ({
  ...options,
  spill: join(folder, 'spill'),
});

test.each(cases)('writes what a run in memory writes: $name', async ({ files, options }) => {
  const place = placeOf(files);
  const plain = await run(place, 'plain', options);
  const stats = await run(place, 'spilled', spilled(place, options));
  expect(outputs(place, 'spilled')).toEqual(outputs(place, 'plain'));
  const { records, distinct, duplicates, passed, dropped, skipped, missingKey, invalid, tooLong } = plain;
  const { bytesIn, bytesOut } = plain;
  expect(stats).toMatchObject({ records, distinct, duplicates, passed, dropped, skipped, bytesIn, bytesOut });
  expect(stats).toMatchObject({ missingKey, invalid, tooLong, observed: plain.observed, spill: { passes: 2 } });
  expect(readdirSync(join(place.folder, 'spill'))).toEqual([]);
});

test('settles far more keys than fit in memory, in parts, with a bitmap larger than its share', async () => {
  const count = 3_000_000;
  // A quarter of 1 MiB has a bit for 2,097,152 keys.
  const distinct = 2_400_000;
  const numbers = BigUint64Array.from({ length: count }, (_, i) => BigInt(i % distinct));
  const place = placeOf({ 'a.u64': new Uint8Array(numbers.buffer) });
  const stats = await run(place, 'spilled', spilled(place));
  expect(stats).toMatchObject({ records: count, distinct, duplicates: count - distinct });
  expect(stats.spill?.parts).toBeGreaterThan(1);
  // The entries, and the two parts of the bitmap.
  expect(stats.spill?.writtenBytes).toBeGreaterThan(16 * count);
  const bytes = new Uint8Array(numbers.buffer);
  expect(readFileSync(join(place.folder, 'spilled.out')).equals(bytes.subarray(0, 8 * distinct))).toBe(true);
  expect(readFileSync(join(place.folder, 'spilled.again')).equals(bytes.subarray(8 * distinct))).toBe(true);
});

test('a key that is a third of the stream makes few entries', async () => {
  const text = Array.from({ length: 300_000 }, (_, i) => (i % 3 === 0 ? 'often\n' : `${i}\n`)).join('');
  const place = placeOf({ 'a.txt': text });
  const { distinct, spill } = await run(place, 'spilled', spilled(place));
  expect(distinct).toBe(200_001);
  expect(spill?.entries).toBeLessThan(210_000);
});

describe('a failure', () => {
  test('leaves the records before it in the output, as in a run in memory', async () => {
    const place = placeOf({ 'a.ndjson': `${textOf(asJson)}{"at":\n${textOf(asJson)}` });
    const failures: (string | null)[] = [];
    const onFailure = ({ error }: RunStats) => failures.push(error);
    const keys = ['id'];
    const plain = await run(place, 'plain', { keys, onFailure }).catch((error) => error.message);
    const found = await run(place, 'spilled', spilled(place, { keys, onFailure })).catch((error) => error.message);
    expect(found).toBe(plain);
    expect(found).toContain(`line ${RECORDS + 1}`);
    expect(outputs(place, 'spilled')).toEqual(outputs(place, 'plain'));
    expect(failures).toEqual(['E_RECORD', 'E_RECORD']);
  });

  test('of an input with a bad end leaves the records before the end in the output', async () => {
    const place = placeOf({ 'a.txt.gz': gzipSync(textOf((_, i) => `${i} ${identifier(i)}\n`)).subarray(0, -20_000) });
    const plain = await run(place, 'plain').catch((error) => error.message);
    expect(await run(place, 'spilled', spilled(place)).catch((error) => error.message)).toBe(plain);
    expect(outputs(place, 'spilled')).toEqual(outputs(place, 'plain'));
    expect(outputs(place, 'spilled')[0]).not.toBe('');
  });

  test('of the spill folder leaves the outputs of earlier runs as they were', async () => {
    const place = placeOf({ 'a.txt': textOf(asLine) });
    writeFileSync(join(place.folder, 'spilled.out'), 'kept');
    const found = run(place, 'spilled', { spill: join(place.folder, 'nowhere') });
    await expect(found).rejects.toMatchObject({
      code: 'E_SPILL',
      option: 'spill',
      message:
        `the folder ${join(place.folder, 'nowhere')} does not exist; create it, or name another spill folder on a disk ` +
        'with room for 16 bytes for each record',
    });
    expect(readFileSync(join(place.folder, 'spilled.out'), 'utf8')).toBe('kept');
  });
});

test('an abort in the first reading leaves the output as it was', async () => {
  const place = placeOf({ 'a.txt': textOf(asLine) });
  writeFileSync(join(place.folder, 'spilled.out'), 'kept');
  const stats = await run(place, 'spilled', spilled(place, { signal: AbortSignal.abort() }));
  expect(stats).toMatchObject({ interrupted: true, distinct: 0, duplicates: 0 });
  expect(readFileSync(join(place.folder, 'spilled.out'), 'utf8')).toBe('kept');
});

test('a named pipe is copied to the spill folder, and so read twice', async () => {
  requiresPosix('named pipes in folders');
  const place = placeOf({ 'a.txt': textOf(asLine) });
  await run(place, 'plain');
  const pipe = join(place.folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const writing = once(spawn('sh', ['-c', 'cat "$0" > "$1"', place.inputs[0] as string, pipe]), 'close');
  const stats = await run({ ...place, inputs: [pipe] }, 'spilled', spilled(place));
  await writing;
  expect(outputs(place, 'spilled')).toEqual(outputs(place, 'plain'));
  expect(stats.spill?.writtenBytes).toBe(stats.bytesIn + 16 * (stats.spill?.entries ?? 0));
});

describe('what cannot be combined with a spill is refused', () => {
  const refusals: readonly [string, Partial<RunOptions>][] = [
    ['algorithm', { detector: { algorithm: 'bloom' } }],
    ['state', { state: 's' }],
    ['isFollowing', { isFollowing: true }],
    ['isReadOnly', { state: 's', isReadOnly: true }],
    ['window', { detector: { window: 5 } }],
    ['refresh', { detector: { refresh: true } }],
    ['fingerprint', { detector: { fingerprint: 'identity' } }],
    ['witness.memory', { detector: { witness: { memory: '1MiB' } } }],
    ['memory', { detector: { memory: '1000KiB' } }],
    ['onElements', { onElements: () => undefined }],
  ];
  test.each(refusals)('%s', async (option, options) => {
    const place = placeOf({ 'a.txt': 'a\n' });
    const code = option === 'memory' ? 'E_MEMORY' : 'E_USAGE';
    await expect(run(place, 'spilled', spilled(place, options))).rejects.toMatchObject({ code, option });
  });
});
