// Objects of a store as outputs: they are complete, or not there at all.

import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { BucketStore } from '../../../src/io/store/bucket.js';
import { partBytes } from '../../../src/io/store/upload.js';
import { runFiles } from '../../../src/jobs/exact/run.js';
import type { RunOptions } from '../../../src/run/runoptions.js';
import type { RunStats } from '../../../src/run/stats.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { type ObjectStore, openForTest } from '../../support/objectstore.js';

let store: ObjectStore;
let folder: string;

beforeEach(async () => {
  store = await openForTest();
  folder = temporaryFolder();
  store.put('bucket/in', 'one\ntwo\none\n');
});

test('a run opens a store once, for its inputs and its outputs', async () => {
  const open = vi.spyOn(BucketStore, 'open');
  const options = { state: join(folder, 'state'), duplicatesTo: 's3://bucket/again' };
  await run(options);
  expect(open).toHaveBeenCalledTimes(1);
  expect(await run(options)).toMatchObject({ idle: true });
  expect(open).toHaveBeenCalledTimes(2);
  open.mockRestore();
});

const LINE_BYTES = 900_000;

/** Long lines, so that the parts of an upload have few records. */
function longLines(count: number): string {
  return Array.from({ length: count }, (_, i) => `${String.fromCharCode(97 + i).repeat(LINE_BYTES)}\n`).join('');
}

function run(options: Partial<RunOptions> = {}): Promise<RunStats> {
  const detector = { algorithm: 'exact', memory: '1MiB' } as const;
  return runFiles({ inputs: ['s3://bucket/in'], output: 's3://bucket/out', detector, ...options });
}

function methods(): string[] {
  return store.requests.filter(({ path }) => path === 'bucket/out').map(({ method }) => method);
}

test('a short object is written with one request', async () => {
  await run();
  expect(store.textOf('bucket/out')).toBe('one\ntwo\n');
  expect(methods()).toEqual(['PUT']);
});

test('a name that says so is compressed', async () => {
  await run({ output: 's3://bucket/out.gz' });
  expect(gunzipSync(store.objects.get('bucket/out.gz')?.body as Buffer).toString()).toBe('one\ntwo\n');
});

test('duplicates are an object too, and an object without records is empty', async () => {
  await run({ duplicatesTo: 's3://bucket/again', inputs: ['s3://bucket/in'] });
  expect(store.textOf('bucket/again')).toBe('one\n');
  store.put('bucket/none', '');
  await run({ inputs: ['s3://bucket/none'] });
  expect(store.textOf('bucket/out')).toBe('');
});

test('a long object is written in parts, again where the store fails', async () => {
  const text = longLines(22);
  store.put('bucket/in', text);
  const failed = new Set<string>();
  store.fault = ({ method, path, query }) => {
    const name = `${method} ${query.get('partNumber')}`;
    if (path !== 'bucket/out' || failed.has(name)) return undefined;
    failed.add(name);
    return { status: 503 };
  };
  await run();
  expect(failed).toContain('PUT 2');
  expect(store.textOf('bucket/out') === text).toBe(true);
  expect(store.uploads.size).toBe(0);
});

describe('an object is not there', () => {
  beforeEach(() => {
    store.put('bucket/1', longLines(20));
    store.put('bucket/2', 'one\n');
  });

  const inputs = ['s3://bucket/1', 's3://bucket/2'];

  test('after a run that failed, whose parts are removed', async () => {
    store.fault = ({ method, path }) => (method === 'GET' && path === 'bucket/2' ? { status: 403 } : undefined);
    await expect(run({ inputs })).rejects.toMatchObject({ code: 'E_INPUT' });
    expect(methods()).toEqual(expect.arrayContaining(['PUT', 'DELETE']));
    expect([store.textOf('bucket/out'), store.uploads.size]).toEqual([undefined, 0]);
  });

  test('after a run that was stopped', async () => {
    const stop = new AbortController();
    store.fault = ({ method, path }) => {
      if (method === 'GET' && path === 'bucket/2') stop.abort();
      return undefined;
    };
    const state = join(folder, 'state');
    expect(await run({ inputs, state, signal: stop.signal })).toMatchObject({ interrupted: true });
    expect([store.textOf('bucket/out'), store.uploads.size]).toEqual([undefined, 0]);
    store.fault = () => undefined;
    expect(await run({ inputs, state })).toMatchObject({ records: 21, resumed: false });
    expect(store.textOf('bucket/out')?.length).toBe(20 * (LINE_BYTES + 1) + 4);
  });

  test('if the store refuses it', async () => {
    store.fault = ({ query }) => (query.has('partNumber') ? { status: 403 } : undefined);
    const error = await run({ inputs }).catch((cause) => cause);
    expect(error).toMatchObject({ code: 'E_OUTPUT' });
    expect(error.message).toMatch(/^cannot write s3:\/\/bucket\/out: the store answers 403/);
    expect([store.textOf('bucket/out'), store.uploads.size]).toEqual([undefined, 0]);
  });
});

test('what a run that was killed has left is told', async () => {
  store.uploads.set('left', { path: 'bucket/out', parts: new Map() });
  store.uploads.set('another', { path: 'bucket/out.gz', parts: new Map() });
  const warnings: string[] = [];
  await run({ onWarning: ({ message }) => warnings.push(message) });
  expect(warnings).toEqual([
    's3://bucket/out has 1 unfinished upload, the first since 2026-01-02T03:04:05.000Z, whose parts are kept; unless something writes to it now, remove it with aws s3api abort-multipart-upload and the upload id left',
  ]);
  expect(store.uploads.size).toBe(2);
});

test('a later run with a state knows the object that it has written', async () => {
  const state = join(folder, 'state');
  await run({ state });
  expect(await run({ state })).toMatchObject({ records: 0, idle: true });
  store.put('bucket/more', 'three\n');
  const more = { state, inputs: ['s3://bucket/in', 's3://bucket/more'] };
  await expect(run(more)).rejects.toThrow('nothing can be added to an object of a store');
  expect(await run({ ...more, output: 's3://bucket/second' })).toMatchObject({ distinct: 1 });
  store.put('bucket/out', 'else');
  await expect(run({ state })).rejects.toThrow('s3://bucket/out was changed after an earlier run had written it');
  await expect(run({ state: join(folder, 'other') })).rejects.toThrow('s3://bucket/out already exists');
});

test.each<[string, Partial<RunOptions>, string]>([
  ['a state', { state: 's3://bucket/state' }, 'state is s3://bucket/state, but has to be a file'],
  ['an address of the web', { output: 'https://user:pw@host/x' }, 'cannot write https://host/x: addresses of the web'],
  ['a folder', { output: 's3://bucket/x/' }, 'is not the name of one object'],
  ['an output folder', { output: undefined, outputFolder: 's3://bucket/x' }, 'it is in a store'],
  ['the input', { output: 's3://bucket/in' }, 'would be written, but it is also an input'],
  ['Parquet', { output: 's3://bucket/out.parquet' }, 'parquet is written to files only'],
])('%s cannot be an output', async (_, options, problem) => {
  await expect(run(options)).rejects.toThrow(problem);
});

test('10,000 parts hold 700 GiB, and the first ones are small', () => {
  const bytes = Array.from({ length: 10_000 }, (_, i) => partBytes(i + 1)).reduce((sum, part) => sum + part, 0);
  expect(bytes).toBeGreaterThan(700 * 2 ** 30);
  expect(partBytes(1)).toBe(16 * 2 ** 20);
});
