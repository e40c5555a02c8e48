// Which record of each key is written, and how often the key occurs, compared with maps of the records.

import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { runFiles } from '../../../../src/jobs/exact/run.js';
import { SCAN_MAX_RANK_BYTES } from '../../../../src/kernel/abi.js';
import type { RunOptions } from '../../../../src/run/runoptions.js';
import type { RunStats } from '../../../../src/run/stats.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { coverOf, inLongForm, sampleNote, sampleOf, sampleSeed } from '../../../support/form.js';

/** A generator of whole numbers below a limit. */
function drawing(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

/** Keys of which most repeat, some next to each other, and one a third of the time. */
function randomKeys(count: number, distinct: number): string[] {
  const draw = drawing(20261126);
  const keys: string[] = [];
  for (let i = 0; i < count; i++) {
    const kind = draw(6);
    if (kind < 2) keys.push('often');
    else if (kind === 2 && i > 0) keys.push(keys[i - 1] as string);
    else keys.push(`key ${draw(distinct)}`);
  }
  return keys;
}

interface Told {
  first: number;
  last: number;
  count: number;
}

/** What is true of each key. */
function tellOf(keys: readonly string[]): Map<string, Told> {
  const told = new Map<string, Told>();
  for (const [i, key] of keys.entries()) {
    const before = told.get(key);
    told.set(key, { first: before?.first ?? i, last: i, count: (before?.count ?? 0) + 1 });
  }
  return told;
}

interface Files {
  [name: string]: string | Uint8Array;
}

async function run(files: Files, options: Partial<RunOptions>): Promise<{ out: string; again: string } & RunStats> {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const [output, duplicatesTo] = ['out', 'again'].map((name) => join(folder, name)) as [string, string];
  const stats = await runFiles({
    inputs: Object.keys(files).map((name) => join(folder, name)),
    ...{ output, duplicatesTo, spill: folder },
    detector: { algorithm: 'exact', memory: '1MiB' },
    ...options,
  });
  return { ...stats, out: readFileSync(output, 'utf8'), again: readFileSync(duplicatesTo, 'utf8') };
}

const lines = (keys: readonly string[]) => keys.map((key) => `${key}\n`).join('');
const rows = (keys: readonly string[]) => `n,key\n${keys.map((key, i) => `${i},"${key}"\n`).join('')}`;
const objects = (keys: readonly string[]) => keys.map((key, i) => `{"n":${i},"key":"${key}"}\n`).join('');

describe('random keys, in several partitions and parts', () => {
  const keys = randomKeys(inLongForm(120_000, 45_000), inLongForm(70_000, 26_000));
  const told = tellOf(keys);
  const text = lines(keys);

  test.each(['first', 'last'] as const)('the %s record of each key', async (keep) => {
    const { out, again, distinct, duplicates, spill } = await run({ 'a.txt': text }, { keep });
    const isKept = (key: string, i: number) => told.get(key)?.[keep] === i;
    expect(out === lines(keys.filter(isKept))).toBe(true);
    expect(again === lines(keys.filter((key, i) => !isKept(key, i)))).toBe(true);
    expect([distinct, duplicates]).toEqual([told.size, keys.length - told.size]);
    expect(spill?.partitions).toBeGreaterThan(1);
    if (keep === 'last') expect(spill).toMatchObject({ entries: keys.length });
  });

  test.each([
    ['unique', (count: number) => count === 1],
    ['repeated', (count: number) => count > 1],
  ] as const)('records of %s keys; the summary counts all keys', async (emit, isChosen) => {
    for (const keep of sampleOf(['first', 'last'] as const, 1, sampleSeed + emit.length)) {
      const { out, again, distinct, duplicates } = await run({ 'a.txt': text }, { emit, keep });
      const isKept = (key: string, i: number) => told.get(key)?.[keep] === i;
      const wanted = keys.filter((key, i) => isKept(key, i) && isChosen(told.get(key)?.count ?? 0));
      expect(out === lines(wanted)).toBe(true);
      expect(again === lines(keys.filter((key, i) => !isKept(key, i)))).toBe(true);
      expect([distinct, duplicates]).toEqual([told.size, keys.length - told.size]);
    }
  });

  test.each(['first', 'last'] as const)('counts with the %s record of each key', async (keep) => {
    const { out, spill } = await run({ 'a.txt': text }, { count: true, keep });
    const kept = keys.filter((key, i) => told.get(key)?.[keep] === i);
    expect(out === kept.map((key) => `${String(told.get(key)?.count).padStart(7)} ${key}\n`).join('')).toBe(true);
    expect(spill?.parts).toBeGreaterThan(1);
  });

  test('counts of chosen keys, over compressed inputs', async () => {
    const half = keys.length / 2;
    const files = { 'a.txt.gz': gzipSync(lines(keys.slice(0, half))), 'b.txt': lines(keys.slice(half)) };
    const { out } = await run(files, { count: true, emit: 'repeated', format: 'lines' });
    const kept = [...told].filter(([, { count }]) => count > 1);
    expect(out === kept.map(([key, { count }]) => `${String(count).padStart(7)} ${key}\n`).join('')).toBe(true);
  });
});

test('a key that occurs 100,000 times', async () => {
  const keys = [
    ...Array.from({ length: 50_000 }, (_, i) => (i % 10 === 0 ? `${i}` : 'often')),
    ...Array(55_000).fill('often'),
  ];
  const told = tellOf(keys);
  const { out } = await run({ 'a.txt': lines(keys) }, { count: true });
  expect(out).toBe([...told].map(([key, { count }]) => `${String(count).padStart(7)} ${key}\n`).join(''));
  expect(out).toContain(' 100000 often\n');
  const last = await run({ 'a.txt': lines(keys) }, { keep: 'last' });
  expect(last.out).toBe(lines(keys.filter((key, i) => told.get(key)?.last === i)));
});

test('more keys than a range of counts has, so that counts are read range by range', async () => {
  // A quarter of 1 MiB has the counts of 32,768 keys.
  const count = inLongForm(200_000, 80_000);
  const keys = Array.from({ length: count }, (_, i) => `${i % 5 === 4 ? i - 3 : i}`);
  const { out, spill } = await run({ 'a.txt': lines(keys) }, { count: true });
  const told = [...tellOf(keys)];
  expect(out === told.map(([key, found]) => `${String(found.count).padStart(7)} ${key}\n`).join('')).toBe(true);
  // The entries, and a count of 8 bytes for each key that repeats.
  expect(spill?.writtenBytes).toBeGreaterThanOrEqual(16 * count + 8 * (count / 5));
});

/** Values of all kinds that a field has. */
function valuesOf(count: number): string[] {
  const draw = drawing(77);
  return Array.from({ length: count }, () => {
    const kind = draw(7);
    if (kind === 0) return '';
    if (kind === 1) return `${draw(50) - 25}`;
    if (kind === 2) return `${draw(5)}.${draw(30)}e${draw(5) - 2}`;
    if (kind === 3) return `-${1 + draw(9)}${'0'.repeat(draw(3))}.${draw(100)}`;
    if (kind === 4) return `2026-01-${10 + draw(19)}T0${draw(9)}:00:00Z`;
    if (kind === 5) return 'a"b'.repeat(draw(12));
    return `é ${draw(100)}`;
  });
}

const NUMBER = /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i;

/** The order of two values that are not empty. Numbers with so few digits are equal if their doubles are. */
function orderOf(one: string, other: string): number {
  const [isNumber, isOtherNumber] = [NUMBER.test(one), NUMBER.test(other)];
  if (isNumber && isOtherNumber) return Math.sign(Number(one) - Number(other));
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function isBetter(one: string, other: string, rule: 'max' | 'min'): boolean {
  if (one === '' || other === '') return one !== '' && other === '';
  return rule === 'max' ? orderOf(one, other) > 0 : orderOf(one, other) < 0;
}

/** Where each key has its best value. */
function bestOf(keys: readonly string[], values: readonly string[], rule: 'max' | 'min'): Map<string, number> {
  const best = new Map<string, number>();
  for (const [i, key] of keys.entries()) {
    const before = best.get(key);
    if (before === undefined || isBetter(values[i] as string, values[before] as string, rule)) best.set(key, i);
  }
  return best;
}

function csvRecord(key: string, value: string): string {
  return `${key},${value === '' ? '' : `"${value.replaceAll('"', '""')}"`}\n`;
}

/** An object with the value as a number, as a text with or without escapes, as null or without it. */
function jsonRecord(key: string, value: string, i: number): string {
  if (value === '') return i % 2 === 0 ? `{"key":"${key}","o":{"v":null}}\n` : `{"key":"${key}"}\n`;
  const isWrittenAsNumber = NUMBER.test(value) && i % 2 === 0;
  const written = isWrittenAsNumber ? value : JSON.stringify(value).replace('é', '\\u00e9');
  return `{"o":{"v":${written}},"key":"${key}"}\n`;
}

describe(`the record with the best value of each key${sampleNote}`, () => {
  const keys = randomKeys(inLongForm(60_000, 30_000), inLongForm(20_000, 10_000));
  const values = valuesOf(keys.length);
  const recordsOf = (record: (key: string, value: string, i: number) => string) =>
    keys.map((key, i) => record(key, values[i] as string, i));
  const files = [
    { name: 'a.csv', field: 'v', header: 'key,v\n', records: recordsOf(csvRecord) },
    { name: 'a.tsv', field: 'v', header: 'key\tv\n', records: recordsOf((key, value) => `${key}\t${value}\n`) },
    { name: 'a.ndjson', field: 'o.v', header: '', records: recordsOf(jsonRecord) },
  ];

  const ruled = files.flatMap((file) => (['max', 'min'] as const).map((rule) => ({ ...file, rule })));

  test.each(coverOf(ruled, ({ name, rule }) => [name, rule]))(
    '$name, $rule',
    async ({ name, field, header, records, rule }) => {
      const best = bestOf(keys, values, rule);
      const text = header + records.join('');
      const options: Partial<RunOptions> = { keys: ['key'], keep: `${rule}:${field}` };
      const { out, again, spill } = await run({ [name]: text }, options);
      const isBest = (_: string, i: number) => best.get(keys[i] as string) === i;
      expect(out === header + records.filter(isBest).join('')).toBe(true);
      expect(again === header + records.filter((record, i) => !isBest(record, i)).join('')).toBe(true);
      expect(spill?.partitions).toBeGreaterThan(1);
      const repeated = await run({ [name]: text }, { ...options, emit: 'repeated' });
      const told = tellOf(keys);
      const isRepeated = (key: string) => (told.get(key)?.count ?? 0) > 1;
      const wanted = records.filter((record, i) => isBest(record, i) && isRepeated(keys[i] as string));
      expect(repeated.out === header + wanted.join('')).toBe(true);
    },
  );

  test('numbers are compared by all their digits, and the first of equal ones is kept', async () => {
    const text = '1,12345678901234567890\n1,12345678901234567891\n1,1234567890123456789.10e1\n';
    const { out } = await run({ 'a.csv': text }, { keys: ['1'], hasHeader: false, keep: 'max:2' });
    expect(out).toBe('1,12345678901234567891\n');
  });

  test('a key whose value grows many times, and keys of long values', async () => {
    const growths = inLongForm(100_000, 20_000);
    const grows = Array.from({ length: growths }, (_, i) => `0,${'x'.repeat(i / 1000)}${100_000 + i}\n`);
    const longs = Array.from({ length: 600 }, (_, i) => `${1 + (i % 300)},${'y'.repeat(4000)}${i}\n`);
    const records = [...grows, ...longs];
    const text = records.join('');
    const { out, spill } = await run({ 'a.csv': text }, { keys: ['1'], hasHeader: false, keep: 'max:2', count: true });
    const best = bestOf(
      records.map((row) => row.split(',')[0] as string),
      records.map((row) => row.split(',')[1] as string),
      'max',
    );
    const wanted = [...best].map(([key, i]) => [i, key === '0' ? growths : 2] as const).sort(([a], [b]) => a - b);
    expect(out).toBe(wanted.map(([i, count]) => `${records[i]?.trimEnd()},${count}\n`).join(''));
    // The best values do not fit in 1 MiB at once.
    expect(spill?.parts).toBeGreaterThan(1);
  });

  test('a value that is too long stops the run at its line, or its record is dropped', async () => {
    const longest = `id,v\n1,${'9'.repeat(SCAN_MAX_RANK_BYTES)}\n`;
    const text = `id,v\n1,2\n1,${'9'.repeat(SCAN_MAX_RANK_BYTES + 1)}\n`;
    const options: Partial<RunOptions> = { keys: ['id'], keep: 'max:v' };
    expect((await run({ 'a.csv': longest }, options)).out).toBe(longest);
    const message = expect.stringContaining('line 3: the value that ranks the record is longer than 4,096 bytes');
    await expect(run({ 'a.csv': text }, options)).rejects.toMatchObject({ code: 'E_RECORD', message });
    expect((await run({ 'a.csv': text }, { ...options, onError: 'drop' })).out).toBe('id,v\n1,2\n');
  });

  test('with records that have no key between others', async () => {
    const text = '{"id":1,"v":1}\n{"v":9}\n{"id":\n{"id":1,"v":3}\n{"id":1,"v":2}\n';
    const options: Partial<RunOptions> = { keys: ['id'], keep: 'max:v', missingKey: 'distinct', onError: 'drop' };
    expect((await run({ 'a.ndjson': text }, options)).out).toBe('{"v":9}\n{"id":1,"v":3}\n');
  });

  test('a row that ends before the field has no value', async () => {
    for (const [name, between] of [
      ['a.csv', ','],
      ['a.tsv', '\t'],
    ] as const) {
      const text = 'id,v\n1\n1,5\n2\n'.replaceAll(',', between);
      const { out } = await run({ [name]: text }, { keys: ['id'], keep: 'min:v' });
      expect(out).toBe('id,v\n1,5\n2\n'.replaceAll(',', between));
    }
  });

  test('a field that no record has is refused', async () => {
    const running = run({ 'a.ndjson': objects(['x', 'x']) }, { keys: ['key'], keep: 'max:m' });
    await expect(running).rejects.toMatchObject({ code: 'E_KEY_MISSING', option: 'keep' });
    expect((await run({ 'a.ndjson': '' }, { keys: ['key'], keep: 'max:m' })).out).toBe('');
  });

  test('the field can be the key, or be named by its number', async () => {
    const text = 'n,key\n0,x\n1,y\n2,x\n';
    expect((await run({ 'a.csv': text }, { keys: ['key'], keep: 'max:key' })).out).toBe('n,key\n0,x\n1,y\n');
    expect((await run({ 'a.csv': text }, { keys: ['key'], keep: 'max:1' })).out).toBe('n,key\n1,y\n2,x\n');
  });
});

describe('formats', () => {
  const keys = ['x', 'y', 'x', 'z', 'y', 'x'];

  test('ndjson has a member', async () => {
    const { out } = await run({ 'a.ndjson': objects(keys) }, { keys: ['key'], count: true, keep: 'last' });
    expect(out).toBe(
      '{"n":3,"key":"z","firstseen_count":1}\n{"n":4,"key":"y","firstseen_count":2}\n{"n":5,"key":"x","firstseen_count":3}\n',
    );
  });

  test('csv has a column, with the dialect of the inputs', async () => {
    const text = rows(keys).replaceAll(',', ';');
    const { out } = await run({ 'a.csv': text }, { keys: ['key'], count: true, delimiter: ';' });
    expect(out).toBe('n;key;firstseen_count\n0;"x";3\n1;"y";2\n3;"z";1\n');
  });

  test('tsv has a column, without a header too', async () => {
    const { out } = await run({ 'a.tsv': 'x\t1\nx\t2\ny\t3\n' }, { keys: ['1'], count: true, hasHeader: false });
    expect(out).toBe('x\t1\t2\ny\t3\t1\n');
  });

  test('a record without a key that is passed on has the count 1', async () => {
    const text = '{"no":1}\n{"key":1}\n{"no":1}\n{"key":1}\n';
    const options: Partial<RunOptions> = { keys: ['key'], missingKey: 'distinct' };
    const { out } = await run({ 'a.ndjson': text }, { ...options, count: true });
    expect(out).toBe('{"no":1,"firstseen_count":1}\n{"key":1,"firstseen_count":2}\n{"no":1,"firstseen_count":1}\n');
  });

  test('a record without a key that is passed on is not known to repeat', async () => {
    const text = '{"no":1}\n{"key":1}\n{"no":1}\nbroken\n{"key":1}\n';
    const options: Partial<RunOptions> = { keys: ['key'], missingKey: 'distinct', onError: 'pass', emit: 'repeated' };
    expect((await run({ 'a.ndjson': text }, options)).out).toBe('{"key":1}\n');
    expect((await run({ 'a.ndjson': text }, { ...options, count: true })).out).toBe('{"key":1,"firstseen_count":2}\n');
  });

  test('records that end with a zero byte', async () => {
    const { out } = await run({ 'a.nul': 'x\0y\0x\0' }, { format: 'nul', count: true });
    expect(out).toBe('      2 x\0      1 y\0');
  });

  test('integers have no counts, but are kept and chosen', async () => {
    const numbers = new Uint8Array(BigUint64Array.of(1n, 2n, 1n).buffer);
    await expect(run({ 'a.u64': numbers }, { count: true })).rejects.toMatchObject({ option: 'count' });
    const { out } = await run({ 'a.u64': numbers }, { emit: 'unique' });
    expect(out).toBe('\u0002\0\0\0\0\0\0\0');
  });

  test('verdicts and annotations are those of the kept records', async () => {
    expect((await run({ 'a.txt': lines(keys) }, { keep: 'last', emit: 'verdicts' })).out).toBe(
      'duplicate\nduplicate\nduplicate\ndistinct\ndistinct\ndistinct\n',
    );
    const { out } = await run({ 'a.txt': 'x\ny\nx\n' }, { keep: 'last', emit: 'all', annotate: 'seen' });
    expect(out).toBe('duplicate\tx\ndistinct\ty\ndistinct\tx\n');
  });
});

test.each(['last', 'count', 'unique'])('an input that changes between the readings is refused: %s', async (asked) => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.txt');
  const text = Array.from({ length: 300_000 }, (_, i) => `line ${i % 999}\n`).join('');
  writeFileSync(path, text);
  let changes = 0;
  const options = { last: { keep: 'last' }, count: { count: true }, unique: { emit: 'unique' } }[asked] as object;
  const running = runFiles({
    ...options,
    ...{ inputs: [path], output: join(folder, 'out'), spill: folder },
    detector: { algorithm: 'exact', memory: '1MiB' },
    onProgress: () => {
      if (changes++ === 0) writeFileSync(path, `L${text.slice(1)}`);
    },
  });
  await expect(running).rejects.toMatchObject({ code: 'E_INPUT' });
  expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('');
});

const noSpill = { spill: undefined, detector: {} };

test.each<[Partial<RunOptions>, string]>([
  [{ emit: 'unique' }, 'c\n'],
  [{ emit: 'repeated' }, 'a\nb\n'],
  [{ keep: 'last' }, 'a\nc\nb\n'],
  [{ count: true }, '      3 a\n      2 b\n      1 c\n'],
])('%j alone spills to the folder for temporary files', async (options, written) => {
  const { out, spill } = await run({ 'a.txt': 'a\nb\na\na\nc\nb\n' }, { ...noSpill, ...options });
  expect(out).toBe(written);
  expect(spill).toMatchObject({ folder: tmpdir(), passes: 2 });
});

describe('refused', () => {
  test.each<[string, Partial<RunOptions>]>([
    ['keep', { keep: 'best' as 'last' }],
    ['keep', { keep: 'max:' }],
    ['keep', { ...noSpill, keep: 'max:v' }],
    ['keep', { keep: 'max:v' }],
    ['count', { count: 'yes' as never }],
    ['count', { count: true, emit: 'all' }],
    ['count', { count: true, emit: 'duplicates' }],
    ['count', { count: true, emit: 'verdicts' }],
    ['count', { count: true, output: 'out.parquet' }],
    ['state', { keep: 'last', state: 's' }],
    ['state', { ...noSpill, keep: 'last', state: 's' }],
    ['isFollowing', { ...noSpill, count: true, isFollowing: true }],
  ])('%s in %j', async (option, options) => {
    await expect(run({ 'a.txt': 'a\n' }, options)).rejects.toMatchObject({ code: 'E_USAGE', option });
  });

  test('counts in a csv that has such a column', async () => {
    const running = run({ 'a.csv': 'id,firstseen_count\n1,2\n' }, { keys: ['id'], count: true });
    await expect(running).rejects.toMatchObject({ code: 'E_USAGE', option: 'count' });
  });
});
