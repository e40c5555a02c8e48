// Which record of each key is written, and how often the key occurs, compared with maps of the records.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { runFiles } from '../../../../src/jobs/exact/run.js';
import type { RunOptions } from '../../../../src/run/options.js';
import type { RunStats } from '../../../../src/run/stats.js';
import { temporaryFolder } from '../../../cli/support/command.js';

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
  const keys = randomKeys(120_000, 70_000);
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
    for (const keep of ['first', 'last'] as const) {
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
  const count = 200_000;
  const keys = Array.from({ length: count }, (_, i) => `${i % 5 === 4 ? i - 3 : i}`);
  const { out, spill } = await run({ 'a.txt': lines(keys) }, { count: true });
  const told = [...tellOf(keys)];
  expect(out === told.map(([key, found]) => `${String(found.count).padStart(7)} ${key}\n`).join('')).toBe(true);
  // The entries, and a count of 8 bytes for each key that repeats.
  expect(spill?.writtenBytes).toBeGreaterThanOrEqual(16 * count + 8 * (count / 5));
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
    expect((await run({ 'a.ndjson': text }, { ...options, emit: 'repeated' })).out).toBe(
      '{"no":1}\n{"key":1}\n{"no":1}\n',
    );
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

describe('refused', () => {
  const noSpill = { spill: undefined };
  test.each<[string, Partial<RunOptions>]>([
    ['emit', { ...noSpill, emit: 'unique' }],
    ['emit', { ...noSpill, emit: 'repeated' }],
    ['keep', { ...noSpill, keep: 'last' }],
    ['keep', { keep: 'best' as 'last' }],
    ['count', { ...noSpill, count: true }],
    ['count', { count: true, emit: 'all' }],
    ['count', { count: true, emit: 'duplicates' }],
    ['count', { count: true, emit: 'verdicts' }],
    ['count', { count: true, output: 'out.parquet' }],
    ['state', { keep: 'last', state: 's' }],
  ])('%s in %j', async (option, options) => {
    await expect(run({ 'a.txt': 'a\n' }, options)).rejects.toMatchObject({ code: 'E_USAGE', option });
  });

  test('counts in a csv that has such a column', async () => {
    const running = run({ 'a.csv': 'id,firstseen_count\n1,2\n' }, { keys: ['id'], count: true });
    await expect(running).rejects.toMatchObject({ code: 'E_USAGE', option: 'count' });
  });
});
